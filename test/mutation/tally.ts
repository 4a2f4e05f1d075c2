import { type Verdict } from "./judge.ts";

/** Standard errors by which a sample may miss its aim. */
const STANDARD_ERRORS = 2;

/** Counts of verdicts. Only what tests noticed counts as caught: accepted survivors do not, and neither does `pinned`. */
export class Tally {
  readonly #counts = new Map<Verdict | "accepted", number>();

  add(verdict: Verdict | "accepted"): void {
    this.#counts.set(verdict, this.of(verdict) + 1);
  }

  of(verdict: Verdict | "accepted"): number {
    return this.#counts.get(verdict) ?? 0;
  }

  get total(): number {
    return this.#counts.values().reduce((sum, count) => sum + count, 0);
  }

  /** The noticed share of all mutants, hangs included, from 0 to 100. */
  get share(): number {
    return this.total === 0 ? 100 : ((this.of("caught") + this.of("hung")) / this.total) * 100;
  }

  /** Whether a share is below `least` percent by more than the chance of a sample explains. */
  isBelow(least: number): boolean {
    const error = Math.sqrt((least * (100 - least)) / Math.max(this.total, 1));
    return this.share < least - STANDARD_ERRORS * error;
  }

  toString(): string {
    const others = (["pinned", "accepted", "survived", "not reached", "unsure"] as const)
      .filter((verdict) => this.of(verdict) > 0)
      .map((verdict) => `${this.of(verdict)} ${verdict}`);
    const noticed = `${this.of("caught")} caught, ${this.of("hung")} hung`;
    return `${this.total} mutants: ${[noticed, ...others].join(", ")}: ${this.share.toFixed(1)} % noticed`;
  }
}
