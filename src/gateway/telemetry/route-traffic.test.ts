import { expect, test } from "bun:test";
import { SharedZone } from "../../lib/memory/shared-zone.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { ROUTE_ROWS, zoneShape } from "./metrics/layout.ts";
import { DURATION_BOUNDS } from "./metrics/metrics.ts";
import { RouteTraffic } from "./route-traffic.ts";

/** The members of an ended exchange that are read. */
function ended(status: number, bytesReceived = 0, bytesSent = 0): Exchange {
  return { status, bytesReceived, bytesSent } as Exchange;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

test("a route's requests, durations, bytes and errors are summed over workers", () => {
  const zone = SharedZone.local(zoneShape(2));
  const [one, other] = [new RouteTraffic(zone, 1), new RouteTraffic(zone, 2)];
  const route = one.route("/a");
  route.count(ended(200, 1, 10), 0.2);
  route.count(ended(404, 2, 20), 0.5);
  other.route("/a").count(ended(503, 4, 40), 0.6);
  other.route("/b").count(ended(200), 1e9);
  const read = new RouteTraffic(zone, 0).read();
  const a = read.find(({ route: name }) => name === "/a");
  expect(a).toMatchObject({ requests: 3, clientErrors: 1, serverErrors: 1, requestBytes: 7, responseBytes: 70 });
  // Up to and including 0.5 ms, and up to 1 ms.
  expect(a?.durations.slice(0, 3)).toEqual([2, 1, 0]);
  const b = read.find(({ route: name }) => name === "/b");
  expect(b?.durations).toHaveLength(DURATION_BOUNDS.length + 1);
  expect(b?.durations.at(-1)).toBe(1);
  expect(read).toHaveLength(2);
});

test("routes beyond the table are counted together, and unused routes take no row", () => {
  const zone = SharedZone.local(zoneShape(1));
  const traffic = new RouteTraffic(zone, 1);
  for (let i = 0; i < 10 * ROUTE_ROWS; i++) traffic.route(`/unused/${i}`);
  const routes = Array.from({ length: 2 * ROUTE_ROWS }, (_, i) => traffic.route(`/${i}`));
  for (const route of routes) route.count(ended(200), 1);
  for (const route of routes) route.count(ended(200), 1);
  const read = traffic.read();
  expect(read.length).toBeGreaterThan(ROUTE_ROWS * 0.98);
  expect(read.at(-1)?.route).toBeUndefined();
  expect(total(read.map(({ requests }) => requests))).toBe(4 * ROUTE_ROWS);
  for (const { route, requests } of read) if (route !== undefined) expect(requests).toBe(2);
});
