import { messageOf } from "../../../lib/caught.ts";
import { within } from "../../../lib/time/within.ts";
import { type EgressOptions } from "../../egress/guard.ts";
import { type ExtractionOutcome } from "../../extraction/tree/extraction.ts";
import { type Extractor } from "../../extractor/extractor.ts";
import { hostWithoutWww, resultUrl } from "../web/result-url.ts";
import { fetchedSource, fetchPage, MAX_PAGE_BYTES } from "../../sites/fetch-page.ts";
import { type WebResponse, WebError, type WebFailure } from "../../sites/web-get.ts";
import { PoliteHosts } from "../../sites/polite-hosts.ts";
import { FETCH_TIMEOUT_MS } from "../../sites/robots-file.ts";
import { type PageIndex, type PageRow } from "./page-index.ts";
import { type Robots } from "../../sites/robots.ts";
import { robotsDirectives } from "../../sites/robots-directives.ts";
import { sitemapPages } from "../../sites/sitemaps.ts";
import { type Site, type Sites, type Waiting } from "./sites.ts";

/** Maximum number of hosts that are requested at the same time. */
const MAX_HOSTS_AT_ONCE = 4;
/** Fetches of one round: for each page that the site may have, and in addition. @bound */
const FETCHES_PER_PAGE = 3;
const MORE_FETCHES = 100;
/** Milliseconds of the longest sleep until a host allows a request or a page is done. */
const NAP_MS = 50;

/** The services and limits of a crawl. `now` returns monotonic milliseconds. */
export interface CrawlDeps {
  readonly index: PageIndex;
  readonly sites: Sites;
  readonly extractor: Extractor;
  readonly egress: EgressOptions;
  readonly userAgent: string;
  /** Milliseconds between two requests to a host. */
  readonly delayMs: number;
  /** Bytes of the index. A crawl stops when the index would exceed them. */
  readonly maxBytes: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Called for each processed address. `reason` says why it failed. */
  readonly progress: (url: string, outcome: CrawlOutcome, reason: string | undefined) => void;
}

/** The outcome of an address. `removed`: the index had the page. `dead link`: it did not, and there is no page. */
export type CrawlOutcome =
  | "indexed"
  | "unchanged"
  | "removed"
  | "dead link"
  | "forbidden"
  | "redirect"
  | "duplicate"
  | "noindex"
  | "not a page"
  | "needs a browser"
  | "left out"
  | "failed";

export interface CrawlReport {
  /** Number of addresses by outcome. */
  readonly outcomes: ReadonlyMap<CrawlOutcome, number>;
  /** Why the crawl stopped early. Undefined if it finished. */
  readonly stopped: "full" | "page limit" | "fetch limit" | "interrupted" | undefined;
}

/**
 * Fetches the new and changed pages of a site into the index. It starts from the first page, the sitemaps and the known
 * addresses, and follows links.
 */
export async function crawl(site: Site, deps: CrawlDeps): Promise<CrawlReport> {
  deps.sites.beginRound(site.id);
  const crawler = new Crawler(site, deps);
  await crawler.seed();
  const stopped = await crawler.run();
  if (stopped !== "interrupted") deps.sites.endRound(site.id);
  return { outcomes: crawler.outcomes, stopped };
}

/** A failed fetch, described for the operator who crawls. */
class Failed {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The reason for an address that the egress guard refuses. */
export const REFUSED = "the address is private, or its port is not allowed";

const REASONS: Readonly<Record<WebFailure, string>> = {
  refused: REFUSED,
  unreachable: "the server cannot be reached",
  "too-large": `the response is over ${MAX_PAGE_BYTES / 1024 / 1024} MiB`,
  redirects: "the server redirects too often",
  timeout: `the server did not respond within ${FETCH_TIMEOUT_MS / 1000} s`,
};

function failure(error: unknown): Failed {
  return new Failed(error instanceof WebError ? REASONS[error.reason] : messageOf(error));
}

class Crawler {
  readonly outcomes = new Map<CrawlOutcome, number>();
  readonly #site: Site;
  readonly #deps: CrawlDeps;
  readonly #hosts: PoliteHosts;
  readonly #host: string;
  readonly #fetching = new Set<string>();
  #fetches = 0;
  #pages: number;
  /** Whether an address was skipped because the site has reached its number of pages. */
  #leftOut = false;

  constructor(site: Site, deps: CrawlDeps) {
    this.#site = site;
    this.#deps = deps;
    this.#pages = deps.sites.pages(site.id);
    this.#hosts = new PoliteHosts(deps);
    this.#host = hostWithoutWww(new URL(site.url).host);
  }

  async seed(): Promise<void> {
    const { sites } = this.#deps;
    sites.discover(this.#site, this.#inScope([this.#site.url]), 0);
    if (!this.#site.sitemap) return;
    const start = new URL(this.#site.url);
    const source = {
      start,
      isOwn: ({ host }: URL) => hostWithoutWww(host) === this.#host,
      robots: (url: URL) => this.#hosts.robots(url),
    };
    for await (const pages of sitemapPages(source, this.#deps)) {
      sites.discover(this.#site, this.#inScope(pages.map(({ url }) => url)), 0);
    }
  }

  /** Fetches until no address is left. Returns why it stopped early. */
  async run(): Promise<CrawlReport["stopped"]> {
    const running = new Set<Promise<void>>();
    let stopped: CrawlReport["stopped"];
    for (;;) {
      stopped = this.#mustStop();
      if (stopped !== undefined) break;
      const next = running.size < MAX_HOSTS_AT_ONCE ? this.#next() : undefined;
      if (next === undefined) {
        if (running.size === 0 && !this.#hasMore()) break;
        await within(Math.min(NAP_MS, this.#hosts.wait() || NAP_MS), Promise.race(running));
        continue;
      }
      this.#fetching.add(next.url);
      const job = this.#handle(next).finally(() => {
        this.#fetching.delete(next.url);
        running.delete(job);
      });
      running.add(job);
    }
    await Promise.all(running);
    return stopped ?? (this.#leftOut ? "page limit" : undefined);
  }

  #next(): Waiting | undefined {
    return this.#waiting((host) => this.#hosts.mayFetch(host));
  }

  /** Whether an address is left whose host is not abandoned. */
  #hasMore(): boolean {
    return this.#waiting((host) => !this.#hosts.isLost(host)) !== undefined;
  }

  /** The next address. If the site has reached its number of pages, only pages of the index are fetched again. */
  #waiting(mayFetch: (host: string) => boolean): Waiting | undefined {
    const { sites, index } = this.#deps;
    for (;;) {
      const next = sites.next(this.#site, (host) => mayFetch(host));
      if (next === undefined || !this.#isFull() || index.page(next.url) !== undefined) return next;
      sites.done(this.#site.id, next.url);
      this.#leftOut = true;
    }
  }

  #isFull(): boolean {
    return this.#pages >= this.#site.maxPages;
  }

  #remove(url: string): void {
    const { index } = this.#deps;
    if (index.page(url)?.site === this.#site.id) this.#pages -= 1;
    index.remove(url);
  }

  #mustStop(): CrawlReport["stopped"] {
    const { index, signal, maxBytes } = this.#deps;
    if (signal.aborted) return "interrupted";
    if (this.#fetches >= this.#site.maxPages * FETCHES_PER_PAGE + MORE_FETCHES) return "fetch limit";
    return index.bytes() >= maxBytes ? "full" : undefined;
  }

  async #handle({ url, depth }: Waiting): Promise<void> {
    const { sites } = this.#deps;
    let step: CrawlOutcome | Failed = new Failed("the robots.txt of its host cannot be fetched");
    await this.#hosts
      .visit(new URL(url), async (robots) => {
        step = await this.#fetch(url, depth, robots);
        return step instanceof Failed ? "failed" : step === "forbidden" ? "not asked" : "fine";
      })
      .catch((error: unknown) => void (step = failure(error)));
    const reason = step instanceof Failed ? step.reason : undefined;
    const outcome = step instanceof Failed ? "failed" : step;
    // The crawl was interrupted during this fetch: the address is fetched again later.
    if (outcome === "failed" && this.#deps.signal.aborted) return;
    sites.done(this.#site.id, url);
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    this.#deps.progress(url, outcome, reason);
  }

  async #fetch(url: string, depth: number, robots: Robots): Promise<CrawlOutcome | Failed> {
    const { index, sites } = this.#deps;
    const { pathname, search } = new URL(url);
    if (!robots.allows(pathname + search)) {
      this.#remove(url);
      return "forbidden";
    }
    const known = index.page(url);
    this.#fetches += 1;
    const response = await fetchPage(new URL(url), this.#deps, conditions(known)).catch(failure);
    if (response instanceof Failed) return response;
    const { status, headers } = response;
    if (status === 304 && known !== undefined) {
      index.touch(url);
      return "unchanged";
    }
    if (status >= 300 && status < 400) {
      sites.discover(this.#site, this.#inScope([URL.parse(headers.get("location") ?? "", url)?.href ?? ""]), depth);
      this.#remove(url);
      return "redirect";
    }
    if (status === 404 || status === 410) {
      this.#remove(url);
      sites.forget(this.#site.id, url);
      return known === undefined ? "dead link" : "removed";
    }
    if (status === 429 || status === 503) this.#hosts.leave(new URL(url).host);
    return status === 200 ? await this.#read(url, depth, response) : new Failed(`the server responded with ${status}`);
  }

  async #read(url: string, depth: number, response: WebResponse): Promise<CrawlOutcome | Failed> {
    const { index, sites, extractor } = this.#deps;
    const job = { source: fetchedSource(response), task: { kind: "index" }, mayNeedBrowser: true } as const;
    const outcome: ExtractionOutcome | Failed = await extractor.extract(job).catch(failure);
    if (outcome instanceof Failed) return outcome;
    if (
      outcome.outcome === "needs-browser" ||
      (outcome.outcome === "content" && outcome.evidence?.sign !== undefined)
    ) {
      this.#remove(url);
      return "needs a browser";
    }
    if (outcome.outcome !== "content") {
      this.#remove(url);
      return "not a page";
    }
    const { content, title, language, published, fields } = outcome.extraction;
    const says = robotsDirectives(String(fields?.["robots"] ?? ""), response.headers.get("x-robots-tag"));
    const links = fields?.["links"];
    if (!says.nofollow && depth < this.#site.depth && Array.isArray(links)) {
      sites.discover(this.#site, this.#inScope(links), depth + 1);
    }
    const canonical = this.#canonical(url, fields?.["canonical"]);
    if (says.noindex || canonical !== undefined || index.twin(title, content, url) !== undefined) {
      if (canonical !== undefined) sites.discover(this.#site, [canonical], depth);
      this.#remove(url);
      return says.noindex ? "noindex" : "duplicate";
    }
    // Other pages may have been added since this one was started.
    const isNew = index.page(url)?.site !== this.#site.id;
    if (isNew && this.#isFull()) return "left out";
    if (isNew) this.#pages += 1;
    const [etag, lastModified] = ["etag", "last-modified"].map((name) => response.headers.get(name));
    const page = { url, title, text: content, language, published, site: this.#site.id, etag, lastModified };
    return index.put(page) ? "indexed" : "unchanged";
  }

  /** The page's canonical address, if it differs and is not known to lead to no page. */
  #canonical(url: string, said: unknown): string | undefined {
    const [canonical] = this.#inScope(typeof said === "string" ? [said] : []);
    if (canonical === undefined || canonical === url) return undefined;
    const { index, sites } = this.#deps;
    // Without this, two pages that name each other as canonical would both be left out.
    const leadsNowhere =
      this.#fetching.has(canonical) || (sites.isDone(this.#site.id, canonical) && index.page(canonical) === undefined);
    return leadsNowhere ? undefined : canonical;
  }

  /** The addresses that belong to the site, normalized. */
  #inScope(urls: readonly string[]): string[] {
    return urls.flatMap((text) => {
      const href = resultUrl(text, this.#site.url);
      if (href === undefined) return [];
      const url = new URL(href);
      url.hash = "";
      return this.#site.sameHost && hostWithoutWww(url.host) !== this.#host ? [] : [url.href];
    });
  }
}

/** The fields that make a request conditional on a change of the page. */
function conditions(known: PageRow | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  if (known !== undefined && known.etag !== null) headers["if-none-match"] = known.etag;
  if (known !== undefined && known.last_modified !== null) headers["if-modified-since"] = known.last_modified;
  return headers;
}
