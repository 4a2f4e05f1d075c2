/** Endpoints that are remembered; a configuration names a few. */
const MAX_ENDPOINTS = 64;
/** Failures in a row after which an endpoint is let alone for a while. */
const FAILURES_BEFORE_REST = 3;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;

interface Standing {
  failures: number;
  /** Unix milliseconds. */
  until: number;
}

/** Which endpoints have failed of late, so that nobody waits for one after the other of their time-outs. */
export class RestingEndpoints {
  readonly #standing = new Map<string, Standing>();

  /** True where it should not be asked now. `now` in milliseconds. */
  rests(url: string, now: number): boolean {
    return now < (this.#standing.get(url)?.until ?? 0);
  }

  /** It failed. True where it had not before. */
  failed(url: string, now: number): boolean {
    const failures = (this.#standing.get(url)?.failures ?? 0) + 1;
    const beyond = failures - FAILURES_BEFORE_REST;
    const rest = beyond < 0 ? 0 : Math.min(FIRST_REST_MS * 2 ** Math.min(beyond, 30), LONGEST_REST_MS);
    this.#standing.delete(url);
    if (this.#standing.size >= MAX_ENDPOINTS) this.#dropOldest();
    this.#standing.set(url, { failures, until: now + rest });
    return failures === 1;
  }

  /** It did what it was asked. True where it had failed before. */
  answered(url: string): boolean {
    return this.#standing.delete(url);
  }

  #dropOldest(): void {
    for (const url of this.#standing.keys()) {
      this.#standing.delete(url);
      return;
    }
  }
}
