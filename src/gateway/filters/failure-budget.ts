/** The share of one CPU that the failures of a filter can take in the long run. @bound */
const PART = 1 / 10;
/** Milliseconds that they can take at once: two invocations that use up 5,000,000 units of fuel. @bound */
const BURST_MS = 500;

/**
 * Limits the time spent on invocations that fail and on the instances that replace the failed ones. Without it, a
 * filter that always fails would take a whole CPU. A filter that fails now and then is never delayed.
 */
export class FailureBudget {
  readonly #clock: () => number;
  #leftMs = BURST_MS;
  #since: number;

  /** `clock` returns monotonic milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#since = clock();
  }

  /** True if the filter cannot create an instance for now. */
  get isSpent(): boolean {
    this.#refill();
    return this.#leftMs <= 0;
  }

  /** Charges a failure that took `ms` milliseconds. */
  charge(ms: number): void {
    this.#refill();
    this.#leftMs -= ms;
  }

  #refill(): void {
    const now = this.#clock();
    this.#leftMs = Math.min(BURST_MS, this.#leftMs + (now - this.#since) * PART);
    this.#since = now;
  }
}
