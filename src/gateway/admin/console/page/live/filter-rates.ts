import { type Overview } from "../api/shapes.ts";
import { outcomesOf } from "../../../figures/filter-outcomes.ts";
import { countedSince, type Latency, percentile } from "../../../figures/latency.ts";

type FilterCounts = Overview["filters"]["entries"][number];

/** The invocations of one filter on one route between two readings. */
export interface FilterRates {
  readonly perSecond: number;
  readonly failed: number;
  /** Mean per invocation; undefined without invocations. */
  readonly fuel: number | undefined;
  readonly p95: Latency | undefined;
}

/** Identifies a filter on a route. */
export function filterKey(filter: string, route: string): string {
  return `${filter} ${route}`;
}

/** By `filterKey`. */
export function filtersBetween(
  before: Overview["filters"],
  now: Overview["filters"],
  seconds: number,
): ReadonlyMap<string, FilterRates> {
  const earlier = new Map(before.entries.map((entry) => [filterKey(entry.filter, entry.route), entry]));
  return new Map(
    now.entries.map((entry) => {
      const key = filterKey(entry.filter, entry.route);
      return [key, ratesOf(earlier.get(key), entry, { seconds, bounds: now.bounds_ms })];
    }),
  );
}

function ratesOf(
  before: FilterCounts | undefined,
  now: FilterCounts,
  { seconds, bounds }: { readonly seconds: number; readonly bounds: readonly number[] },
): FilterRates {
  const invoked = countedSince(now.durations.counts, before?.durations.counts);
  const runs = invoked.reduce((sum, count) => sum + count, 0);
  return {
    perSecond: (outcomesOf(now).all - allOf(before)) / seconds,
    failed: failedOf(now) - failedOf(before),
    fuel: runs === 0 ? undefined : (now.fuel - (before?.fuel ?? 0)) / runs,
    p95: percentile(bounds, invoked, 0.95),
  };
}

function allOf(counts: FilterCounts | undefined): number {
  return counts === undefined ? 0 : outcomesOf(counts).all;
}

function failedOf(counts: FilterCounts | undefined): number {
  return counts === undefined ? 0 : outcomesOf(counts).failures.reduce((sum, [, count]) => sum + count, 0);
}
