import { type OverviewSnapshot } from "../shapes/overview.ts";

/** The figures of a gateway without traffic. */
export const QUIET: OverviewSnapshot = {
  time_ms: 10_000,
  started_at_ms: 0,
  workers: [],
  requests: 0,
  responses: { "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
  request_bytes: 0,
  response_bytes: 0,
  connections_open: 0,
  requests_in_flight: 0,
  durations: { bounds_ms: [1, 10, 100], counts: [0, 0, 0, 0] },
  routes: [],
  caches: { hits: 0, misses: 0, stale: 0, revalidated: 0, bypassed: 0, entries: 0, bytes: 0 },
  upstreams: [],
  wasm: {
    park_active: 0,
    park_capacity: 64,
    pool_instances: 0,
    pool_pinned: 0,
    control_configured: false,
    control_ready: false,
    tenants_active: 0,
    tenant_hits: 0,
    tenant_misses: 0,
    tenant_evictions: 0,
  },
  filters: { bounds_ms: [], entries: [] },
  funnel: [],
  payments: {
    open: 0,
    settled: 0,
    delivered: 0,
    released: 0,
    failed: 0,
    unknown: 0,
    records_waiting: 0,
    breakers_open: 0,
  },
  log_lines_dropped: 0,
  worker_restarts: 0,
  reloads: 0,
  reload_failures: 0,
};

/** The counters of a filter, by outcome. */
export function filterEntry(counts: Readonly<Record<string, number>>): OverviewSnapshot["filters"]["entries"][number] {
  const invocations = Object.entries(counts).map(([outcome, count]) => ({ phase: "request", outcome, count }));
  return { filter: "f", route: "/", invocations, fuel: 0, seconds: 0, durations: { counts: [] } };
}
