import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { openStore } from "../../../store/open/open-store.ts";
import { type Store } from "../../../store/store.ts";
import { RESERVATION } from "../../../store/testing/reservation.ts";
import { COLUMN, SUPERVISOR_ROW, zoneShape } from "../../telemetry/metrics/layout.ts";
import { Funnel } from "../../telemetry/funnel.ts";
import { FilterTable } from "../../telemetry/filter-metrics.ts";
import { RouteTraffic } from "../../telemetry/route-traffic.ts";
import { Telemetry } from "../../telemetry/telemetry.ts";
import { type OverviewUpstream } from "../shapes/common.ts";
import { createOverview, type OverviewSource } from "./overview.ts";
import { readSnapshot } from "./read-snapshot.ts";

const ENDED = { status: 200, bytesReceived: 10, bytesSent: 1000, protocol: "HTTP/1.1" as const };

let folder: string;
let store: Store;
let zone: SharedZone;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-overview-"));
  store = openStore(join(folder, "ledger.db"));
  zone = SharedZone.local(zoneShape(2));
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function source(change: Partial<OverviewSource> = {}): OverviewSource {
  return { zone, upstreams: () => [], ledger: () => store.view, ...change };
}

function exchange(change: object = {}): never {
  return { ...ENDED, head: { method: "GET" }, ...change } as never;
}

test("the snapshot adds up the counts of all workers by class, route and cache", () => {
  for (const row of [1, 2]) {
    const telemetry = new Telemetry({ zone, row });
    const route = new RouteTraffic(zone, row).route("/read");
    for (const status of [200, 404, 503]) {
      telemetry.http.begin(exchange());
      telemetry.http.end(exchange({ status }), 3);
      route.count(exchange({ status }), 3);
    }
    telemetry.http.begin(exchange());
    telemetry.counts.add("connectionsOpen", 1, "tls");
    telemetry.counts.add("cacheRequests", 1, "hit");
    route.cached("hit");
    telemetry.counts.add("cacheEntries", 2);
    telemetry.counts.add("cacheBytes", 512);
    telemetry.counts.add("payments", 1, "settled");
    telemetry.counts.set("paymentsOpen", 3);
  }
  const snapshot = createOverview(source(), { startedAtMs: 17 }).snapshot();
  expect(snapshot).toMatchObject({
    started_at_ms: 17,
    requests: 8,
    responses: { "1xx": 0, "2xx": 2, "3xx": 0, "4xx": 2, "5xx": 2 },
    request_bytes: 60,
    response_bytes: 6000,
    connections_open: 2,
    requests_in_flight: 2,
    caches: { hits: 2, misses: 0, entries: 4, bytes: 1024, routes: [{ route: "/read", hits: 2, misses: 0 }] },
    payments: { open: 3, settled: 2, failed: 0 },
    workers: [
      { row: 1, pid: process.pid, requests_in_flight: 1, connections: 1 },
      { row: 2, pid: process.pid, requests_in_flight: 1, connections: 1 },
    ],
  });
  expect(snapshot.durations.bounds_ms.slice(0, 4)).toEqual([0.5, 1, 2.5, 5]);
  expect(snapshot.durations.counts.slice(0, 5)).toEqual([0, 0, 0, 6, 0]);
  expect(snapshot.routes).toMatchObject([{ route: "/read", requests: 6, client_errors: 2, server_errors: 2 }]);
  expect(snapshot.routes[0]?.durations?.counts[3]).toBe(6);
});

test("a snapshot is made at most twice a second, and read again in between", () => {
  let looks = 0;
  const upstreams = (): OverviewUpstream[] => {
    looks++;
    return [{ name: "a", servers: [] }];
  };
  let now = 1000;
  const overview = createOverview(source({ upstreams }), { startedAtMs: 0, clock: () => now });
  for (let i = 0; i < 1000; i++) overview.snapshot();
  expect(looks).toBe(1);
  expect(overview.snapshotText()).toBe(JSON.stringify(overview.snapshot()));
  now += 499;
  expect([overview.snapshot().time_ms, looks]).toEqual([1000, 1]);
  now += 1;
  expect([overview.snapshot().time_ms, looks]).toEqual([1500, 2]);
});

test("the figures of filters are by name and route, and their state is the sum of all workers", () => {
  for (const row of [1, 2]) {
    const { counts, filters } = new Telemetry({ zone, row });
    const guard = filters.filter("guard.wasm", "/api");
    guard.invoked("request", "allow", { fuel: 100, microseconds: 20, trace: undefined });
    guard.invoked("request", "fuel", { fuel: 900, microseconds: 400, trace: undefined });
    counts.set("controlConfigured", 1);
    counts.set("controlReady", row === 1 ? 1 : 0);
    counts.set("parkCapacity", 64);
    counts.add("parkActive", 1);
  }
  const overview = createOverview(source(), { startedAtMs: 0 });
  const { filters, wasm } = overview.snapshot();
  expect(filters.bounds_ms.slice(0, 4)).toEqual([0.005, 0.025, 0.1, 0.5]);
  expect(filters.entries).toEqual([
    {
      filter: "guard.wasm",
      route: "/api",
      invocations: [
        { phase: "request", outcome: "allow", count: 2 },
        { phase: "request", outcome: "fuel", count: 2 },
      ],
      fuel: 2000,
      seconds: expect.closeTo(0.000_84, 9),
      durations: { counts: [0, 2, 0, 2, 0, 0, 0, 0, 0] },
    },
  ]);
  expect(wasm).toEqual(overview.wasm());
  expect(wasm).toMatchObject({ park_active: 2, park_capacity: 128, control_configured: true, control_ready: false });
});

test("new routes and filters appear in the snapshot at once", () => {
  const overview = (): readonly string[] => {
    const { routes, filters } = readSnapshot({
      zone,
      traffic,
      filters: counts,
      funnel: new Funnel(zone, SUPERVISOR_ROW),
      upstreams: [],
      startedAtMs: 0,
      nowMs: 0,
    });
    return [...routes.map(({ route }) => route), ...filters.entries.map(({ filter }) => filter)].toSorted();
  };
  const traffic = new RouteTraffic(zone, SUPERVISOR_ROW);
  const counts = new FilterTable(zone, SUPERVISOR_ROW);
  expect(overview()).toEqual([]);
  for (const row of [1, 2]) {
    const telemetry = new Telemetry({ zone, row });
    telemetry.traffic.route(`/${row}`).count(exchange(), 3);
    telemetry.filters.filter(`${row}.wasm`, "/").notInvoked("request", "busy", undefined);
    expect(overview()).toHaveLength(2 * row);
  }
  expect(overview()).toEqual(["/1", "/2", "1.wasm", "2.wasm"]);
});

test("payments are listed by day and singly, without their signatures", async () => {
  const usdc = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
  const known = { network: "eip155:8453", asset: usdc, token: usdc, payload: '{"signature":"0xsecret"}' };
  for (const [nonce, state] of [
    ["0x1", "settled"],
    ["0x2", "unknown"],
  ] as const) {
    const { payment } = await store.ledger.reserve({ ...RESERVATION, ...known, nonce, amount: "2500000" });
    await store.ledger.move(payment, { state, lease: false, transaction: "0xabc" });
  }
  const summary = await createOverview(source(), { startedAtMs: 0 }).payments();
  const day = new Date().toISOString().slice(0, 10);
  expect(summary).toMatchObject({
    available: true,
    days: [{ day, route: "/read", amount: "2500000", payments: 1, decimals: 6, symbol: "USDC", asset: usdc }],
    open: 1,
    unknown: 1,
    owed: 1,
    recent: [
      { id: "0x2", state: "unknown", decimals: 6 },
      { id: "0x1", state: "settled", transaction: "0xabc" },
    ],
  });
  expect(JSON.stringify(summary)).not.toContain("secret");
});

function broken(): never {
  throw new Error('Cannot read the ledger "x": EIO');
}

test("the response says if nothing is sold, the ledger is unavailable, or there is no content service", async () => {
  const none = createOverview(source({ ledger: () => undefined }), { startedAtMs: 0 });
  expect(await none.payments()).toEqual({ available: false, reason: "This gateway sells nothing: it has no ledger" });
  expect(await none.content()).toMatchObject({ available: false });
  const away = createOverview(source({ ledger: broken }), { startedAtMs: 0, contentSocket: join(folder, "none.sock") });
  expect(await away.payments()).toEqual({ available: false, reason: 'Cannot read the ledger "x": EIO' });
  expect(await away.content()).toMatchObject({ available: false });
});

test("the content service is asked once a second, and the gateway stops waiting if it does not respond", async () => {
  const asked: string[] = [];
  const unix = join(folder, "content.sock");
  const server = Bun.serve({
    unix,
    fetch({ url }) {
      const { pathname } = new URL(url);
      asked.push(pathname);
      if (asked.length > 2) return new Promise<Response>(() => {});
      return Response.json(pathname === "/health" ? { status: "ok" } : { engines: { static: { waiting: 3 } } });
    },
  });
  const options = { startedAtMs: 0, contentSocket: unix };
  const overview = createOverview(source(), options);
  const responses = await Promise.all(Array.from({ length: 20 }, () => overview.content()));
  expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
  expect(responses[0]).toEqual({
    available: true,
    health: { status: "ok", figures: { engines: { static: { waiting: 3 } } } },
  });
  expect(asked.toSorted()).toEqual(["/figures", "/health"]);
  expect(await createOverview(source(), options).content()).toMatchObject({
    available: false,
    reason: "Cannot query the content service: it did not respond within 2000 ms",
  });
  await server.stop(true);
});

test("the counters of a dead worker stay, and it is no longer listed", () => {
  const telemetry = new Telemetry({ zone, row: 1 });
  telemetry.http.begin(exchange());
  zone.counters(1)[COLUMN.pid] = 0;
  const { requests, workers } = createOverview(source(), { startedAtMs: 0 }).snapshot();
  expect([requests, workers]).toEqual([1, []]);
});

test("the history has the readings of the last hour, and an overview that is at most a minute old", () => {
  let now = 1_000_000;
  const figures = createOverview(source(), { startedAtMs: 17, clock: () => now });
  expect(figures.history()).toEqual({ samples: [] });
  const { http } = new Telemetry({ zone, row: 1 });
  for (let at = 0; at < 400; at++) {
    http.begin(exchange());
    http.end(exchange(), 3);
    figures.record();
    now += 10_000;
  }
  const { samples, minute } = figures.history();
  const first = samples[0];
  const last = samples.at(-1);
  expect([samples.length, first?.requests, last?.requests, now - (last?.time_ms ?? 0)]).toEqual([360, 41, 400, 10_000]);
  expect(now - (minute?.time_ms ?? 0)).toBeWithin(40_000, 60_001);
  figures.record();
  figures.record();
  expect(figures.history().samples.at(-1)?.time_ms).toBe(now);
});
