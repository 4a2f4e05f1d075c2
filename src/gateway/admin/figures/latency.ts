/** A latency in milliseconds. `isAbove`: the latency is above the histogram's last bound, and `ms` is this bound. */
export interface Latency {
  readonly ms: number;
  readonly isAbove: boolean;
}

/**
 * The latency that a share of requests (0.5, 0.95, 0.99) does not exceed, interpolated within its bucket; undefined
 * without requests. `counts` has one entry per bucket, and a last one for latencies above the last bound.
 */
export function percentile(bounds: readonly number[], counts: readonly number[], share: number): Latency | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return undefined;
  const rank = share * total;
  let below = 0;
  for (const [at, bound] of bounds.entries()) {
    const count = counts[at] ?? 0;
    if (count > 0 && below + count >= rank) {
      const lower = bounds[at - 1] ?? 0;
      return { ms: lower + (bound - lower) * ((rank - below) / count), isAbove: false };
    }
    below += count;
  }
  return { ms: bounds.at(-1) ?? 0, isAbove: true };
}

/** The latencies that 50 %, 95 % and 99 % of the requests do not exceed. */
export interface Percentiles {
  readonly p50: Latency | undefined;
  readonly p95: Latency | undefined;
  readonly p99: Latency | undefined;
}

/** `counts` as for `percentile`. */
export function percentiles(bounds: readonly number[], counts: readonly number[]): Percentiles {
  return {
    p50: percentile(bounds, counts, 0.5),
    p95: percentile(bounds, counts, 0.95),
    p99: percentile(bounds, counts, 0.99),
  };
}

/** The counts between two readings. If the counters were reset, they count from 0. */
export function countedSince(now: readonly number[], before: readonly number[] | undefined): readonly number[] {
  const wasReset = before !== undefined && now.some((count, at) => count < (before[at] ?? 0));
  return wasReset || before === undefined ? now : now.map((count, at) => count - (before[at] ?? 0));
}
