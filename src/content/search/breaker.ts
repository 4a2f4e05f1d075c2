/** `half-open`: one attempt may show whether it works again. */
export type BreakerState = "closed" | "open" | "half-open";

/** Failures in a row that open a breaker. */
const MAX_FAILURES = 3;
/** Milliseconds that a breaker stays open, doubled each time that it opens again, up to the most. @bound */
const OPEN_MS = 30_000;
const MAX_OPEN_MS = 600_000;

/** How an attempt ended; `void` is one that says nothing, as where the caller had no time for it. */
export type AttemptOutcome = "success" | "failure" | "void";

/**
 * Keeps requests from what does not work.
 *
 *   closed --3 failures in a row--> open --time--> half-open --success--> closed
 *                                    ^                 |
 *                                    +-----failure-----+
 */
export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #openMs = OPEN_MS;
  /** When it may be tried again; undefined while closed. */
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

  /** Begins an attempt, and gives what must be told how it ended; undefined where none may be made now. */
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
    // Those that were under way when it opened add nothing.
    if (!probe && (this.#openUntil !== undefined || this.#failures < MAX_FAILURES)) return;
    if (probe) this.#openMs = Math.min(this.#openMs * 2, MAX_OPEN_MS);
    this.#openUntil = this.#now() + this.#openMs;
  }
}
