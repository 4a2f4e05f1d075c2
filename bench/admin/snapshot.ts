/** The time for the figures of the console, without the request for them. */
import { SharedZone } from "../../src/lib/memory/shared-zone.ts";
import { readSnapshot } from "../../src/gateway/admin/overview/read-snapshot.ts";
import { FilterTable } from "../../src/gateway/telemetry/filter-metrics.ts";
import { SUPERVISOR_ROW, zoneShape } from "../../src/gateway/telemetry/metrics/layout.ts";
import { RouteTraffic } from "../../src/gateway/telemetry/route-traffic.ts";
import { median } from "../support/report.ts";

const ROUTES = 100;
const SERVERS = 50;
const WORKERS = 2;
const REPEATS = 400;

const SERVER = {
  server: "10.0.0.1:80",
  source: "configured",
  health: "healthy",
  in_rotation: true,
  drained: false,
  backup: false,
  weight: 1,
  reason: "",
  failures: 0,
  requests_in_flight: 0,
  connections: 0,
} as const;

/** Prints the median in milliseconds of CPU. The bound is 1 ms. */
export function measureSnapshot(): Promise<void> {
  const zone = SharedZone.local(zoneShape(WORKERS));
  const ended = { status: 200, bytesReceived: 10, bytesSent: 1000 };
  for (let row = 1; row <= WORKERS; row += 1) {
    const traffic = new RouteTraffic(zone, row);
    for (let n = 0; n < ROUTES; n += 1) traffic.route(`a.test/route/${n}`).count(ended, 3);
  }
  const traffic = new RouteTraffic(zone, SUPERVISOR_ROW);
  const filters = new FilterTable(zone, SUPERVISOR_ROW);
  const times = Array.from({ length: REPEATS }, () => {
    const upstreams = [{ name: "a", servers: Array.from({ length: SERVERS }, () => SERVER) }];
    const began = process.cpuUsage();
    readSnapshot({ zone, traffic, filters, upstreams, startedAtMs: 0, nowMs: 0 });
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  });
  const each = median(times).toFixed(2);
  console.log(`${ROUTES} routes, ${SERVERS} servers: a snapshot takes ${each} ms of CPU (bound: 1 ms)`);
  return Promise.resolve();
}
