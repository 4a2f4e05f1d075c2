import { MAX_REST_MS, type Pace } from "../../store/jobs/job-store.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";
import { MAX_CRAWL_DELAY_MS } from "../sites/polite-hosts.ts";

/** Hosts whose pace one service remembers. The host that was used longest ago is forgotten. */
const MAX_HOSTS = 10_000;
/** Milliseconds between two requests to a host that is in trouble: the least and the most. @bound */
const SLOW_MS = 1_000;
const SLOWEST_MS = 60_000;
/** Milliseconds for which a host that is in trouble, and asks for no pause, gets no request. @bound */
const PAUSE_MS = 5_000;
/** Pages of a host that are loaded at the same time, on average. */
const AT_ONCE = 4;

interface Known {
  /** By the clock. */
  nextAt: number;
  intervalMs: number;
  latencyMs: number;
  /** As it was reported last. Below 0: never. */
  reportedMs: number;
}

/** The observations of one request to a host. */
export interface Seen {
  readonly host: string;
  readonly elapsedMs: number;
  /** True if the host had too much to do, or did not respond. */
  readonly isTrouble: boolean;
  readonly retryAfterMs: number | undefined;
  /** Milliseconds that its robots.txt asks for. */
  readonly crawlDelayMs: number;
}

/**
 * The interval between this service's requests to each host: short while the host responds, and much longer after it
 * reports trouble. The store has the interval that all services keep together.
 */
export class HostPaces {
  readonly #hosts = new NewestMap<string, Known>(MAX_HOSTS);
  readonly leastMs: number;
  readonly #now: () => number;

  /** `leastMs`: milliseconds between two requests to any host. `now` gives monotonic milliseconds. */
  constructor(leastMs: number, now: () => number) {
    this.leastMs = leastMs;
    this.#now = now;
  }

  /** Milliseconds until the next request to a host, which is then reserved. `delayMs`: of the job and of robots.txt. */
  reserve(host: string, delayMs: number): number {
    const known = this.#known(host);
    const now = this.#now();
    const at = Math.max(now, known.nextAt);
    known.nextAt = at + Math.max(known.intervalMs, Math.min(delayMs, MAX_CRAWL_DELAY_MS));
    return at - now;
  }

  /** The pace of a host whose robots.txt asks for a delay that was not reported yet. */
  expect(host: string, crawlDelayMs: number): Pace | undefined {
    const known = this.#known(host);
    const delayMs = Math.min(crawlDelayMs, MAX_CRAWL_DELAY_MS);
    if (delayMs <= Math.max(known.reportedMs, this.leastMs)) return undefined;
    known.intervalMs = delayMs;
    known.reportedMs = delayMs;
    return { host, intervalMs: delayMs, pauseMs: delayMs };
  }

  /** Learns from a request. Returns the new pace if it differs much from the last one. */
  learn({ host, elapsedMs, isTrouble, retryAfterMs, crawlDelayMs }: Seen): Pace | undefined {
    const known = this.#known(host);
    known.latencyMs = known.latencyMs === 0 ? elapsedMs : known.latencyMs * 0.8 + elapsedMs * 0.2;
    const target = Math.max(this.leastMs, Math.min(crawlDelayMs, MAX_CRAWL_DELAY_MS), known.latencyMs / AT_ONCE);
    known.intervalMs = isTrouble
      ? Math.min(Math.max(known.intervalMs * 2, SLOW_MS), SLOWEST_MS)
      : Math.max(target, known.intervalMs * 0.9);
    const pauseMs = Math.min(retryAfterMs ?? (isTrouble ? PAUSE_MS : 0), MAX_REST_MS);
    known.nextAt = Math.max(known.nextAt, this.#now() + pauseMs);
    const ratio = (known.intervalMs + 1) / (known.reportedMs + 1);
    if (pauseMs === 0 && ratio < 1.25 && ratio > 0.8) return undefined;
    known.reportedMs = known.intervalMs;
    return { host, intervalMs: Math.round(known.intervalMs), pauseMs };
  }

  #known(host: string): Known {
    const known = this.#hosts.get(host) ?? { nextAt: 0, intervalMs: this.leastMs, latencyMs: 0, reportedMs: -1 };
    this.#hosts.set(host, known);
    return known;
  }
}
