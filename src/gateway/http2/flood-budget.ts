/** Frames that move nothing a peer may send at once: PING, SETTINGS, PRIORITY, window updates, empty DATA and the like. */
const MAX_CREDIT = 10_000;
/** Credit that comes back with time, a second. */
const CREDIT_PER_SECOND = 1000;
/** What a stream costs that is opened and thrown away, by either side's reset: 1000 at once, then 100 a second (CVE-2023-44487, CVE-2025-8671). @bound */
export const RESET_COST = 10;

/**
 * How much work without use a peer may cause. Whatever moves nothing costs credit; answers and the data that is sent give it
 * back, so a connection that works never runs out, and a flood of any kind does. Data that comes gives nothing: a byte would
 * pay for a reset. The clock is read only then. Decision 0212.
 */
export class FloodBudget {
  #credit = MAX_CREDIT;
  #refilledAt: number;
  readonly #now: () => number;

  /** `now`: milliseconds that only grow. */
  constructor(now: () => number) {
    this.#now = now;
    this.#refilledAt = now();
  }

  /** False: the peer has used up its credit, and is to be told to calm down. */
  spend(cost: number): boolean {
    this.#credit -= cost;
    if (this.#credit >= 0) return true;
    const now = this.#now();
    this.earn(Math.floor(((now - this.#refilledAt) * CREDIT_PER_SECOND) / 1000));
    this.#refilledAt = now;
    return this.#credit >= 0;
  }

  earn(credit: number): void {
    this.#credit = Math.min(this.#credit + credit, MAX_CREDIT);
  }
}
