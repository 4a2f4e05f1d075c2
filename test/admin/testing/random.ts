import { mulberry32 } from "../../../src/lib/testing/mulberry32.ts";

/** Random choices from a seed. */
export class Choices {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = mulberry32(seed);
  }

  /** From 0 to `count` - 1. */
  below(count: number): number {
    return this.#next() % count;
  }

  of<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error("Cannot choose: there is nothing");
    // One of them, which may be undefined itself.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return items[this.below(items.length)] as T;
  }
}
