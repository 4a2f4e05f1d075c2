/** `half-open`: one attempt may show whether it works again. */
export type BreakerState = "closed" | "open" | "half-open";

/** Consecutive failures that open a breaker. */
const MAX_FAILURES = 3;
/** Milliseconds that a breaker stays open. The time doubles each time that it opens again, up to the maximum. @bound */
const OPEN_MS = 30_000;
const MAX_OPEN_MS = 600_000;

/** The outcome of an attempt. `void` proves nothing, for example if the caller had too little time. */
export type AttemptOutcome = "success" | "failure" | "void";

/**
 * Stops requests to a provider that keeps failing.
 *
 *   closed --3 failures in a row--> open --time--> half-open --success--> closed
 *                                    ^                 |
 *                                    +-----failure-----+
 */
export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #openMs = OPEN_MS;
  /** The time at which an attempt is allowed again. Undefined while closed. */
  #openUntil: number | undefined;
  #probing = false;

  /** `now` is in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get state(): BreakerState {
    if (this.#openUntil === undefined) return "closed";
    return this.#now() < this.#openUntil ? "open" : "half-open";
  }

  /**
   * Begins an attempt. Returns the function that must be called with its outcome, or undefined if no attempt is allowed
   * now.
   */
  attempt(): ((outcome: AttemptOutcome) => void) | undefined {
    const { state } = this;
    if (state === "open" || (state === "half-open" && this.#probing)) return undefined;
    const probe = state === "half-open";
    if (probe) this.#probing = true;
    return (outcome) => {
      if (probe) this.#probing = false;
      if (outcome === "success") this.#close();
      if (outcome === "failure") this.#fail(probe);
    };
  }

  #close(): void {
    this.#failures = 0;
    this.#openMs = OPEN_MS;
    this.#openUntil = undefined;
  }

  #fail(probe: boolean): void {
    this.#failures += 1;
    // Attempts that were under way when the breaker opened do not count.
    if (!probe && (this.#openUntil !== undefined || this.#failures < MAX_FAILURES)) return;
    if (probe) this.#openMs = Math.min(this.#openMs * 2, MAX_OPEN_MS);
    this.#openUntil = this.#now() + this.#openMs;
  }
}
