import { type OverviewSnapshot } from "../../../gateway/admin/shapes/overview.ts";
import { outcomesOf } from "../../../gateway/admin/figures/filter-outcomes.ts";
import { cacheShare } from "../../../gateway/admin/figures/cache-share.ts";
import { countedSince, type Percentiles, percentiles } from "../../../gateway/admin/figures/latency.ts";

/** Rates per second and latencies between two snapshots. */
export interface Rates extends Omit<RouteRates, "route"> {
  readonly bytesIn: number;
  /** The share of requests to caches that a cache served. Undefined: there were no such requests. */
  readonly hitPart: number | undefined;
  readonly routes: readonly RouteRates[];
  readonly filters: FilterRates;
}

/** Invocations a second, and how many of them rejected a request or failed. */
export interface FilterRates {
  readonly invocations: number;
  readonly rejected: number;
  readonly failed: number;
}

/** The rates of one route. Counts and bytes are per second. */
export interface RouteRates {
  readonly route: string;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly bytesOut: number;
  readonly latency: Percentiles;
}

/** The rates from `before` to `now`. Undefined if the gateway was restarted in between, or no time has passed. */
export function ratesOf(before: OverviewSnapshot, now: OverviewSnapshot): Rates | undefined {
  const seconds = (now.time_ms - before.time_ms) / 1000;
  if (now.started_at_ms !== before.started_at_ms || seconds <= 0) return undefined;
  const perSecond = (a: number, b: number): number => Math.max(b - a, 0) / seconds;
  const { bounds_ms: bounds } = now.durations;
  const responded = (name: "4xx" | "5xx"): number => perSecond(before.responses[name], now.responses[name]);
  const earlier = new Map(before.routes.map((route) => [route.route, route]));
  return {
    requests: perSecond(before.requests, now.requests),
    clientErrors: responded("4xx"),
    serverErrors: responded("5xx"),
    bytesIn: perSecond(before.request_bytes, now.request_bytes),
    bytesOut: perSecond(before.response_bytes, now.response_bytes),
    latency: percentiles(bounds, countedSince(now.durations.counts, before.durations.counts)),
    hitPart: cacheShare(before.caches, now.caches),
    filters: filterRates(before, now, perSecond),
    routes: now.routes.map((route) => {
      const old = earlier.get(route.route);
      return {
        route: route.route,
        requests: perSecond(old?.requests ?? 0, route.requests),
        clientErrors: perSecond(old?.client_errors ?? 0, route.client_errors),
        serverErrors: perSecond(old?.server_errors ?? 0, route.server_errors),
        bytesOut: perSecond(old?.response_bytes ?? 0, route.response_bytes),
        latency: percentiles(bounds, countedSince(route.durations?.counts ?? [], old?.durations?.counts)),
      };
    }),
  };
}

function filterRates(
  before: OverviewSnapshot,
  now: OverviewSnapshot,
  perSecond: (a: number, b: number) => number,
): FilterRates {
  const [earlier, later] = [countsOf(before), countsOf(now)];
  return {
    invocations: perSecond(earlier.all, later.all),
    rejected: perSecond(earlier.rejected, later.rejected),
    failed: perSecond(earlier.failed, later.failed),
  };
}

function countsOf({ filters }: OverviewSnapshot): {
  readonly all: number;
  readonly rejected: number;
  readonly failed: number;
} {
  const { all, rejected, failures } = outcomesOf({ invocations: filters.entries.flatMap((one) => one.invocations) });
  return { all, rejected, failed: failures.reduce((sum, [, count]) => sum + count, 0) };
}
