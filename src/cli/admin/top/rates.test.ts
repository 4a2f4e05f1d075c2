import { expect, test } from "bun:test";
import { type OverviewSnapshot } from "../../../gateway/admin/shapes/overview.ts";
import { ratesOf } from "./rates.ts";
import { filterEntry, QUIET } from "../../../gateway/admin/testing/quiet.ts";

function snapshot(over: Partial<OverviewSnapshot> = {}): OverviewSnapshot {
  return { ...QUIET, ...over };
}

test("rates count one second, also for a new route", () => {
  const route = { client_errors: 0, server_errors: 0, request_bytes: 0, response_bytes: 0, durations: { counts: [] } };
  const before = snapshot({
    requests: 100,
    responses: { ...QUIET.responses, "4xx": 5 },
    routes: [{ ...route, route: "/a", requests: 100 }],
  });
  const now = snapshot({
    time_ms: 12_000,
    requests: 140,
    responses: { ...QUIET.responses, "4xx": 15, "5xx": 2 },
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

test("the rates of all filters are added up, by the outcome of their invocations", () => {
  const before = snapshot({ filters: { ...QUIET.filters, entries: [filterEntry({ allow: 10, fuel: 1 })] } });
  const entries = [filterEntry({ allow: 30, fuel: 3, reject: 4, gone: 2 }), filterEntry({ park: 2, busy: 2 })];
  const rates = ratesOf(before, snapshot({ time_ms: 12_000, filters: { ...QUIET.filters, entries } }));
  expect(rates?.filters).toEqual({ invocations: 16, rejected: 2, failed: 2 });
});
