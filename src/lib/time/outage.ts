/** Counts the failures of a service until it works again. */
export class Outage {
  readonly #now: () => number;
  #failures = 0;
  #since = 0;

  /** `now` returns milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a failure. True: the first one. */
  failed(): boolean {
    if (this.#failures === 0) this.#since = this.#now();
    this.#failures += 1;
    return this.#failures === 1;
  }

  /** The service works. Returns "after 12 failures in 40 s"; undefined if it did not fail before. */
  ended(): string | undefined {
    const count = this.#failures;
    if (count === 0) return undefined;
    this.#failures = 0;
    const seconds = Math.max(1, Math.round((this.#now() - this.#since) / 1000));
    return `after ${count} ${count === 1 ? "failure" : "failures"} in ${seconds} s`;
  }
}
