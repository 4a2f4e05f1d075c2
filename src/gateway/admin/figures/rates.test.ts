import { expect, test } from "bun:test";
import { filterEntry, QUIET } from "../testing/quiet.ts";
import { type OverviewSnapshot as Overview } from "../shapes/overview.ts";
import { between, isRestart, sampleOf } from "./rates.ts";

const COUNTS = { client_errors: 1, server_errors: 2, request_bytes: 0, response_bytes: 0 };
const BEFORE: Overview = {
  ...QUIET,
  time_ms: 1_000,
  requests: 100,
  responses: { ...QUIET.responses, "4xx": 3, "5xx": 2 },
  request_bytes: 500,
  response_bytes: 700,
  caches: { ...QUIET.caches, hits: 2, stale: 3, revalidated: 4, misses: 5, bypassed: 6 },
  durations: { bounds_ms: [10, 100], counts: [100, 0, 0] },
  routes: [{ route: "/a", requests: 100, ...COUNTS, durations: { counts: [100, 0, 0] } }],
};
const NOW: Overview = {
  ...BEFORE,
  time_ms: 11_000,
  requests: 200,
  responses: { ...QUIET.responses, "4xx": 13, "5xx": 7 },
  request_bytes: 1_500,
  response_bytes: 10_700,
  durations: { bounds_ms: [10, 100], counts: [100, 100, 0] },
  caches: { ...QUIET.caches, hits: 8, stale: 4, revalidated: 5, misses: 6, bypassed: 7 },
  routes: [
    { route: "/a", requests: 150, ...COUNTS, durations: { counts: [100, 50, 0] } },
    { route: "/new", requests: 50, ...COUNTS },
  ],
};

test("rates and percentiles are those between two readings, not those since the start", () => {
  const window = between(BEFORE, NOW);
  expect(window).toMatchObject({ seconds: 10, perSecond: 10, clientErrors: 10, serverErrors: 5, bytesOut: 1_000 });
  expect([window.requests, window.bytesIn]).toEqual([100, 100]);
  expect(window.p50).toEqual({ ms: 55, isAbove: false });
  expect(window.cacheHits).toBe(0.8);
});

test("a route has its own rates, from its first reading on", () => {
  const { routes } = between(BEFORE, NOW);
  expect(routes.get("/a")).toMatchObject({ perSecond: 5, clientErrors: 0, serverErrors: 0, bytesOut: 0 });
  expect(routes.get("/a")?.p99).toEqual({ ms: 99.1, isAbove: false });
  expect(routes.get("/new")).toMatchObject({ perSecond: 5, clientErrors: 1, p50: undefined });
});

function filtersOf(entry: Parameters<typeof filterEntry>[0]): Overview["filters"] {
  return { ...QUIET.filters, entries: [filterEntry(entry)] };
}

test("the rates of a filter are those of its outcomes", () => {
  const now = { ...NOW, filters: filtersOf({ allow: 30, fuel: 3, reject: 4, gone: 3 }) };
  const { filters } = between({ ...BEFORE, filters: filtersOf({ allow: 10, fuel: 1 }) }, now);
  expect([...filters.values()]).toMatchObject([{ perSecond: 2.9, rejected: 4, failed: 2 }]);
});

test("a point of the plots is the rate since the point before", () => {
  expect(sampleOf(BEFORE, NOW, NOW.durations.bounds_ms)).toMatchObject({
    timeMs: 11_000,
    requests: 10,
    clientErrors: 1,
    serverErrors: 0.5,
    p50: 55,
  });
  expect(sampleOf(NOW, { ...NOW, time_ms: 12_000 }, NOW.durations.bounds_ms)).toMatchObject({ requests: 0, p50: null });
});

test("a restarted gateway is detected", () => {
  expect(isRestart(BEFORE, NOW)).toBe(false);
  expect(isRestart(NOW, BEFORE)).toBe(true);
  expect(isRestart(BEFORE, { ...NOW, started_at_ms: 5 })).toBe(true);
});
