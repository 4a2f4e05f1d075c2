import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { FACILITATOR_PLACES } from "../../../payments/facilitator/facilitator-observer.ts";
import { COLUMN } from "../../telemetry/metrics/layout.ts";
import {
  CACHE_RESULTS,
  CODES,
  DURATION_BOUNDS,
  PAYMENT_OUTCOMES,
  METHODS,
  PROTOCOLS,
  TRANSPORTS,
} from "../../telemetry/metrics/metrics.ts";
import { type Funnel } from "../../telemetry/funnel.ts";
import { type FilterTable } from "../../telemetry/filter-metrics.ts";
import { type RouteTraffic } from "../../telemetry/route-traffic.ts";
import { type OverviewUpstream } from "../shapes/common.ts";
import { type OverviewSnapshot } from "../shapes/overview.ts";
import { entryOf } from "../usage/funnel-history.ts";
import { readFilters, readWasm } from "./read-wasm.ts";

const BOUNDS_MS = DURATION_BOUNDS.map((seconds) => Math.round(seconds * 1e6) / 1000);
const BUCKETS = DURATION_BOUNDS.length + 1;
const CODES_PER_CLASS = 100;

/** The sources of a snapshot. Times are Unix milliseconds. */
export interface SnapshotParts {
  readonly zone: SharedZone;
  readonly traffic: RouteTraffic;
  readonly filters: FilterTable;
  readonly funnel: Funnel;
  readonly upstreams: readonly OverviewUpstream[];
  readonly startedAtMs: number;
  readonly nowMs: number;
}

/** Adds up the counters of all processes of the server, in their shared memory. */
export function readSnapshot({
  zone,
  traffic,
  filters,
  funnel,
  upstreams,
  startedAtMs,
  nowMs,
}: SnapshotParts): OverviewSnapshot {
  const rows = Array.from({ length: zone.shape.rows }, (_, row) => zone.counters(row));
  const sum = (column: number, count = 1): number => {
    let total = 0;
    for (const row of rows) for (const value of row.subarray(column, column + count)) total += value;
    return total;
  };
  const routes = traffic.read();
  const cached = routes.filter(({ cache }) => cache.some((count) => count > 0));
  return {
    time_ms: nowMs,
    started_at_ms: startedAtMs,
    workers: workersOf(rows),
    requests: sum(COLUMN.requests, PROTOCOLS.length * METHODS.length),
    responses: responsesOf(sum),
    request_bytes: sum(COLUMN.requestBytes, PROTOCOLS.length),
    response_bytes: sum(COLUMN.responseBytes, PROTOCOLS.length),
    connections_open: sum(COLUMN.connectionsOpen, TRANSPORTS.length),
    requests_in_flight: sum(COLUMN.requestsInFlight, PROTOCOLS.length),
    durations: { bounds_ms: BOUNDS_MS, counts: durationsOf(sum) },
    routes: routes.map(({ route = "", durations, ...of }) => ({
      route,
      requests: of.requests,
      client_errors: of.clientErrors,
      server_errors: of.serverErrors,
      request_bytes: of.requestBytes,
      response_bytes: of.responseBytes,
      durations: { counts: durations },
    })),
    caches: {
      ...cacheFigures(CACHE_RESULTS.map((_, index) => sum(COLUMN.cacheRequests + index))),
      entries: sum(COLUMN.cacheEntries),
      bytes: sum(COLUMN.cacheBytes),
      routes: cached.map(({ route = "", cache }) => ({ route, ...cacheFigures(cache) })),
    },
    upstreams,
    payments: paymentFigures(rows, sum),
    funnel: funnel.read().map(entryOf),
    wasm: readWasm(zone),
    filters: readFilters(filters),
    log_lines_dropped: sum(COLUMN.logLinesDropped),
    worker_restarts: sum(COLUMN.workerRestarts),
    reloads: sum(COLUMN.reloads),
    reload_failures: sum(COLUMN.reloads + 1),
  };
}

type Sum = (column: number, count?: number) => number;

function workersOf(rows: readonly Float64Array[]): OverviewSnapshot["workers"] {
  return rows.flatMap((row, index) => {
    const pid = row[COLUMN.pid] ?? 0;
    if (pid === 0) return [];
    return [
      {
        row: index,
        pid,
        started_at_ms: (row[COLUMN.startedAt] ?? 0) * 1000,
        requests_in_flight: own(row, COLUMN.requestsInFlight, PROTOCOLS.length),
        connections: own(row, COLUMN.connectionsOpen, TRANSPORTS.length),
      },
    ];
  });
}

function own(row: Float64Array, column: number, count: number): number {
  return row.subarray(column, column + count).reduce((total, value) => total + value, 0);
}

function responsesOf(sum: Sum): OverviewSnapshot["responses"] {
  const ofClass = (index: number): number =>
    PROTOCOLS.reduce(
      (total, _, protocol) =>
        total + sum(COLUMN.responses + protocol * CODES + index * CODES_PER_CLASS, CODES_PER_CLASS),
      0,
    );
  return { "1xx": ofClass(0), "2xx": ofClass(1), "3xx": ofClass(2), "4xx": ofClass(3), "5xx": ofClass(4) };
}

function durationsOf(sum: Sum): number[] {
  return Array.from({ length: BUCKETS }, (_, bucket) =>
    PROTOCOLS.reduce((total, _protocol, index) => total + sum(COLUMN.durations + index * BUCKETS + bucket), 0),
  );
}

/** `counts` is in the order of `CACHE_RESULTS`. */
function cacheFigures(counts: readonly number[]): Omit<OverviewSnapshot["caches"], "entries" | "bytes" | "routes"> {
  const [hits = 0, misses = 0, stale = 0, revalidated = 0, bypassed = 0] = counts;
  return { hits, misses, stale, revalidated, bypassed };
}

function paymentFigures(rows: readonly Float64Array[], sum: Sum): OverviewSnapshot["payments"] {
  // Processes that share a ledger all have the same counts.
  const largest = (column: number): number => Math.max(...rows.map((row) => row[column] ?? 0));
  const outcome = (name: (typeof PAYMENT_OUTCOMES)[number]): number =>
    sum(COLUMN.payments + PAYMENT_OUTCOMES.indexOf(name));
  return {
    open: largest(COLUMN.paymentsOpen),
    settled: outcome("settled"),
    delivered: outcome("delivered"),
    released: outcome("released"),
    failed: outcome("failed"),
    unknown: outcome("unknown"),
    records_waiting: largest(COLUMN.recordsWaiting),
    breakers_open: sum(COLUMN.facilitatorBreakersOpen, FACILITATOR_PLACES.length),
  };
}
