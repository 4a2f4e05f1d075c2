/** The least part of its weight that a server has: one that got nothing would never be seen to work. */
const LEAST_PART = 0.05;

/**
 * How much of its weight a server has that has just come, or come back: it grows evenly over `slow_start_ms`. Each worker
 * finds out by itself, as it looks whether the server is in rotation.
 */
export class SlowStart {
  readonly #ms: number;
  readonly #now: () => number;
  /** When it came; -Infinity: long ago. */
  #since: number;
  #wasOut = false;

  /** `now` is monotonic, in milliseconds. `isNew`: it comes to others that serve already. */
  constructor(ms: number, now: () => number, isNew: boolean) {
    this.#ms = ms;
    this.#now = now;
    this.#since = isNew ? now() : Number.NEGATIVE_INFINITY;
  }

  /** Notes whether the server is in rotation now. */
  saw(isIn: boolean): void {
    if (isIn && this.#wasOut) this.#since = this.#now();
    this.#wasOut = !isIn;
  }

  /** Of the weight, above 0 and up to 1. */
  get part(): number {
    if (this.#since === Number.NEGATIVE_INFINITY) return 1;
    const part = (this.#now() - this.#since) / this.#ms;
    if (part < 1) return Math.max(part, LEAST_PART);
    this.#since = Number.NEGATIVE_INFINITY;
    return 1;
  }
}
