/** What can be chosen. */
export interface Choice {
  /** Stays the same over reloads and processes. */
  readonly key: string;
  /** Its share; one of 0 is never chosen. */
  readonly weight: number;
}

/**
 * Weighted rendezvous hashing: the same choice for the same text wherever it is made. Without one of the choices, only the
 * texts that had it get another one.
 */
export class Rendezvous<T extends Choice> {
  readonly #choices: readonly T[];
  readonly #seeds: readonly number[];

  constructor(choices: readonly T[]) {
    this.#choices = choices;
    this.#seeds = choices.map(({ key }) => hash(key));
  }

  /** Undefined where none is allowed. `isAllowed` is asked with `avoid`, so that it need not be made anew for each text. */
  choose(text: string, isAllowed: (choice: T, avoid: T | undefined) => boolean, avoid?: T): T | undefined {
    const asked = hash(text);
    let best: T | undefined;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < this.#choices.length; at++) {
      const choice = this.#choices[at];
      if (choice === undefined || choice.weight <= 0 || !isAllowed(choice, avoid)) continue;
      // Between 0 and 1, neither included: the highest of -weight / ln(share) wins as often as its weight says.
      const share = (mix(asked ^ (this.#seeds[at] ?? 0)) + 1) / 4_294_967_298;
      const score = -choice.weight / Math.log(share);
      if (score <= bestScore) continue;
      best = choice;
      bestScore = score;
    }
    return best;
  }
}

/** A 32-bit hash that spreads well: FNV-1a, then MurmurHash3's mixer. */
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
