import { mulberry32 } from "../../src/lib/testing/mulberry32.ts";

/** A random source that is repeatable by a seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = mulberry32(seed);
  }

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    return this.#next() % below;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error("Cannot pick from a list: it is empty");
    return picked;
  }

  /** The sizes of up to `most` pieces with the sum `total`. */
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
