/** A random source that a seed repeats: mulberry32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error("Cannot pick from a list: it is empty");
    return picked;
  }

  /** Sizes of up to `most` pieces that make `total`. */
  cuts(total: number, most: number): number[] {
    const sizes: number[] = [];
    for (let left = total; left > 0; ) {
      const size = sizes.length === most - 1 ? left : Math.min(left, 1 + this.below(this.below(4) === 0 ? total : 8));
      sizes.push(size);
      left -= size;
    }
    return sizes;
  }
}
