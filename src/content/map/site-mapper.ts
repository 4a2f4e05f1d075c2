import { TurnpikeError } from "../../lib/errors.ts";
import { Slices } from "../../lib/slices.ts";
import { egressError, type EgressOptions } from "../egress/guard.ts";
import { type Extractor } from "../extractor/extractor.ts";
import { FairSemaphore } from "../page/fair-semaphore.ts";
import { type Pages } from "../page-reader/page-reader.ts";
import { type LocalIndex } from "../search/providers/local.ts";
import { hostWithoutWww } from "../search/web/result-url.ts";
import { type PathFilter } from "../sites/path-filter.ts";
import { type RobotsFiles } from "../sites/robots-files.ts";
import { type Robots } from "../sites/robots.ts";
import { sitemapPages } from "../sites/sitemaps.ts";
import { WebError } from "../sites/web-get.ts";
import { FirstPages, type PageLinks } from "./first-pages.ts";
import { LinkList, type MapLink } from "./link-list.ts";
import { LinkRanking } from "./rank.ts";

/** Maps that are made at one time, and requests that wait for one. @operator */
const MAX_MAPS = 8;
const MAX_QUEUED_MAPS = 64;
/** Milliseconds that a map waits for its turn. */
const QUEUE_TIMEOUT_MS = 30_000;
/** Pages of a site whose links are read: the first one, and those that it links to. */
const MAX_PAGES = 10;
/** Milliseconds between two pages of a site. If robots.txt asks for a longer delay, only the first page is fetched. */
const PAGE_DELAY_MS = 100;
/** Pages of the local index that are added, and those that a search compares. */
const MAX_INDEXED = 10_000;
const MAX_MATCHES = 200;

export type SitemapUse = "include" | "only" | "skip";

export interface MapRequest {
  /** Its scheme is http or https. */
  readonly url: URL;
  readonly subdomains: boolean;
  readonly ignoreQuery: boolean;
  readonly sitemap: SitemapUse;
  readonly wants: PathFilter;
  /** Words that the addresses or their titles must have. The best come first. */
  readonly search: string | undefined;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The services that a map uses. `now` is in milliseconds. */
export interface SiteMapperDeps {
  readonly pages: Pages;
  readonly extractor: Extractor;
  readonly egress: EgressOptions;
  readonly userAgent: string;
  readonly index: LocalIndex;
  readonly robots: RobotsFiles;
  readonly now: () => number;
}

/** Finds the addresses of sites. */
export class SiteMapper {
  readonly #deps: SiteMapperDeps;
  readonly #semaphore = new FairSemaphore(MAX_MAPS, MAX_QUEUED_MAPS, QUEUE_TIMEOUT_MS);

  constructor(deps: SiteMapperDeps) {
    this.#deps = deps;
  }

  /** The addresses as they are found, each once, or with a search the best first. Fails with a TurnpikeError. */
  async *links(request: MapRequest, report: MapReport): AsyncGenerator<readonly MapLink[]> {
    const release = await this.#semaphore.take(request.signal);
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)]);
    // A client that reads slowly keeps no place for longer.
    signal.addEventListener("abort", release, { once: true });
    try {
      const map = new SiteMap({ ...request, signal }, report, this.#deps);
      yield* request.search === undefined ? map.links() : map.best(request.search);
    } finally {
      release();
    }
  }
}

/** The facts about a map beside its addresses. They are complete after the last of them. */
export class MapReport {
  /** Addresses that robots.txt forbids. */
  forbidden = 0;
  /** True if there are more addresses than the limit. */
  truncated = false;
  /** True if the time ended before the site's sources did. */
  partial = false;
}

/** The making of one map. The signal of its request aborts at its timeout, too. */
class SiteMap {
  readonly #request: MapRequest;
  readonly #report: MapReport;
  readonly #deps: SiteMapperDeps;
  readonly #slices = new Slices();
  readonly #endsAt: number;
  #count = 0;

  constructor(request: MapRequest, report: MapReport, deps: SiteMapperDeps) {
    this.#request = request;
    this.#report = report;
    this.#deps = deps;
    this.#endsAt = deps.now() + request.timeoutMs;
  }

  /** The addresses that have words of the search, the best first. */
  async *best(search: string): AsyncGenerator<readonly MapLink[]> {
    const { limit, url } = this.#request;
    const indexed = await this.#indexed({ query: search, filters: { site: siteOf(url) }, count: MAX_MATCHES });
    const ranking = new LinkRanking(
      search,
      indexed.map((page) => page.url),
    );
    const found: { readonly link: MapLink; readonly score: number }[] = [];
    for await (const links of this.#all()) {
      for (const link of links) {
        const score = ranking.score(link);
        if (score > 0) found.push({ link, score });
        if (this.#slices.isOver) await this.#slices.next();
      }
    }
    if (found.length === 0)
      throw new TurnpikeError(
        "page-empty",
        `Cannot map the site: none of its ${this.#count} addresses has a word of the search`,
      );
    const best = found.toSorted((a, b) => b.score - a.score);
    this.#report.truncated ||= best.length > limit;
    yield best.slice(0, limit).map(({ link }) => link);
  }

  async *links(): AsyncGenerator<readonly MapLink[]> {
    const { limit } = this.#request;
    let left = limit;
    for await (const links of this.#all()) {
      if (links.length > left) this.#report.truncated = true;
      if (left > 0) yield links.slice(0, left);
      left -= links.length;
      if (left < 0) return;
    }
  }

  /** Each source in turn: the first page, the local index, the sitemaps, and the pages that the first one links to. */
  async *#all(): AsyncGenerator<readonly MapLink[]> {
    const { url: start, sitemap, ...scope } = this.#request;
    const robots = await this.#robotsOf(start);
    if (!robots.known) throw robotsError(robots);
    const list = new LinkList({ ...scope, start, robots });
    const pages = this.#pages(list);
    const first = sitemap === "only" ? { links: [] } : await pages.links(start, true).catch(failureOf);
    const found = "links" in first ? first.links : [];
    yield* this.#new(list, found);
    if (sitemap !== "only")
      yield* this.#new(list, await this.#indexed({ filters: { site: siteOf(start) }, count: MAX_INDEXED }));
    if (sitemap !== "skip") {
      const source = {
        start,
        isOwn: (url: URL) => list.has(url),
        robots: (url: URL) => this.#robotsOf(url),
      };
      const fetch = { ...this.#deps, signal: this.#request.signal };
      for await (const more of sitemapPages(source, fetch)) yield* this.#new(list, more);
    }
    if (sitemap !== "only") yield* this.#others(list, pages, found, robots);
    this.#report.partial = this.#request.signal.aborted;
    this.#report.truncated ||= list.isFull;
    if (this.#count === 0) throw emptyError(first, this.#report);
  }

  async *#others(
    list: LinkList,
    pages: FirstPages,
    found: readonly MapLink[],
    { crawlDelay = 0 }: Robots,
  ): AsyncGenerator<readonly MapLink[]> {
    if (crawlDelay * 1_000 > PAGE_DELAY_MS) return;
    const urls = new Set(found.slice(1).map(({ url }) => url));
    const own = [...urls].map((url) => new URL(url)).filter((url) => list.has(url));
    for (const url of own.slice(0, MAX_PAGES - 1)) {
      if (this.#request.signal.aborted || list.isFull) return;
      await Bun.sleep(PAGE_DELAY_MS);
      const page = await pages.links(url, false).catch(failureOf);
      if ("links" in page) yield* this.#new(list, page.links);
    }
  }

  /** The links that are new, in pieces between which other work has its turn. */
  async *#new(list: LinkList, links: readonly MapLink[]): AsyncGenerator<readonly MapLink[]> {
    let fresh: MapLink[] = [];
    for (const link of links) {
      const added = list.add(link);
      if (added !== undefined) fresh.push(added);
      if (!this.#slices.isOver) continue;
      await this.#slices.next();
      if (this.#request.signal.aborted) break;
      if (fresh.length === 0) continue;
      yield this.#counted(fresh);
      fresh = [];
    }
    this.#report.forbidden = list.forbidden;
    if (fresh.length > 0) yield this.#counted(fresh);
  }

  #counted(links: readonly MapLink[]): readonly MapLink[] {
    this.#count += links.length;
    return links;
  }

  #pages(list: LinkList): FirstPages {
    return new FirstPages({
      ...this.#deps,
      signal: this.#request.signal,
      robots: (url) => this.#robotsOf(url),
      isOwn: (url) => list.has(url),
      leftMs: () => this.#endsAt - this.#deps.now(),
    });
  }

  async #indexed(query: Parameters<LocalIndex["search"]>[0]): Promise<readonly MapLink[]> {
    const { index } = this.#deps;
    if (!index.hasPages()) return [];
    const found = await index.search(query, this.#request.signal).catch(() => []);
    return found.map(({ url, title }) => ({ url, title }));
  }

  #robotsOf(url: URL): Promise<Robots> {
    return this.#deps.robots.of(url, this.#request.signal);
  }
}

function siteOf({ hostname }: URL): string {
  return hostWithoutWww(hostname);
}

function failureOf(error: unknown): PageLinks {
  return { failure: error };
}

function robotsError({ failure }: Robots): TurnpikeError {
  if (failure === undefined) {
    return new TurnpikeError("page-failed", "Cannot map the site: its server does not deliver its robots.txt");
  }
  return webErrorOf("robots.txt", failure);
}

function webErrorOf(file: "robots.txt" | "first page", failure: unknown): TurnpikeError {
  const reason = failure instanceof WebError ? failure.reason : "unreachable";
  if (reason === "refused" || reason === "unreachable") return egressError(reason);
  if (reason === "timeout")
    return new TurnpikeError("page-timeout", "Cannot map the site: its server did not respond in time");
  return new TurnpikeError("page-failed", `Cannot map the site: its ${file} cannot be read (${reason})`);
}

function emptyError(first: PageLinks, { partial, forbidden }: MapReport): TurnpikeError {
  if ("failure" in first) return webErrorOf("first page", first.failure);
  if ("status" in first) {
    const detail = `Cannot map the site: its server responded with ${first.status}, and there is no sitemap`;
    return new TurnpikeError("page-failed", detail, undefined, { page_status: first.status });
  }
  if ("movedTo" in first) return new TurnpikeError("page-failed", `Cannot map the site: it moved to ${first.movedTo}`);
  if (partial) return new TurnpikeError("page-timeout", "Cannot map the site: no address was found in time");
  if ("forbidden" in first || forbidden > 0) {
    return new TurnpikeError("page-empty", "Cannot map the site: its robots.txt forbids its pages");
  }
  return new TurnpikeError("page-empty", "Cannot map the site: no address was found");
}
