import { TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/time/within.ts";
import { type SearchedNames, type Placeholders } from "../extraction/tree/extraction.ts";
import { type LoadedPage, type Visit } from "../page/visit.ts";
import { type FetchedDocument } from "../page/page.ts";

/**
 * Limits of fetching a page's external scripts: concurrent fetches, total milliseconds, bytes of one script, and
 * scripts. @bound
 */
const AT_ONCE = 4;
const MAX_MS = 2_000;
const MAX_SCRIPT_BYTES = 512 * 1024;
const MAX_SCRIPTS = 16;
/** Characters. A shorter script may only load others, so the scripts that it adds to the page are fetched as well. */
const MAX_LOADER_LENGTH = 3_000;

/** Limits of the cached scripts: their number and their total characters. The pages of a site share scripts. @bound */
const MAX_KEPT = 256;
const MAX_KEPT_LENGTH = 16 * 1024 * 1024;
const KEPT_MS = 300_000;

interface KeptScript {
  readonly code: string;
  readonly since: number;
}

const IMPORTS = /(?:\bfrom|\bimport)\s{0,9}\(?\s{0,9}["'`](\.{0,2}\/[^"'`\s]{1,300}\.m?js)["'`]/g;
/** Unlike the address of an import, the address of a script element is relative to the page. */
const ADDS = /\.src\s{0,9}=\s{0,9}["'`]([^"'`\s]{1,300}\.m?js(?:\?[^"'`\s]{0,200})?)["'`]/g;

/** The scripts that a short script imports or adds to the page. */
function importsOf(code: string, url: string, page: URL): string[] {
  if (code.length > MAX_LOADER_LENGTH) return [];
  const imported = code.matchAll(IMPORTS).map(([, address = ""]) => URL.parse(address, url));
  const added = code.matchAll(ADDS).map(([, address = ""]) => URL.parse(address, page.href));
  return [...imported, ...added].flatMap((to) => (to !== null && /^https?:$/.test(to.protocol) ? [to.href] : []));
}

/** The functions that fetch and examine scripts. */
export interface PageScriptsDeps {
  fetch(visit: Visit): Promise<FetchedDocument>;
  /** The names of the elements that a script fills, if they are known; undefined if it adds no content to the page. */
  filledBy(visit: Visit, code: string, places: SearchedNames): Promise<readonly string[] | undefined>;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/** Searches the external scripts of complete pages for signs that they add content. */
export class PageScripts {
  readonly #deps: PageScriptsDeps;
  readonly #clock: () => number;
  /** By URL, in the order of the last use. */
  readonly #kept = new Map<string, KeptScript>();
  #keptLength = 0;

  constructor(deps: PageScriptsDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? (() => performance.now());
  }

  /**
   * The names of elements that a script fills; undefined if no script is found in time that adds content to the page.
   * The scripts are fetched, unless `scriptAt` returns their text.
   */
  async filled(
    visit: Visit,
    { scripts, ...places }: Placeholders,
    scriptAt?: LoadedPage["scriptAt"],
  ): Promise<readonly string[] | undefined> {
    const end = this.#clock() + Math.min(MAX_MS, visit.deadline.leftMs / 2);
    const waiting = scripts.map((url) => ({ url, loader: "" }));
    const seen = new Set(scripts);
    let filled: readonly string[] | undefined;
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && filled === undefined; next = waiting.shift()) {
        const { url, loader } = next;
        const code = await (scriptAt?.(url) ?? this.#codeOf(visit, url, end));
        if (code === "" || filled !== undefined) continue;
        // The other workers examine scripts in the meantime.
        const found = await this.#deps.filledBy(visit, `${loader}\n${code}`, places);
        if (found !== undefined) filled = found;
        for (const imported of importsOf(code, url, visit.request.url)) {
          // One module may contain the element's name, and an imported module may fill the element.
          if (!seen.has(imported) && seen.size < MAX_SCRIPTS) waiting.push({ url: imported, loader: code });
          seen.add(imported);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return filled;
  }

  async #codeOf(visit: Visit, url: string, end: number): Promise<string> {
    const kept = this.#kept.get(url);
    if (kept !== undefined && this.#clock() - kept.since < KEPT_MS) {
      this.#kept.delete(url);
      this.#kept.set(url, kept);
      return kept.code;
    }
    const left = end - this.#clock();
    if (left <= 0) return "";
    return await within(left, this.#load(visit, url), () => "");
  }

  /** The text of a script. Empty if it cannot be fetched, because that must not fail the page. */
  async #load(visit: Visit, url: string): Promise<string> {
    const request = { ...visit.request, url: new URL(url), maxBytes: MAX_SCRIPT_BYTES, partial: false };
    try {
      const { statusCode, body } = await this.#deps.fetch({ ...visit, request });
      const code = statusCode === 200 ? new TextDecoder().decode(body) : "";
      this.#keep(url, code);
      return code;
    } catch (error) {
      if (!(error instanceof TurnpikeError)) throw error;
      this.#keep(url, "");
      return "";
    }
  }

  #keep(url: string, code: string): void {
    this.#keptLength += code.length - (this.#kept.get(url)?.code.length ?? 0);
    this.#kept.delete(url);
    this.#kept.set(url, { code, since: this.#clock() });
    for (const [oldest, { code: gone }] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT && this.#keptLength <= MAX_KEPT_LENGTH) return;
      this.#kept.delete(oldest);
      this.#keptLength -= gone.length;
    }
  }
}
