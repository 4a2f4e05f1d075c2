import { type Random } from "../fuzz/random.ts";

/** The size of a body: mostly small, sometimes larger than any window or buffer. */
export function sizeOf(random: Random): number {
  return random.below(random.pick([1, 100, 5_000, 70_000, 400_000])) + random.below(2);
}
