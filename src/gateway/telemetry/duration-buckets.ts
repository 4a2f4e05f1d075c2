import { DURATION_BOUNDS } from "./layout.ts";

const BOUNDS_MS = DURATION_BOUNDS.map((seconds) => seconds * 1000);

/** Which of `DURATION_BOUNDS` a time falls below; the number of them where it is longer than all. */
export function bucketOf(elapsedMs: number): number {
  let bucket = 0;
  while (bucket < BOUNDS_MS.length && elapsedMs > (BOUNDS_MS[bucket] ?? 0)) bucket++;
  return bucket;
}
