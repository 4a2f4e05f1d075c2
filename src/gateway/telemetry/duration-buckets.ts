import { DURATION_BOUNDS } from "./metrics/metrics.ts";

const BOUNDS_MS = DURATION_BOUNDS.map((seconds) => seconds * 1000);

/** The index of the bucket of `DURATION_BOUNDS` for a time in milliseconds; the number of bounds for a longer time. */
export function bucketOf(elapsedMs: number): number {
  let bucket = 0;
  while (bucket < BOUNDS_MS.length && elapsedMs > (BOUNDS_MS[bucket] ?? 0)) bucket++;
  return bucket;
}
