/** The least part of its weight that a server has. A server without any requests would never be seen to work. */
const LEAST_PART = 0.05;

/**
 * The part of its weight that a server has after it was added or has recovered. It grows linearly over `slow_start_ms`.
 * Each worker notices a recovery by itself when it checks whether the server is in rotation.
 */
export class SlowStart {
  readonly #ms: number;
  readonly #now: () => number;
  /** When the server was added or recovered; -Infinity: long ago. */
  #since: number;
  #wasOut = false;

  /** `ms` of 0: the whole weight at once. `now` returns monotonic milliseconds. `isNew`: the server was added while other servers were already in use. */
  constructor(ms: number, now: () => number, isNew: boolean) {
    this.#ms = ms;
    this.#now = now;
    this.#since = isNew ? now() : Number.NEGATIVE_INFINITY;
  }

  /** Records whether the server is in rotation now. */
  saw(isIn: boolean): void {
    if (isIn && this.#wasOut) this.#since = this.#now();
    this.#wasOut = !isIn;
  }

  /** The part of the weight: above 0, at most 1. */
  get part(): number {
    const part = (this.#now() - this.#since) / this.#ms;
    if (part < 1) return Math.max(part, LEAST_PART);
    this.#since = Number.NEGATIVE_INFINITY;
    return 1;
  }
}
