import { TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/within.ts";
import { type SearchedNames, type Placeholders } from "../extraction/extraction.ts";
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

interface Kept {
  readonly code: string;
  readonly since: number;
}

const IMPORTS = /(?:\bfrom|\bimport)\s{0,9}(\(?)\s{0,9}["'`](\.{0,2}\/[^"'`\s]{1,300}\.m?js)["'`]/g;
/** Unlike the address of an import, the address of a script element is relative to the page. */
const ADDS = /\.src\s{0,9}=\s{0,9}["'`]([^"'`\s]{1,300}\.m?js(?:\?[^"'`\s]{0,200})?)["'`]/g;

/** A script that another one loads. `isLazy` if it does so when it needs it: `import("./dialog.js")`. */
interface Imported {
  readonly url: string;
  readonly isLazy: boolean;
}

/** The scripts that a script imports or adds to the page. Of a longer script, those that it imports when it needs them. */
function importsOf(code: string, url: string, page: URL): Imported[] {
  const isLoader = code.length <= MAX_LOADER_LENGTH;
  const found: Imported[] = [];
  const add = (address: string, base: string, isLazy: boolean): void => {
    const to = URL.parse(address, base);
    if (to !== null && /^https?:$/.test(to.protocol)) found.push({ url: to.href, isLazy });
  };
  for (const match of code.matchAll(IMPORTS)) {
    const [, bracket, address = ""] = match;
    const isDynamic = bracket === "(";
    if (isLoader || isDynamic) add(address, url, isDynamic && isLaterImport(code, match));
  }
  if (isLoader) for (const [, address = ""] of code.matchAll(ADDS)) add(address, page.href, false);
  return found;
}

/** Number of characters before and after an import that show when it runs. */
const NEAR = 80;

/**
 * Whether a function returns the import, so that a router or a component runs it when it is needed: `lazy(() =>
 * import("./a.js"))`. A bundler's own function, which loads what the script depends on, runs it at once.
 */
function isLaterImport(code: string, { index, 0: whole }: RegExpExecArray): boolean {
  const before = code.slice(Math.max(0, index - NEAR), index);
  if (!/=>\s{0,3}(?:\[\s{0,3})?$/.test(before)) return false;
  const end = index + whole.length;
  const isAwaited = /\bawait\s{1,3}[\w$]{1,20}\(\s{0,3}\(\)\s{0,3}=>\s{0,3}$/.test(before);
  return !isAwaited && !/^\)\s{0,3},[^;]{0,60}\)\s{0,3}\.then\s{0,3}\(/.test(code.slice(end, end + NEAR));
}

/** A script, after the code of the script that loads it. It begins at `lazyFrom` if it is loaded when it is needed. */
export interface LoadedCode {
  readonly code: string;
  readonly lazyFrom?: number;
}

/** The functions that fetch and examine scripts. */
export interface PageScriptsDeps {
  fetch(visit: Visit): Promise<FetchedDocument>;
  /** The names of the elements that a script fills, if they are known; undefined if it adds no content to the page. */
  filledBy(visit: Visit, code: LoadedCode, places: SearchedNames): Promise<readonly string[] | undefined>;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/** Searches the external scripts of complete pages for signs that they add content. */
export class PageScripts {
  readonly #deps: PageScriptsDeps;
  readonly #clock: () => number;
  /** By URL, in the order of the last use. */
  readonly #kept = new Map<string, Kept>();
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
    const waiting = scripts.map((url) => ({ url, loader: "", isLazy: false }));
    const seen = new Set(scripts);
    let filled: readonly string[] | undefined;
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && filled === undefined; next = waiting.shift()) {
        const { url, loader, isLazy } = next;
        const code = await (scriptAt?.(url) ?? this.#codeOf(visit, url, end));
        if (code === "" || filled !== undefined) continue;
        // The other workers examine scripts in the meantime.
        const lazy = isLazy ? { lazyFrom: loader.length + 1 } : {};
        const found = await this.#deps.filledBy(visit, { code: `${loader}\n${code}`, ...lazy }, places);
        if (found !== undefined) filled = found;
        for (const { url: imported, isLazy: later } of importsOf(code, url, visit.request.url)) {
          // One module may contain the element's name, and an imported module may fill the element.
          const own = code.length <= MAX_LOADER_LENGTH ? code : "";
          if (!seen.has(imported) && seen.size < MAX_SCRIPTS) {
            waiting.push({ url: imported, loader: own, isLazy: isLazy || later });
          }
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
