import { NewestMap } from "../../lib/memory/newest-map.ts";
import { fetchRobots, type SiteFetch } from "./robots-file.ts";
import { ALLOW_NONE, type Robots } from "./robots.ts";
import { untilAborted } from "./web-get.ts";

/** Hosts whose robots.txt is kept. */
const MAX_FILES = 2_000;
/** Milliseconds for which a robots.txt is used: RFC 9309 §2.4 allows a day. One that cannot be fetched is asked for soon again. @bound */
const FRESH_MS = 12 * 3_600_000;
const FAILED_MS = 10_000;

const NEVER = new AbortController().signal;

interface KeptRobots {
  readonly robots: Promise<Robots>;
  /** Undefined until it has come. */
  file?: Robots;
  until: number;
}

/** The robots.txt files of hosts, each fetched once for all jobs and maps of a service. */
export class RobotsFiles {
  readonly #fetch: Omit<SiteFetch, "signal">;
  readonly #now: () => number;
  readonly #files = new NewestMap<string, KeptRobots>(MAX_FILES);

  constructor(fetch: Omit<SiteFetch, "signal">, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** Never fails: the result says if the rules are unknown. */
  of(url: URL, signal: AbortSignal): Promise<Robots> {
    return untilAborted(this.#file(url), signal).catch((failure: unknown) => ({ ...ALLOW_NONE, failure }));
  }

  /** The file if it has come already. */
  known(url: URL): Robots | undefined {
    return this.#files.get(url.origin)?.file;
  }

  #file(url: URL): Promise<Robots> {
    const known = this.#files.get(url.origin);
    if (known !== undefined && this.#now() < known.until) return known.robots;
    // A caller that goes away does not end the request, because others may wait for it.
    const kept: KeptRobots = {
      robots: this.#ask(url, (file) => {
        kept.file = file;
        if (!file.known) kept.until = this.#now() + FAILED_MS;
      }),
      until: this.#now() + FRESH_MS,
    };
    this.#files.set(url.origin, kept);
    return kept.robots;
  }

  async #ask(url: URL, use: (file: Robots) => void): Promise<Robots> {
    const robots = await fetchRobots(url, { ...this.#fetch, signal: NEVER });
    use(robots);
    return robots;
  }
}
