import { type PageStore } from "../../store/page-store.ts";
import { type PageSource } from "../page/page.ts";

/** A page that was loaded without credentials and may be shown to any caller. */
export interface CachedPage {
  readonly source: PageSource;
  /** Unix milliseconds when its server last sent or confirmed it. */
  readonly at: number;
  /** Field lines that make a request conditional on a change of the page. */
  readonly conditions: readonly string[];
}

/** The description of a stored page: all but its body. */
type Head = Omit<CachedPage["source"], "body"> & { readonly isText: boolean; readonly conditions: readonly string[] };

/** Pages in a store, by their key. */
export class PageCache {
  readonly #store: PageStore;

  constructor(store: PageStore) {
    this.#store = store;
  }

  async get(key: string): Promise<CachedPage | undefined> {
    const stored = await this.#store.get(key);
    if (stored === undefined) return undefined;
    // Only this class writes the store.
    const { isText, conditions, ...head } = JSON.parse(stored.head) as Head;
    const bytes = new Uint8Array(Bun.zstdDecompressSync(stored.body));
    const body = isText ? new TextDecoder().decode(bytes) : bytes;
    return { source: { ...head, body }, at: stored.at, conditions };
  }

  async put(key: string, { source, at, conditions }: CachedPage): Promise<void> {
    const { body, ...about } = source;
    const head: Head = { ...about, isText: typeof body === "string", conditions };
    await this.#store.put(key, { at, head: JSON.stringify(head), body: new Uint8Array(Bun.zstdCompressSync(body)) });
  }

  async remove(key: string): Promise<void> {
    await this.#store.remove(key);
  }
}
