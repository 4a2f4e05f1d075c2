import { type OverviewSnapshot as Overview } from "../shapes/overview.ts";
import { cacheShare } from "./cache-share.ts";
import { type FilterRates, filtersBetween } from "./filter-rates.ts";
import { countedSince, type Percentiles, percentiles } from "./latency.ts";

/** One point of the plots; null if the value is unknown, for example while the page was hidden. */
export interface Sample {
  readonly timeMs: number;
  readonly requests: number | null;
  readonly clientErrors: number | null;
  readonly serverErrors: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** The traffic of a route between two readings. Bytes are a second. */
export interface RouteRates extends Percentiles {
  readonly perSecond: number;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly bytesOut: number;
}

/** The traffic between two readings. */
export interface Window extends RouteRates {
  readonly seconds: number;
  readonly bytesIn: number;
  /** The share of requests to caches that a cache served; undefined without such requests. */
  readonly cacheHits: number | undefined;
  readonly routes: ReadonlyMap<string, RouteRates>;
  readonly filters: ReadonlyMap<string, FilterRates>;
}

/** True if the second reading is from a restarted gateway, with new counters. */
export function isRestart(before: Overview, now: Overview): boolean {
  return now.started_at_ms !== before.started_at_ms || now.requests < before.requests;
}

/** The traffic between two readings of one gateway. */
export function between(before: Overview, now: Overview): Window {
  const seconds = Math.max(0.001, (now.time_ms - before.time_ms) / 1000);
  const bounds = now.durations.bounds_ms;
  const routesBefore = new Map(before.routes.map((route) => [route.route, route]));
  const routes = new Map<string, RouteRates>();
  for (const route of now.routes) {
    const old = routesBefore.get(route.route);
    const counts = countedSince(route.durations?.counts ?? [], old?.durations?.counts);
    const rates = {
      requests: route.requests - (old?.requests ?? 0),
      clientErrors: route.client_errors - (old?.client_errors ?? 0),
      serverErrors: route.server_errors - (old?.server_errors ?? 0),
      bytesOut: (route.response_bytes - (old?.response_bytes ?? 0)) / seconds,
    };
    routes.set(route.route, { ...rates, perSecond: rates.requests / seconds, ...percentiles(bounds, counts) });
  }
  const requests = now.requests - before.requests;
  return {
    seconds,
    requests,
    perSecond: requests / seconds,
    clientErrors: now.responses["4xx"] - before.responses["4xx"],
    serverErrors: now.responses["5xx"] - before.responses["5xx"],
    bytesIn: (now.request_bytes - before.request_bytes) / seconds,
    bytesOut: (now.response_bytes - before.response_bytes) / seconds,
    cacheHits: cacheShare(before.caches, now.caches),
    ...percentiles(bounds, countedSince(now.durations.counts, before.durations.counts)),
    routes,
    filters: filtersBetween(before.filters, now.filters, seconds),
  };
}

/** The counters that a point of the plots is made from. */
export type Counters = Pick<Overview, "time_ms" | "requests" | "responses"> & {
  readonly durations: Pick<Overview["durations"], "counts">;
};

/** The point of the plots between two readings. `bounds` are those of the durations. */
export function sampleOf(before: Counters, now: Counters, bounds: readonly number[]): Sample {
  const seconds = Math.max(0.001, (now.time_ms - before.time_ms) / 1000);
  const counts = countedSince(now.durations.counts, before.durations.counts);
  const { p50, p95, p99 } = percentiles(bounds, counts);
  return {
    timeMs: now.time_ms,
    requests: (now.requests - before.requests) / seconds,
    clientErrors: (now.responses["4xx"] - before.responses["4xx"]) / seconds,
    serverErrors: (now.responses["5xx"] - before.responses["5xx"]) / seconds,
    p50: p50?.ms ?? null,
    p95: p95?.ms ?? null,
    p99: p99?.ms ?? null,
  };
}

/** A point without values. */
export function gapAt(timeMs: number): Sample {
  return { timeMs, requests: null, clientErrors: null, serverErrors: null, p50: null, p95: null, p99: null };
}
