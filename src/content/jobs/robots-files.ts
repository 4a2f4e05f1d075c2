import { NewestMap } from "../../lib/memory/newest-map.ts";
import { fetchRobots, type SiteFetch } from "../sites/robots-file.ts";
import { type Robots } from "../sites/robots.ts";

/** Hosts whose robots.txt is kept. */
const MAX_FILES = 2_000;
/** Milliseconds for which a robots.txt is used: RFC 9309 §2.4 allows a day. One that cannot be fetched is asked for soon again. @bound */
const FRESH_MS = 12 * 3_600_000;
const FAILED_MS = 10_000;

interface Kept {
  readonly robots: Promise<Robots>;
  until: number;
}

/** The robots.txt files of hosts, each fetched once for all jobs of a service. */
export class RobotsFiles {
  readonly #fetch: Omit<SiteFetch, "signal">;
  readonly #now: () => number;
  readonly #files = new NewestMap<string, Kept>(MAX_FILES);

  constructor(fetch: Omit<SiteFetch, "signal">, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** Never fails: the result says if the rules are unknown. */
  async of(url: URL, signal: AbortSignal): Promise<Robots> {
    const known = this.#files.get(url.origin);
    if (known !== undefined && this.#now() < known.until) return await known.robots;
    const kept = { robots: fetchRobots(url, { ...this.#fetch, signal }), until: this.#now() + FRESH_MS };
    this.#files.set(url.origin, kept);
    const robots = await kept.robots;
    // A job that was cancelled must not spoil the file for others.
    if (!robots.known) kept.until = signal.aborted ? 0 : this.#now() + FAILED_MS;
    return robots;
  }
}
