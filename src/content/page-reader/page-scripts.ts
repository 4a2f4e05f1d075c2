import { TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/time/within.ts";
import { type Script, type ScriptAddress } from "../extraction/tree/extraction.ts";
import { type Visit } from "../page/visit.ts";
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
function importsOf(code: string, url: string, page: URL): ScriptAddress[] {
  if (code.length > MAX_LOADER_LENGTH) return [];
  const imported = code.matchAll(IMPORTS).map(([, address = ""]) => ({ to: URL.parse(address, url), isModule: true }));
  const added = code.matchAll(ADDS).map(([, address = ""]) => ({ to: URL.parse(address, page.href), isModule: false }));
  return [...imported, ...added].flatMap(({ to, isModule }) =>
    to !== null && /^https?:$/.test(to.protocol) ? [{ url: to.href, isModule }] : [],
  );
}

/** Fetches the external scripts of pages. */
export class PageScripts {
  readonly #fetch: (visit: Visit) => Promise<FetchedDocument>;
  readonly #clock: () => number;
  /** By URL, in the order of the last use. */
  readonly #kept = new Map<string, KeptScript>();
  #keptLength = 0;

  /** `clock` returns monotonic milliseconds. */
  constructor(fetch: (visit: Visit) => Promise<FetchedDocument>, clock: () => number = () => performance.now()) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** The texts of scripts in their order, and then of those that short ones load, as far as they arrive in time. */
  async texts(visit: Visit, scripts: readonly ScriptAddress[]): Promise<readonly Script[]> {
    const end = this.#clock() + Math.min(MAX_MS, visit.deadline.leftMs / 2);
    const waiting = [...scripts];
    const seen = new Set(scripts.map(({ url }) => url));
    const texts = new Map<string, Script>();
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const code = await this.#codeOf(visit, next.url, end);
        if (code === "") continue;
        texts.set(next.url, { ...next, code });
        for (const imported of importsOf(code, next.url, visit.request.url)) {
          if (!seen.has(imported.url) && seen.size < MAX_SCRIPTS) waiting.push(imported);
          seen.add(imported.url);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return [...seen].flatMap((url) => texts.get(url) ?? []);
  }

  async #codeOf(visit: Visit, url: string, end: number): Promise<string> {
    const kept = this.#kept.get(url);
    if (visit.request.own === undefined && kept !== undefined && this.#clock() - kept.since < KEPT_MS) {
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
    // Other callers get what is kept, so that it must not come from a request or a proxy of this one.
    const keep = (code: string): void => (visit.request.own === undefined ? this.#keep(url, code) : undefined);
    const { session: _, own: _own, ...others } = visit.request;
    const request = { ...others, url: new URL(url), maxBytes: MAX_SCRIPT_BYTES, partial: false };
    try {
      const { statusCode, body } = await this.#fetch({ ...visit, request });
      const code = statusCode === 200 ? new TextDecoder().decode(body) : "";
      keep(code);
      return code;
    } catch (error) {
      if (!(error instanceof TurnpikeError)) throw error;
      keep("");
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
