import { type ExtractionTask } from "../extraction/tree/extraction.ts";
import { isWithin } from "../../lib/time/is-within.ts";
import { within } from "../../lib/time/within.ts";
import { type FetchedDocument, type PageRequest, type PageSource } from "../page/page.ts";
import { cacheKey, conditionsOf, isForAll } from "./cacheable.ts";
import { type CachedPage, type PageCache } from "./page-cache.ts";

/** The share of its timeout that a request waits for another request that loads the same page. */
const WAIT_SHARE = 0.5;

/** A page that was loaded, and the document of the static engine that it was made from. */
export interface Loaded<T> {
  readonly page: T;
  readonly source: PageSource;
  /** Undefined if only a browser loaded the page: the fields of its response are not known. */
  readonly fetched: FetchedDocument | undefined;
}

/** Delivers a page from the cache, or by loading it. */
export interface Ways<T> {
  readonly show: (source: PageSource) => Promise<T>;
  /** Loads the page. `known` is an older version; a response 304 confirms it. */
  readonly load: (known: CachedPage | undefined) => Promise<Loaded<T>>;
}

export interface SharedPagesDeps {
  readonly cache: Pick<PageCache, "get" | "put" | "remove">;
  /** Names the addresses that requests may reach, so that another policy never sees their pages. */
  readonly reach: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Serves pages that were loaded for other callers, if a caller accepts that. Concurrent requests share one load. */
export class SharedPages {
  readonly #deps: SharedPagesDeps;
  /** The pages that are being loaded. They become undefined if not every caller may get them. */
  readonly #loading = new Map<string, Promise<CachedPage | undefined>>();

  constructor(deps: SharedPagesDeps) {
    this.#deps = deps;
  }

  /** The page, or a failure of `ways`. */
  async read<T>(request: PageRequest, task: ExtractionTask, { show, load }: Ways<T>): Promise<T> {
    const key = cacheKey(request, task, this.#deps.reach);
    if (key === undefined) return (await load(undefined)).page;
    const { maxAgeMs = 0, isPrivate = false, timeoutMs } = request;
    const known = await this.#deps.cache.get(key);
    const isRecent = known !== undefined && isWithin(known.at, maxAgeMs, this.#deps.now());
    if (isRecent) return await show(this.#aged(known));
    const other = maxAgeMs === 0 ? undefined : this.#loading.get(key);
    const loaded = other === undefined ? undefined : await within(timeoutMs * WAIT_SHARE, other);
    if (loaded !== undefined) return await show(this.#aged(loaded));
    if (isPrivate) return (await load(known)).page;
    return await this.#loadForAll(key, known, load);
  }

  async #loadForAll<T>(key: string, known: CachedPage | undefined, load: Ways<T>["load"]): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<CachedPage | undefined>();
    this.#loading.set(key, promise);
    try {
      const loaded = await load(known);
      resolve(await this.#keep(key, known, loaded));
      return loaded.page;
    } finally {
      resolve(undefined);
      if (this.#loading.get(key) === promise) this.#loading.delete(key);
    }
  }

  async #keep(key: string, known: CachedPage | undefined, loaded: Loaded<unknown>): Promise<CachedPage | undefined> {
    const { source, fetched } = loaded;
    const { cache, now } = this.#deps;
    if (fetched === undefined || !source.complete || !isForAll(fetched)) {
      if (known !== undefined) await cache.remove(key);
      return undefined;
    }
    const isDocument = source.engine === "static";
    const conditions = isDocument ? conditionsOf({ ...fetched, headers: source.headers }) : [];
    const page = { source, at: now(), conditions };
    // The clock was set back. The store would keep the page of the later time.
    if (known !== undefined && known.at > page.at) await cache.remove(key);
    await cache.put(key, page);
    return page;
  }

  #aged({ source, at }: CachedPage): PageSource {
    return { ...source, ageMs: Math.max(0, this.#deps.now() - at) };
  }
}
