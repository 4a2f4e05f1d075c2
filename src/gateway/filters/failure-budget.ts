/** The part of one CPU that the failures of a filter may take in the long run. @bound */
const PART = 1 / 10;
/** Milliseconds that they may take at once: two invocations that use up 5,000,000 units of fuel. @bound */
const BURST_MS = 500;

/**
 * Bounds the time that goes into invocations that fail and into the instances that take the place of the failed ones. A filter
 * that always fails would take all of a CPU otherwise; one that fails now and then is never held up.
 */
export class FailureBudget {
  readonly #clock: () => number;
  #leftMs = BURST_MS;
  #since: number;

  /** `clock`: monotonic milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#since = clock();
  }

  /** No instance is to be made for now. */
  get isSpent(): boolean {
    this.#refill();
    return this.#leftMs <= 0;
  }

  /** A failure took so long. */
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
