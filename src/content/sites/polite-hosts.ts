import { fetchRobots, type SiteFetch } from "./robots-file.ts";
import { type Robots } from "./robots.ts";

/** Milliseconds between two requests that a site may ask for. A longer delay is shortened. */
export const MAX_CRAWL_DELAY_MS = 30_000;
/** Consecutive failures after which a crawl stops requests to a host. */
const MAX_FAILURES = 10;
/** Maximum number of hosts of a crawl. Further hosts are not requested. */
const MAX_HOSTS = 1_000;

/** The crawler's identity, its pace, and the rules for its connections. */
export interface PoliteHostsOptions extends SiteFetch {
  /** Milliseconds between two requests to a host that asks for no longer delay. */
  readonly delayMs: number;
  /** In milliseconds. */
  readonly now: () => number;
}

interface Host {
  busy: boolean;
  nextAt: number;
  failures: number;
  readonly robots: Map<string, Promise<Robots>>;
}

/**
 * The state of each host of a crawl. It allows one request to a host at a time, with the delay that the host asks for.
 */
export class PoliteHosts {
  readonly #options: PoliteHostsOptions;
  readonly #hosts = new Map<string, Host>();

  constructor(options: PoliteHostsOptions) {
    this.#options = options;
  }

  /** Whether a request to the host is allowed now. */
  mayFetch(host: string): boolean {
    const known = this.#hosts.get(host);
    if (known === undefined) return this.#hosts.size < MAX_HOSTS;
    return !known.busy && known.failures < MAX_FAILURES && known.nextAt <= this.#options.now();
  }

  /** Whether the crawl sends no more requests to the host. */
  isLost(host: string): boolean {
    const known = this.#hosts.get(host);
    return known === undefined ? this.#hosts.size >= MAX_HOSTS : known.failures >= MAX_FAILURES;
  }

  /** Stops requests to a host for the rest of the crawl, since it reported an overload. */
  leave(host: string): void {
    this.#host(host).failures = MAX_FAILURES;
  }

  /** Milliseconds until a request to some host is allowed. 0 if one is allowed now. */
  wait(): number {
    const times = [...this.#hosts.values()].filter((host) => !host.busy && host.failures < MAX_FAILURES);
    return Math.max(0, Math.min(...times.map((host) => host.nextAt)) - this.#options.now());
  }

  /**
   * Reserves the host for `use`, which returns the outcome. The delay begins after a request. If the host's robots.txt
   * cannot be fetched, the host is abandoned and `use` is not called. The call then fails like the request for
   * robots.txt.
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

  /** The site's rules for this crawler. It requests robots.txt once in a crawl. */
  robots(url: URL): Promise<Robots> {
    const { robots } = this.#host(url.host);
    return robots.getOrInsertComputed(url.protocol, () => fetchRobots(url, this.#options));
  }

  #host(name: string): Host {
    const host = this.#hosts.getOrInsertComputed(name, () => ({
      busy: false,
      nextAt: 0,
      failures: 0,
      robots: new Map(),
    }));
    return host;
  }
}
