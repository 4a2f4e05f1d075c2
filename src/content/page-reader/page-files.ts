import { TurnpikeError } from "../../lib/errors.ts";
import { within } from "../../lib/time/within.ts";
import { type FetchedDocument } from "../page/page.ts";
import { type Visit } from "../page/visit.ts";

/** Limits of fetching the files of a page: concurrent fetches, and total milliseconds. @bound */
const AT_ONCE = 4;
const MAX_MS = 2_000;

/** Limits of the cached files: their number and their total characters. The pages of a site share files. @bound */
const MAX_KEPT = 256;
const MAX_KEPT_LENGTH = 16 * 1024 * 1024;
const KEPT_MS = 300_000;

/** A script or a style sheet of a page. */
export interface PageFile {
  /** After redirects. */
  readonly url: string;
  /** 0 if it was not fetched. */
  readonly status: number;
  readonly type: string;
  /** Empty if the status is not 200. */
  readonly text: string;
}

export interface FilesOrder<T> {
  readonly first: readonly T[];
  /** Further files that a file needs. */
  readonly more: (file: PageFile, of: T) => readonly T[];
  /** The maximum number of files, and of bytes in one file. */
  readonly most: number;
  readonly maxBytes: number;
}

interface WantedFile {
  readonly url: string;
  readonly maxBytes: number;
}

const NO_FILE: PageFile = { url: "", status: 0, type: "", text: "" };

/** Fetches the scripts and the style sheets of pages through the guard of their visit, without cookies and credentials. */
export class PageFiles {
  readonly #fetch: (visit: Visit) => Promise<FetchedDocument>;
  readonly #clock: () => number;
  /** By URL, in the order of the last use. */
  readonly #kept = new Map<string, { readonly file: PageFile; readonly since: number }>();
  #keptLength = 0;

  /** `clock` returns monotonic milliseconds. */
  constructor(fetch: (visit: Visit) => Promise<FetchedDocument>, clock: () => number = () => performance.now()) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** The files in their order, and then those that they need, as far as they arrive in time. */
  async load<T extends { readonly url: string }>(
    visit: Visit,
    { first, more, most, maxBytes }: FilesOrder<T>,
  ): Promise<readonly { readonly of: T; readonly file: PageFile }[]> {
    const end = this.#clock() + Math.min(MAX_MS, visit.deadline.leftMs / 2);
    const waiting = [...first];
    const seen = new Set(first.map(({ url }) => url));
    const files = new Map<string, { readonly of: T; readonly file: PageFile }>();
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const file = await this.#fileOf(visit, { url: next.url, maxBytes }, end);
        if (file.status === 0) continue;
        files.set(next.url, { of: next, file });
        for (const needed of more(file, next)) {
          if (!seen.has(needed.url) && seen.size < most) waiting.push(needed);
          seen.add(needed.url);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return [...seen].flatMap((url) => files.get(url) ?? []);
  }

  async #fileOf(visit: Visit, wanted: WantedFile, end: number): Promise<PageFile> {
    const { url } = wanted;
    const kept = this.#kept.get(url);
    if (visit.request.own === undefined && kept !== undefined && this.#clock() - kept.since < KEPT_MS) {
      this.#kept.delete(url);
      this.#kept.set(url, kept);
      return kept.file;
    }
    const left = end - this.#clock();
    if (left <= 0) return NO_FILE;
    return await within(left, this.#load(visit, wanted, end), () => NO_FILE);
  }

  /** A file. `NO_FILE` if it cannot be fetched, because that must not fail the page. */
  async #load(visit: Visit, { url, maxBytes }: WantedFile, end: number): Promise<PageFile> {
    // Other callers get kept files, so a file must not come from this caller's own request or proxy.
    const keep = (file: PageFile): void => (visit.request.own === undefined ? this.#keep(url, file) : undefined);
    const { session: _, own: _own, ...others } = visit.request;
    const request = { ...others, url: new URL(url), maxBytes, partial: false };
    try {
      const { url: last, statusCode: status, body, headers } = await this.#fetch({ ...visit, request });
      const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
      const file = { url: last, status, type, text: status === 200 ? new TextDecoder().decode(body) : "" };
      keep(file);
      return file;
    } catch (error) {
      if (!(error instanceof TurnpikeError)) throw error;
      // A file that only came too late for this page may be there for the next one.
      if (this.#clock() < end) keep(NO_FILE);
      return NO_FILE;
    }
  }

  #keep(url: string, file: PageFile): void {
    this.#keptLength += file.text.length - (this.#kept.get(url)?.file.text.length ?? 0);
    this.#kept.delete(url);
    this.#kept.set(url, { file, since: this.#clock() });
    for (const [oldest, { file: gone }] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT && this.#keptLength <= MAX_KEPT_LENGTH) return;
      this.#kept.delete(oldest);
      this.#keptLength -= gone.text.length;
    }
  }
}
