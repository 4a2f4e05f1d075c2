/**
 * Smooth weighted turns: at every turn each candidate gains its weight. The candidate with the highest total is taken,
 * and the sum of all weights is subtracted from its total. Weights 5, 1 and 1 give `aabacaa`, not `aaaaabc`.
 *
 *   gain(index, weight) for each candidate → taken()
 */
export class SmoothTurns {
  readonly #credit: Float64Array;
  #total = 0;
  #best = -1;

  /** `count`: the number of candidates, which are known by their index. */
  constructor(count: number) {
    this.#credit = new Float64Array(count);
  }

  gain(at: number, weight: number): void {
    const credit = this.#creditOf(at) + weight;
    this.#credit[at] = credit;
    this.#total += weight;
    if (this.#best === -1 || credit > this.#creditOf(this.#best)) this.#best = at;
  }

  /** The index of the candidate whose turn it is; -1 if there were no candidates. The next turn begins. */
  taken(): number {
    const best = this.#best;
    if (best !== -1) this.#credit[best] = this.#creditOf(best) - this.#total;
    this.#total = 0;
    this.#best = -1;
    return best;
  }

  #creditOf(at: number): number {
    return this.#credit[at] ?? 0;
  }
}
