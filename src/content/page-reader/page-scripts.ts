import { TurnpikeError } from "../../lib/errors.ts";
import { type Placeholders } from "../extraction/extraction.ts";
import { type Visit } from "../page/visit.ts";
import { type FetchedDocument } from "../page/page.ts";

/** Limits of fetching a page's external scripts: fetches at a time, milliseconds in all, bytes of one script, and scripts. @bound */
const AT_ONCE = 4;
const MAX_MS = 2_000;
const MAX_SCRIPT_BYTES = 512 * 1024;
const MAX_SCRIPTS = 16;
/** A script that is shorter, in characters, may only bring others. */
const MAX_LOADER_LENGTH = 3_000;

/** Scripts whose text is kept, and their characters together: the pages of a site share theirs. @bound */
const MAX_KEPT = 256;
const MAX_KEPT_LENGTH = 16 * 1024 * 1024;
const KEPT_MS = 300_000;

interface Kept {
  readonly code: string;
  readonly since: number;
}

/** The scripts that a short script imports. */
function importsOf(code: string, url: string): string[] {
  if (code.length > MAX_LOADER_LENGTH) return [];
  const found = code.matchAll(/(?:\bfrom|\bimport)\s{0,9}\(?\s{0,9}["'`](\.{0,2}\/[^"'`\s]{1,300}\.m?js)["'`]/g);
  return [...found].flatMap((match) => URL.parse(match[1] ?? "", url)?.href ?? []);
}

export interface PageScriptsDeps {
  fetch(visit: Visit): Promise<FetchedDocument>;
  /** What tells that a script fills one of the places; undefined where nothing does. */
  signOf(visit: Visit, code: string, names: readonly string[]): Promise<string | undefined>;
}

/** Looks into the external scripts of pages that came whole, for what they would still fill. */
export class PageScripts {
  readonly #deps: PageScriptsDeps;
  /** By address, the one that was used longest ago first. */
  readonly #kept = new Map<string, Kept>();
  #keptLength = 0;

  constructor(deps: PageScriptsDeps) {
    this.#deps = deps;
  }

  /** The sign that a script shows; undefined where none does, or none came in time. */
  async sign(visit: Visit, { scripts, names }: Placeholders): Promise<string | undefined> {
    const end = performance.now() + Math.min(MAX_MS, visit.deadline.leftMs / 2);
    const waiting = [...scripts];
    const seen = new Set(scripts);
    let sign: string | undefined;
    const work = async (): Promise<void> => {
      for (let url = waiting.shift(); url !== undefined && sign === undefined; url = waiting.shift()) {
        const code = await this.#codeOf(visit, url, end);
        if (code === "" || sign !== undefined) continue;
        // Others are looked into meanwhile.
        const found = await this.#deps.signOf(visit, code, names);
        if (found !== undefined) sign = found;
        for (const next of importsOf(code, url)) {
          if (!seen.has(next) && seen.size < MAX_SCRIPTS) waiting.push(next);
          seen.add(next);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return sign;
  }

  async #codeOf(visit: Visit, url: string, end: number): Promise<string> {
    const kept = this.#kept.get(url);
    if (kept !== undefined && Date.now() - kept.since < KEPT_MS) {
      this.#kept.delete(url);
      this.#kept.set(url, kept);
      return kept.code;
    }
    const left = end - performance.now();
    if (left <= 0) return "";
    const code = await Promise.race([this.#load(visit, url), Bun.sleep(left).then(() => undefined)]);
    return code ?? "";
  }

  /** The text of a script; empty if it cannot be fetched, since that must not fail the page. */
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
    this.#kept.set(url, { code, since: Date.now() });
    for (const [oldest, { code: gone }] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT && this.#keptLength <= MAX_KEPT_LENGTH) return;
      this.#kept.delete(oldest);
      this.#keptLength -= gone.length;
    }
  }
}
