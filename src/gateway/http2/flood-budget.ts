/**
 * HTTP/2 frames that move no data, such as PING and SETTINGS, which a connection may send at once. A reset stream counts
 * as 10. @operator
 */
const MAX_CREDIT = 10_000;
/** Credit that is restored in a second. */
const CREDIT_PER_SECOND = 1000;
/**
 * The cost of a stream that either side opens and resets: 1000 streams at once, then 100 a second (CVE-2023-44487,
 * CVE-2025-8671). @bound
 */
export const RESET_COST = 10;

/**
 * Limits the useless work that a peer can cause. Frames that move no data cost credit. Responses and sent data restore
 * it, so a working connection never runs out of credit, but a flood does. Received data restores nothing, because
 * otherwise a single byte would pay for a reset. The clock is read only when no credit is left. Decision 0212.
 */
export class FloodBudget {
  #credit = MAX_CREDIT;
  #refilledAt: number;
  readonly #now: () => number;

  /** `now` returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
    this.#refilledAt = now();
  }

  /** Returns false if the peer has used up its credit: the connection must end with ENHANCE_YOUR_CALM. */
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
