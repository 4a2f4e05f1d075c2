/** A candidate, such as a server. */
export interface Choice {
  /** Stays the same over reloads and processes. */
  readonly key: string;
  /** Its weight relative to the others; with weight 0 it is never chosen. */
  readonly weight: number;
}

/**
 * Weighted rendezvous hashing: the same text leads to the same choice in every process. When a choice is removed, only
 * the texts that led to it get another one.
 */
export class Rendezvous<T extends Choice> {
  readonly #choices: readonly T[];
  readonly #seeds: readonly number[];

  constructor(choices: readonly T[]) {
    this.#choices = choices;
    this.#seeds = choices.map(({ key }) => hash(key));
  }

  /** Undefined if no choice is allowed. `avoid` is passed to `isAllowed`, so that it need not be a new function. */
  choose(text: string, isAllowed: (choice: T, avoid: T | undefined) => boolean, avoid?: T): T | undefined {
    const asked = hash(text);
    let best: T | undefined;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < this.#choices.length; at++) {
      const choice = this.#choices[at];
      if (choice === undefined || choice.weight <= 0 || !isAllowed(choice, avoid)) continue;
      // Between 0 and 1, both exclusive. The highest value of -weight / ln(share) wins as often as its weight says.
      const share = (mix(asked ^ (this.#seeds[at] ?? 0)) + 1) / 4_294_967_298;
      const score = -choice.weight / Math.log(share);
      if (score <= bestScore) continue;
      best = choice;
      bestScore = score;
    }
    return best;
  }
}

/** A 32-bit hash with a good distribution: FNV-1a, then MurmurHash3's mixer. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return mix(value);
}

function mix(bits: number): number {
  let value = bits;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
