import { TurnpikeError } from "../../lib/errors.ts";
import { plainText } from "../extraction/plain-text.ts";
import { cut } from "../../lib/text/cut-text.ts";
import { cutTitle } from "../page/cut-title.ts";
import { type PageReader, type ReadPage } from "../page-reader/page-reader.ts";
import { type PageRequest } from "../page/page.ts";
import { fuse } from "../search/fuse.ts";
import { urlKey } from "../search/web/result-url.ts";
import { type Search } from "../search/search.ts";
import { type Plan, type Source } from "./reading/analysis.ts";
import { Story } from "./evidence/story.ts";

/** Maximum number of characters of a source's text. The rest is ignored. */
const MAX_SOURCE_CHARACTERS = 100_000;
/**
 * Maximum number of bytes of a source's document. A larger one cannot be read either, and many are fetched at the same
 * time.
 */
const MAX_SOURCE_BYTES = 8 * 1024 * 1024;
/** Results that each query requests. */
const RESULTS = 10;
/**
 * Pages that may be tried in addition to the maximum number of sources. They replace pages that fail or repeat another
 * page's text. @bound
 */
const SPARE_PAGES = 8;
/** Maximum number of results of one site among the first. Its other results come after those of other sites. */
const MAX_OF_SITE = 2;
/**
 * Milliseconds for one page at most, and its share of the remaining time. A page that never ends leaves time for
 * others. @bound
 */
const MAX_PAGE_MS = 15_000;
const PAGE_SHARE = 0.6;
/** Milliseconds at the end of a page's time in which the partial page is read. */
const PARTIAL_MS = 1_500;
/**
 * Maximum number of attempts to load a page while the service is overloaded, and milliseconds before the second
 * attempt. The delay grows with each attempt. @bound
 */
const MAX_TRIES = 6;
const RETRY_MS = 200;
/** Milliseconds for the searches at most, and their share of the time. @bound */
const MAX_SEARCH_MS = 10_000;
const SEARCH_SHARE = 0.4;

export interface GatherDeps {
  readonly pages: Pick<PageReader, "read">;
  readonly search: Pick<Search, "search">;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** The question for which sources are gathered, and the limits. */
export interface GatherRequest {
  readonly plan: Plan;
  /** Addresses from the caller, which are always read, and first. */
  readonly hints: readonly string[];
  /** Maximum number of sources. If the request has more hints, all hints are read. */
  readonly maxSources: number;
  /** Milliseconds for the whole call. */
  readonly timeMs: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A page that yielded no source, and why, described for the caller. */
export interface FailedPage {
  readonly url: string;
  readonly reason: string;
}

/** The sources for a question, and the record of the search for them. */
export interface Gathered {
  /** Hints first, in their order; then the best results. */
  readonly sources: readonly Source[];
  /** Searches to which a provider responded, and failed searches. */
  readonly searches: number;
  readonly failedSearches: number;
  readonly failed: readonly FailedPage[];
  /** Pages that repeat another source's text. */
  readonly copies: readonly string[];
}

/**
 * Searches for and reads sources for a question, within its time. Never fails: sources that failed are missing from the
 * result.
 */
export async function gather(request: GatherRequest, deps: GatherDeps): Promise<Gathered> {
  const gathering = new Gathering(request, deps);
  try {
    return await gathering.run();
  } finally {
    gathering.close();
  }
}

/** A page that may become a source. `rank` gives its order. */
interface Candidate {
  readonly url: string;
  readonly rank: number;
  readonly isHint: boolean;
}

interface Taken {
  readonly candidate: Candidate;
  readonly source: Source;
  readonly story: Story;
}

class Gathering {
  readonly #request: GatherRequest;
  readonly #deps: GatherDeps;
  readonly #startedAt: number;
  /** All pages share one signal, by which the queues recognise them as one request. */
  readonly #controller = new AbortController();
  readonly #over = Promise.withResolvers<void>();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #stop = (): void => {
    this.#over.resolve();
    this.#controller.abort();
  };
  readonly #hints: readonly Candidate[];
  readonly #wanted: number;
  #waiting: Candidate[] = [];
  #tried = 0;
  #taken: Taken[] = [];
  readonly #reading = new Map<Candidate, Promise<void>>();
  readonly #failed = new Map<Candidate, string>();
  readonly #copies: Candidate[] = [];
  #searches = 0;
  #failedSearches = 0;

  constructor(request: GatherRequest, deps: GatherDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#startedAt = deps.clock();
    const hints = request.hints.filter((url, at, all) => at === all.findIndex((one) => urlKey(one) === urlKey(url)));
    this.#hints = hints.map((url, at) => ({ url, rank: at - hints.length, isHint: true }));
    this.#wanted = Math.max(request.maxSources, hints.length);
    this.#timer = setTimeout(this.#stop, request.timeMs);
    request.signal.addEventListener("abort", this.#stop, { once: true });
    if (request.signal.aborted) this.#stop();
  }

  async run(): Promise<Gathered> {
    for (const hint of this.#hints) this.#read(hint);
    const mustSearch = this.#wanted > this.#hints.length;
    if (!mustSearch) await this.#readAll();
    if (this.#taken.length < this.#wanted) {
      await this.#searchAll();
      await this.#readAll();
    }
    // Pages that are still loading are too late for the response.
    const late = [...this.#reading.keys()].map((candidate) => [candidate, "it was not read in time"] as const);
    const failed = [...this.#failed, ...late].toSorted(([a], [b]) => a.rank - b.rank);
    return {
      sources: this.#taken.map(({ source }) => source),
      searches: this.#searches,
      failedSearches: this.#failedSearches,
      failed: failed.map(([{ url }, reason]) => ({ url, reason })),
      copies: this.#copies.map(({ url }) => url),
    };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener("abort", this.#stop);
    this.#stop();
  }

  get #leftMs(): number {
    return this.#request.timeMs - (this.#deps.clock() - this.#startedAt);
  }

  async #searchAll(): Promise<void> {
    const { plan, timeMs } = this.#request;
    // A share of the whole time instead of the remaining time, so that equal searches of several callers are joined.
    const timeoutMs = Math.max(1, Math.min(MAX_SEARCH_MS, Math.round(timeMs * SEARCH_SHARE)));
    const searching = plan.queries.map(async (query) => {
      try {
        const { results } = await this.#deps.search.search({ query, count: RESULTS, timeoutMs });
        this.#searches += 1;
        return results;
      } catch (error) {
        if (!(error instanceof TurnpikeError)) throw error;
        this.#failedSearches += 1;
        return [];
      }
    });
    const lists = await Promise.race([Promise.all(searching), this.#over.promise]);
    const asked = new Set(this.#hints.map(({ url }) => urlKey(url)));
    const urls = fuse(lists ?? [])
      .map(({ url }) => url)
      .filter((url) => !asked.has(urlKey(url)));
    this.#waiting = ranked(urls, plan).map((url, rank) => ({ url, rank, isHint: false }));
  }

  /** Reads waiting pages until there are enough sources, no page is left, or the time is over. */
  async #readAll(): Promise<void> {
    while (!this.#controller.signal.aborted) {
      const free = this.#wanted - this.#taken.length - this.#reading.size;
      for (let place = 0; place < free; place += 1) this.#readNext();
      if (this.#reading.size === 0) return;
      await Promise.race([...this.#reading.values(), this.#over.promise]);
    }
  }

  #readNext(): void {
    const next = this.#tried < this.#request.maxSources + SPARE_PAGES ? this.#waiting.shift() : undefined;
    if (next === undefined) return;
    this.#tried += 1;
    this.#read(next);
  }

  #read(candidate: Candidate): void {
    const reading = this.#load(candidate)
      .then(
        (read) => this.#take(candidate, read),
        (error: unknown) => this.#fail(candidate, error),
      )
      .finally(() => this.#reading.delete(candidate));
    this.#reading.set(candidate, reading);
  }

  /** Loads a page. If the service is overloaded, tries again after a delay. */
  async #load(candidate: Candidate): Promise<ReadPage> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#deps.pages.read(this.#pageRequest(candidate.url), { kind: "article" });
      } catch (error) {
        const isFull = error instanceof TurnpikeError && error.code === "overloaded";
        if (!isFull || tries === MAX_TRIES || this.#controller.signal.aborted) throw error;
        await Bun.sleep(RETRY_MS * tries);
      }
    }
  }

  #pageRequest(url: string): PageRequest {
    const left = Math.max(1, this.#leftMs);
    const limit = Math.min(MAX_PAGE_MS, left * PAGE_SHARE);
    return {
      url: new URL(url),
      engine: "auto",
      partial: true,
      timeoutMs: Math.max(limit / 2, limit - PARTIAL_MS),
      waitMs: 0,
      waitUntil: "load",
      selector: undefined,
      userAgent: undefined,
      stealth: false,
      turnMs: left,
      maxBytes: MAX_SOURCE_BYTES,
      signal: this.#controller.signal,
    };
  }

  #fail(candidate: Candidate, error: unknown): void {
    if (this.#controller.signal.aborted) return;
    const reason = error instanceof TurnpikeError ? reasonOf(error) : "it cannot be read";
    this.#failed.set(candidate, reason);
  }

  #take(candidate: Candidate, read: ReadPage): void {
    if (this.#controller.signal.aborted) return;
    const source = sourceOf(candidate, read);
    const story = new Story(source.text);
    const same = this.#taken.find((taken) => taken.story.isSameAs(story));
    if (same !== undefined && same.candidate.rank < candidate.rank) {
      this.#copies.push(candidate);
      return;
    }
    // The better page stays, in whichever order they arrived.
    if (same !== undefined) this.#copies.push(same.candidate);
    const kept = this.#taken.filter((taken) => taken !== same);
    this.#taken = [...kept, { candidate, source, story }].toSorted((a, b) => a.candidate.rank - b.candidate.rank);
  }
}

/** The named resolution source comes first, then the results by rank. A single site cannot fill all first ranks. */
function ranked(urls: readonly string[], { resolutionSource }: Plan): string[] {
  const host = resolutionSource?.host;
  const bySite = new Map<string, number>();
  const groups: [named: string[], first: string[], others: string[]] = [[], [], []];
  for (const url of urls) {
    const site = new URL(url).host.replace(/^www\./, "");
    const seen = (bySite.get(site) ?? 0) + 1;
    bySite.set(site, seen);
    const isNamed = host !== undefined && (site === host || site.endsWith(`.${host}`));
    groups[seen > MAX_OF_SITE ? 2 : isNamed ? 0 : 1].push(url);
  }
  return groups.flat();
}

function sourceOf({ url, isHint }: Candidate, { extraction, source }: ReadPage): Source {
  const { content, title, published, language = "", siteName } = extraction;
  // Each line is a block of the page. Blank lines keep the sentences of two blocks apart.
  const text = cut(plainText(withTabs(content)).replaceAll("\n", "\n\n"), MAX_SOURCE_CHARACTERS);
  return {
    url: addressOf(source.finalUrl, url),
    title: cutTitle(title),
    site: siteName,
    text,
    published: timeOf(published),
    language: language.slice(0, 35),
    isHint,
  };
}

function addressOf(finalUrl: string, asked: string): string {
  const url = URL.parse(finalUrl) ?? new URL(asked);
  url.username = "";
  url.password = "";
  url.hash = "";
  return url.href;
}

/** The page's own date of publication. Dates before the web existed are ignored. */
function timeOf(published: string | undefined): number | undefined {
  const time = Date.parse(published ?? "");
  return Number.isNaN(time) || time < Date.UTC(1990, 0) ? undefined : time;
}

/** Removes the prefix that all these errors share: "Cannot load the page: its server responded with 404". */
function reasonOf({ message }: TurnpikeError): string {
  return message.replace(/^Cannot (?:load|read) the page: /, "");
}

/** Markdown with tabs between the cells of its tables, and without the line below their headers. */
function withTabs(markdown: string): string {
  return markdown.replace(/^\|(.*)\|[ \t]*$/gmu, (_, row: string) => {
    const cells = row.split("|").map((cell) => cell.trim());
    return cells.every((cell) => /^:?-+:?$/u.test(cell))
      ? ""
      : cells.map((cell) => (cell === "" ? "–" : cell)).join("\t");
  });
}
