import { type OverviewSnapshot as Overview } from "../shapes/overview.ts";
import { type FilterOutcomes, outcomesOf } from "./filter-outcomes.ts";
import { countedSince, type Latency, percentile } from "./latency.ts";

type FilterCounts = Overview["filters"]["entries"][number];

/** The invocations of one filter on one route between two readings. */
export interface FilterRates {
  readonly perSecond: number;
  readonly rejected: number;
  readonly failed: number;
  /** Mean per invocation; undefined without invocations. */
  readonly fuel: number | undefined;
  readonly p95: Latency | undefined;
}

/** Identifies a filter on a route. */
export function filterKey(filter: string, route: string): string {
  return `${filter} ${route}`;
}

/** The rates of each filter on each route between two readings, by `filterKey`. */
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
  const [outcomes, earlier] = [outcomesOf(now), outcomesOf(before ?? { invocations: [] })];
  return {
    perSecond: (outcomes.all - earlier.all) / seconds,
    rejected: outcomes.rejected - earlier.rejected,
    failed: failedOf(outcomes) - failedOf(earlier),
    fuel: runs === 0 ? undefined : (now.fuel - (before?.fuel ?? 0)) / runs,
    p95: percentile(bounds, invoked, 0.95),
  };
}

function failedOf({ failures }: FilterOutcomes): number {
  return failures.reduce((sum, [, count]) => sum + count, 0);
}
