import { NewestMap } from "../../../lib/memory/newest-map.ts";

/** Endpoints whose failures are remembered; beyond it the oldest is forgotten. A configuration names only a few. */
const MAX_ENDPOINTS = 64;
/** Failures in a row after which an endpoint is paused. */
const FAILURES_BEFORE_REST = 3;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;

interface Standing {
  failures: number;
  until: number;
}

/** The endpoints that failed recently. Callers skip them, so that they do not wait for one timeout after the other. */
export class RestingEndpoints {
  readonly #standing = new NewestMap<string, Standing>(MAX_ENDPOINTS);
  readonly #now: () => number;

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** True if the endpoint is paused. */
  rests(url: string): boolean {
    return this.#now() < (this.#standing.get(url)?.until ?? 0);
  }

  /** Counts a failure. Returns true if it is the first in a row. */
  failed(url: string): boolean {
    const failures = (this.#standing.get(url)?.failures ?? 0) + 1;
    const beyond = failures - FAILURES_BEFORE_REST;
    const rest = beyond < 0 ? 0 : Math.min(FIRST_REST_MS * 2 ** Math.min(beyond, 30), LONGEST_REST_MS);
    this.#standing.set(url, { failures, until: this.#now() + rest });
    return failures === 1;
  }

  /** Clears the failures of an endpoint. Returns true if there were any. */
  responded(url: string): boolean {
    return this.#standing.delete(url);
  }
}
