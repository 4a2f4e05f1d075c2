import { type EgressOptions } from "../../egress/guard.ts";
import { type WebResponse, webGet } from "../web-get.ts";
import { ALLOW_ALL, ALLOW_NONE, MAX_ROBOTS_BYTES, parseRobots, type Robots } from "./robots.ts";

/** The longest that a site may have us wait between two requests, in milliseconds. */
const MAX_CRAWL_DELAY_MS = 30_000;
/** Failures in a row after which a host is left alone for the rest of a crawl. */
const MAX_FAILURES = 10;
/** Hosts that a crawl gets to know; more are left alone. */
const MAX_HOSTS = 1_000;

/** Milliseconds for one request of a crawl. @bound */
export const FETCH_TIMEOUT_MS = 20_000;

/** What robots.txt calls us. */
export const CRAWLER_TOKEN = "turnpike";

export interface MannersOptions {
  readonly egress: EgressOptions;
  readonly userAgent: string;
  /** Milliseconds between two requests to a host that asks for no more. */
  readonly delayMs: number;
  /** In milliseconds. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

interface Host {
  busy: boolean;
  nextAt: number;
  failures: number;
  readonly robots: Map<string, Promise<Robots>>;
}

/** What a crawl knows of the hosts it asks, so that each is asked for one thing at a time and as often as it likes. */
export class HostManners {
  readonly #options: MannersOptions;
  readonly #hosts = new Map<string, Host>();

  constructor(options: MannersOptions) {
    this.#options = options;
  }

  /** Whether the host may be asked now. */
  mayFetch(host: string): boolean {
    const known = this.#hosts.get(host);
    if (known === undefined) return this.#hosts.size < MAX_HOSTS;
    return !known.busy && known.failures < MAX_FAILURES && known.nextAt <= this.#options.now();
  }

  /** Whether the host is left alone for good. */
  isLost(host: string): boolean {
    const known = this.#hosts.get(host);
    return known === undefined ? this.#hosts.size >= MAX_HOSTS : known.failures >= MAX_FAILURES;
  }

  /** Leaves a host alone for the rest of the crawl: it said that it has too much to do. */
  leave(host: string): void {
    this.#host(host).failures = MAX_FAILURES;
  }

  /** Milliseconds until some host may be asked again; 0 where one may be now. */
  wait(): number {
    const times = [...this.#hosts.values()].filter((host) => !host.busy && host.failures < MAX_FAILURES);
    return Math.max(0, Math.min(...times.map((host) => host.nextAt)) - this.#options.now());
  }

  /**
   * Has the host to itself for `use`, which tells how the host did; where it was asked, it then has its rest. A host
   * whose robots.txt cannot be had is left alone, and `use` not called: it fails as the request for robots.txt did.
   */
  async visit(url: URL, use: (robots: Robots) => Promise<"fine" | "failed" | "not asked">): Promise<void> {
    const host = this.#host(url.host);
    host.busy = true;
    let delayMs = this.#options.delayMs;
    try {
      const robots = await this.robots(url);
      if (!robots.known) {
        host.failures = MAX_FAILURES;
        if (robots.failure !== undefined) throw robots.failure;
        return;
      }
      delayMs = Math.max(delayMs, Math.min((robots.crawlDelay ?? 0) * 1_000, MAX_CRAWL_DELAY_MS));
      const how = await use(robots);
      if (how === "not asked") delayMs = 0;
      else if (how === "failed") host.failures += 1;
      else host.failures = 0;
    } finally {
      host.busy = false;
      host.nextAt = this.#options.now() + delayMs;
    }
  }

  /** What the site's robots.txt says to us; asked for once a crawl. */
  robots(url: URL): Promise<Robots> {
    const { robots } = this.#host(url.host);
    const known = robots.get(url.protocol);
    if (known !== undefined) return known;
    const asked = this.#askRobots(new URL("/robots.txt", url));
    robots.set(url.protocol, asked);
    return asked;
  }

  #host(name: string): Host {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = { busy: false, nextAt: 0, failures: 0, robots: new Map() };
      this.#hosts.set(name, host);
    }
    return host;
  }

  async #askRobots(url: URL): Promise<Robots> {
    const { egress, userAgent, signal } = this.#options;
    let response: WebResponse;
    try {
      response = await webGet({
        url,
        headers: { accept: "text/plain", "user-agent": userAgent },
        // What is longer is cut by the parser, and what is much longer is no robots.txt.
        maxBytes: MAX_ROBOTS_BYTES * 4,
        egress,
        // RFC 9309 §2.3.1.2: redirects are followed, to other hosts as well.
        redirects: "any-origin",
        signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
      });
    } catch (error) {
      return { ...ALLOW_NONE, failure: error };
    }
    if (response.status === 200) return parseRobots(new TextDecoder().decode(response.body), CRAWLER_TOKEN);
    // §2.3.1.3: there is no such file; §2.3.1.4: it cannot be had.
    return response.status >= 400 && response.status < 500 && response.status !== 429 ? ALLOW_ALL : ALLOW_NONE;
  }
}
