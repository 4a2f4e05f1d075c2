import { expect, test } from "bun:test";
import { ratesOf } from "./rates.ts";
import { type Snapshot } from "./snapshot.ts";

function snapshot(over: Partial<Snapshot> = {}): Snapshot {
  return {
    time_ms: 10_000,
    started_at_ms: 0,
    workers: [],
    requests: 0,
    responses: {},
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
      park_capacity: 0,
      pool_instances: 0,
      control_configured: false,
      control_ready: false,
      tenants_active: 0,
    },
    filters: { entries: [] },
    funnel: [],
    payments: { open: 0, settled: 0, failed: 0, unknown: 0, breakers_open: 0 },
    worker_restarts: 0,
    reloads: 0,
    reload_failures: 0,
    ...over,
  };
}

test("rates count one second, also for a new route", () => {
  const route = { client_errors: 0, server_errors: 0, request_bytes: 0, response_bytes: 0, durations: { counts: [] } };
  const before = snapshot({
    requests: 100,
    responses: { "4xx": 5 },
    routes: [{ ...route, route: "/a", requests: 100 }],
  });
  const now = snapshot({
    time_ms: 12_000,
    requests: 140,
    responses: { "4xx": 15, "5xx": 2 },
    response_bytes: 2000,
    durations: { bounds_ms: [1, 10, 100], counts: [40, 0, 0, 0] },
    caches: { hits: 3, misses: 0, stale: 0, revalidated: 0, bypassed: 1, entries: 0, bytes: 0 },
    routes: [
      { ...route, route: "/a", requests: 110 },
      { ...route, route: "/b", requests: 30, server_errors: 2, durations: { counts: [0, 30, 0, 0] } },
    ],
  });
  const rates = ratesOf(before, now);
  expect(rates).toMatchObject({ requests: 20, clientErrors: 5, serverErrors: 1, bytesOut: 1000, hitPart: 0.75 });
  expect(rates?.latency.p50?.ms).toBe(0.5);
  expect(rates?.routes).toMatchObject([
    { route: "/a", requests: 5, latency: { p50: undefined } },
    { route: "/b", requests: 15, serverErrors: 1, latency: { p50: { ms: 5.5 } } },
  ]);
});

test("there are no rates across a restart of the gateway, or if no time has passed", () => {
  expect(ratesOf(snapshot({ requests: 9 }), snapshot({ time_ms: 11_000, started_at_ms: 10_500 }))).toBeUndefined();
  expect(ratesOf(snapshot(), snapshot())).toBeUndefined();
});

function entry(counts: Readonly<Record<string, number>>): Snapshot["filters"]["entries"][number] {
  return { invocations: Object.entries(counts).map(([outcome, count]) => ({ outcome, count })) };
}

test("the rates of all filters are added up, by the outcome of their invocations", () => {
  const before = snapshot({ filters: { entries: [entry({ allow: 10, fuel: 1 })] } });
  const entries = [entry({ allow: 30, fuel: 3, reject: 4, gone: 2 }), entry({ park: 2, busy: 2 })];
  const rates = ratesOf(before, snapshot({ time_ms: 12_000, filters: { entries } }));
  expect(rates?.filters).toEqual({ invocations: 16, rejected: 2, failed: 2 });
});
