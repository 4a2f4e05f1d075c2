import { egressError } from "../egress/guard.ts";
import { WebError } from "../sites/web-get.ts";
import { RedirectError } from "../page/page-errors.ts";
import { messageOf } from "../../lib/caught.ts";
import { pause } from "../../lib/time/pause.ts";
import { ERRORS, TurnpikeError } from "../../lib/errors.ts";
import { retryWaitMs } from "../../lib/http/retry-after.ts";
import {
  type Claim,
  type Finished,
  type Job,
  type JobStore,
  MOST_TRIES,
  type Outcome,
  POSTPONED,
  type Stored,
  type Taken,
} from "../../store/jobs/job-store.ts";
import { RemovedError } from "../changes/removed-error.ts";
import { LoadStatusError } from "../page/page-errors.ts";
import { type SiteFetch } from "../sites/robots-file.ts";
import { robotsDirectives } from "../sites/robots-directives.ts";
import { sitemapPages } from "../sites/sitemaps.ts";
import { NEARLY_EQUAL } from "../extraction/sketch.ts";
import { type LoadedPage, type OpenCrawl } from "./crawl-order.ts";
import { type HostPaces, type Seen } from "./host-paces.ts";
import { type RobotsFiles } from "../sites/robots-files.ts";
import { type Robots } from "../sites/robots.ts";
import { type Scope, SITEMAPS, SITEMAPS_KIND, withoutCodes } from "./scope.ts";
import { Soft404 } from "./soft-404.ts";

/** Milliseconds until a page is tried again, after its first and its second failure. */
const AGAIN_MS = [5_000, 30_000];
/** Addresses of a sitemap that are added together. */
const SITEMAP_PIECE = 1_000;
/** Statuses of a server that has too much to do. */
const BUSY_STATUS = new Set([429, 503]);
/** Statuses of a page that does not exist. */
const GONE_STATUS = new Set([404, 410]);

/** A client that names a page is no crawler (RFC 9309 §1): its request is not subject to robots.txt. */
const NO_RULES = { known: true, allows: () => true, crawlDelay: undefined } as const;

/** The parts of a service that a crawl uses. */
export interface CrawlDeps {
  readonly store: Pick<JobStore, "finish">;
  readonly paces: HostPaces;
  readonly robots: RobotsFiles;
  readonly fetch: Omit<SiteFetch, "signal">;
  /** The percentage of its price for a page from the cache. */
  readonly hitPrice: number;
  /** Monotonic milliseconds, and Unix milliseconds. */
  readonly now: () => number;
  readonly unixNow: () => number;
}

/** One crawl in one service: it does the task of each address. */
export class Crawl {
  readonly #deps: CrawlDeps;
  readonly #job: Job;
  readonly #open: OpenCrawl;
  readonly #scope: Scope;
  readonly #signal: AbortSignal;
  readonly #soft404: Soft404;

  constructor(
    deps: CrawlDeps,
    job: Job,
    { open, scope, signal }: { open: OpenCrawl; scope: Scope; signal: AbortSignal },
  ) {
    this.#deps = deps;
    this.#job = job;
    this.#open = open;
    this.#scope = scope;
    this.#signal = signal;
    this.#soft404 = new Soft404(job.id, (url, taken) => this.#probe(url, taken));
  }

  /** Does the task of an address. Never fails, except if the store does. */
  async handle(taken: Taken): Promise<Outcome> {
    if (taken.tries % POSTPONED > MOST_TRIES)
      return ended(failure(taken, "abandoned", "It ended every service that loaded it"));
    return taken.task === SITEMAPS ? await this.#sitemaps(taken) : await this.#page(taken);
  }

  async #sitemaps(taken: Taken): Promise<Outcome> {
    const fetch = { ...this.#deps.fetch, signal: this.#signal };
    const source = {
      start: new URL(taken.url),
      isOwn: this.#scope.isOwn,
      robots: (url: URL) => this.#deps.robots.of(url, this.#signal),
    };
    for await (const pages of sitemapPages(source, fetch)) {
      for (let at = 0; at < pages.length; at += SITEMAP_PIECE) {
        const leftOut = {};
        const links = pages.slice(at, at + SITEMAP_PIECE).map(({ url }) => url);
        const found = this.#scope.choose(links, taken.url, 0, leftOut);
        await this.#deps.store.finish(this.#job, { finished: [], found, leftOut });
      }
    }
    return ended({ taken, kind: SITEMAPS_KIND });
  }

  async #page(taken: Taken): Promise<Outcome> {
    const url = new URL(taken.url);
    const { given = false } = this.#open.order;
    const robots = given ? NO_RULES : await this.#deps.robots.of(url, this.#signal);
    if (!robots.known) {
      const { failure: cause } = robots;
      // The rules of this service forbid the host: another try has the same end.
      if (cause instanceof WebError && cause.reason === "refused")
        return ended(loadFailure(taken, egressError(cause.reason)));
      return ended(this.#retried(taken, "robots-unreachable", "The site's robots.txt cannot be fetched"));
    }
    if (!robots.allows(url.pathname + url.search)) {
      return ended(failure(taken, "robots-forbidden", "The site's robots.txt forbids it"));
    }
    const crawlDelayMs = crawlDelayOf(robots);
    const expected = this.#deps.paces.expect(taken.host, crawlDelayMs);
    // Other services must know it before their next request.
    if (expected !== undefined)
      await this.#deps.store.finish(this.#job, { finished: [], found: [], paces: [expected] });
    await this.#turn(taken, crawlDelayMs);
    const startedAt = this.#deps.now();
    const outcome = await this.#load(taken, url);
    const tellsOfHost =
      outcome instanceof TurnpikeError ? ERRORS[outcome.code].origin !== "gateway" : !outcome.isCached;
    const pace = !tellsOfHost
      ? undefined
      : this.#deps.paces.learn({
          host: taken.host,
          elapsedMs: this.#deps.now() - startedAt,
          ...troubleOf(outcome, this.#deps.unixNow()),
          crawlDelayMs,
        });
    const paces = pace === undefined ? [] : [pace];
    if (!(outcome instanceof TurnpikeError)) {
      if (given) return { ...ended(this.#delivery(taken, outcome)), paces };
      return { ...(await this.#loaded(taken, outcome)), paces };
    }
    const { code, message } = outcome;
    return {
      ...ended(isTransient(outcome) ? this.#retried(taken, code, message) : loadFailure(taken, outcome)),
      paces,
    };
  }

  /** Waits until the host of an address may get the next request. */
  async #turn({ host }: Taken, crawlDelayMs: number): Promise<void> {
    await pause(this.#deps.paces.reserve(host, Math.max(crawlDelayMs, this.#open.order.delay * 1_000)), this.#signal);
  }

  /** Loads a random address of a site by the rules for its pages. */
  async #probe(url: URL, taken: Taken): Promise<LoadedPage | undefined> {
    const robots = await this.#deps.robots.of(url, this.#signal);
    if (!robots.known || !robots.allows(url.pathname)) return undefined;
    await this.#turn(taken, crawlDelayOf(robots));
    const page = await this.#load(taken, url);
    return page instanceof TurnpikeError ? undefined : page;
  }

  async #load(taken: Taken, url: URL): Promise<LoadedPage | TurnpikeError> {
    try {
      return await this.#open.load(url, this.#signal);
    } catch (error) {
      if (error instanceof TurnpikeError) return error;
      return new TurnpikeError("internal", `Cannot load ${taken.url}: ${messageOf(error)}`);
    }
  }

  async #loaded(taken: Taken, page: LoadedPage): Promise<Outcome> {
    const leftOut: Record<string, number> = {};
    const final = this.#scope.normal(page.finalUrl, taken.url);
    if (final !== undefined && final.href !== taken.url) {
      const found = this.#scope.choose([final.href], taken.url, taken.depth, leftOut);
      if (found.length > 0) return { finished: [{ taken, kind: "redirect" }], found, leftOut };
      if (!this.#scope.isOwn(final)) {
        return {
          ...ended(failure(taken, "redirected-out", `It redirects to ${final.href}, which is not of the crawl`)),
          leftOut,
        };
      }
    }
    if (await this.#soft404.is(taken, page)) {
      return {
        ...ended(failure(taken, "soft-404", "Its text says that it does not exist, but its status is a success")),
        leftOut,
      };
    }
    const { links, robots } = page.fields ?? {};
    const directives = robotsDirectives(typeof robots === "string" ? robots : "", page.robotsTag);
    const follows =
      !directives.nofollow && this.#open.order.sitemap !== "only" && this.#scope.isOwn(new URL(taken.url));
    const found =
      follows && Array.isArray(links) ? this.#scope.choose(links, page.finalUrl, taken.depth + 1, leftOut) : [];
    if (directives.noindex && this.#open.order.skip_noindex) {
      return { finished: [failure(taken, "noindex", "The page asks not to be indexed")], found, leftOut };
    }
    if (page.isUnchanged === true) return { finished: [{ taken, kind: "unchanged" }], found, leftOut };
    const finished = [this.#delivery(taken, page, directives.noindex ? { noindex: true } : {})];
    return { finished, claims: this.#claims(taken, page), found, leftOut };
  }

  learn({ finished, claims }: Outcome, { isAlike }: Stored): void {
    const [page] = finished;
    if (claims !== undefined && page !== undefined) this.#scope.learn(new URL(page.taken.url), isAlike);
  }

  /** The names by which a page is like another one of the job: of its content, its canonical address, and most of its text. */
  #claims(taken: Taken, { content, fields = {} }: LoadedPage): readonly Claim[] {
    const own = new URL(taken.url);
    const spaced = content.replace(/\s+/g, " ").trim();
    // A page whose address may name a visit has links that name others.
    const text = withoutCodes(own.href) === own.href ? spaced : withoutCodes(spaced);
    const names = [`content ${Bun.hash.xxHash64(text)} ${text.length}`];
    const claims: Claim[] = [{ names, most: 1, kind: "duplicate" }];
    const { canonical, sketch } = fields;
    const said = typeof canonical === "string" ? this.#scope.normal(canonical, taken.url) : undefined;
    // Sites often give one canonical address to different pages, so it counts only if it differs in nothing but the query.
    const isOwn = said !== undefined && said.origin === own.origin && said.pathname === own.pathname;
    if (isOwn) claims.push({ names: [`canonical ${said.href}`], most: 1, kind: "duplicate" });
    const { near_duplicates: near = "deliver" } = this.#open.order;
    if (near === "deliver" || !Array.isArray(sketch) || sketch.length === 0) return claims;
    const place = near === "same-path" ? own.pathname : "";
    const groups = sketch.map((group: string, at) => `text ${at} ${group} ${place}`);
    return [...claims, { names: groups, most: NEARLY_EQUAL, kind: "near-duplicate" }];
  }

  #delivery(taken: Taken, page: LoadedPage, about: object = {}): Finished {
    const result = packed({ url: taken.url, depth: taken.depth, ...page.result, ...about });
    return { taken, kind: "delivered", result, saved: page.isCached ? 100 - this.#deps.hitPrice : 0 };
  }

  /** The end of a failure that may pass, or a further try. */
  #retried(taken: Taken, kind: string, text: string): Finished {
    const againMs = AGAIN_MS[Math.floor(taken.tries / POSTPONED)];
    return againMs === undefined ? failure(taken, kind, text) : { taken, kind, againMs };
  }
}

function ended(finished: Finished): Outcome {
  return { finished: [finished], found: [] };
}

function failure(taken: Taken, kind: string, error: string, about: object = {}): Finished {
  return { taken, kind, result: packed({ url: taken.url, depth: taken.depth, error, kind, ...about }) };
}

/** The end of a page that cannot be loaded, and could not be if it was tried again. */
function loadFailure(taken: Taken, error: TurnpikeError): Finished {
  if (error instanceof RemovedError) return failure(taken, "removed", error.message, { changes: error.changes });
  if (error instanceof RedirectError) return failure(taken, "redirect-loop", error.message);
  const isGone = GONE_STATUS.has(error.members.page_status ?? 0);
  return failure(taken, isGone ? "not-found" : error.code, error.message);
}

function packed(result: object): Uint8Array {
  return Bun.zstdCompressSync(JSON.stringify(result));
}

/** The JSON of a result. */
export function unpacked(body: Uint8Array): string {
  return Bun.zstdDecompressSync(body).toString();
}

function crawlDelayOf({ crawlDelay = 0 }: Pick<Robots, "crawlDelay">): number {
  return crawlDelay * 1_000;
}

function isTransient(error: TurnpikeError): boolean {
  if (error instanceof RedirectError) return false;
  const { page_status: status = 500 } = error.members;
  return ERRORS[error.code].retryable && error.code !== "page-empty" && (status >= 500 || status === 429);
}

function troubleOf(outcome: LoadedPage | TurnpikeError, now: number): Pick<Seen, "isTrouble" | "retryAfterMs"> {
  if (!(outcome instanceof TurnpikeError)) return { isTrouble: false, retryAfterMs: undefined };
  const isBusy = BUSY_STATUS.has(outcome.members.page_status ?? 0);
  const said = isBusy && outcome instanceof LoadStatusError ? outcome.retryAfter : undefined;
  return {
    isTrouble: isBusy || outcome.code === "page-timeout",
    retryAfterMs: retryWaitMs(said, now),
  };
}
