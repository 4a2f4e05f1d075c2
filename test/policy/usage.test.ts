import { expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { loadValue } from "../../src/gateway/config/load.ts";
import { type Exchange } from "../../src/gateway/exchange/exchange.ts";
import { startGateway } from "../../src/gateway/process/gateway/gateway.ts";
import { USAGE_ROWS, zoneShape } from "../../src/gateway/telemetry/metrics/layout.ts";
import { onlySlot } from "../../src/gateway/telemetry/telemetry.ts";
import { RouteTraffic } from "../../src/gateway/telemetry/route-traffic.ts";
import { UpstreamCounters } from "../../src/gateway/telemetry/upstream-usage.ts";
import { type Usage, UsageCounters } from "../../src/gateway/telemetry/usage.ts";
import { SharedZone } from "../../src/lib/memory/shared-zone.ts";
import { once } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";

const COUNTER = join(import.meta.dir, "testing/usage-counter.ts");
const WORKERS = 4;

/** The part of a finished exchange that the counters read. */
function ended(consumer: string, status = 200, bytes = { received: 0, sent: 0 }): Exchange {
  const { received: bytesReceived, sent: bytesSent } = bytes;
  return { isAuthorized: true, consumer, status, bytesReceived, bytesSent } as Exchange; // The rest is not read.
}

function usageOf(counters: UsageCounters, consumer: string | undefined, route: string | undefined): Usage | undefined {
  return counters.read().find((usage) => usage.consumer === consumer && usage.route === route);
}

test("requests, bytes and errors are counted for each consumer of each route, over all workers", () => {
  const zone = SharedZone.local(zoneShape(2));
  const [one, other] = [new UsageCounters(zone, 1), new UsageCounters(zone, 2)];
  const [a, b, otherA] = [one.route("a.test/"), one.route("/b"), other.route("a.test/")];
  a.count(ended("alice", 200, { received: 10, sent: 100 }));
  a.count(ended("alice", 404, { received: 1, sent: 2 }));
  a.count(ended(""));
  otherA.count(ended("alice", 503, { received: 1000, sent: 3 }));
  b.count(ended("alice", 429));
  const errors = { clientErrors: 1, serverErrors: 1 };
  for (const counters of [one, other]) {
    expect(counters.read()).toHaveLength(3);
    expect(usageOf(counters, "alice", "a.test/")).toMatchObject({
      requests: 3,
      requestBytes: 1011,
      responseBytes: 105,
      ...errors,
    });
    expect(usageOf(counters, "", "a.test/")).toMatchObject({ requests: 1, clientErrors: 0, serverErrors: 0 });
    expect(usageOf(counters, "alice", "/b")).toMatchObject({ requests: 1, clientErrors: 1, serverErrors: 0 });
  }
});

test("consumers beyond the table are counted together, earlier consumers are counted on, and no count is lost", () => {
  const zone = SharedZone.local(zoneShape(1));
  const counters = new UsageCounters(zone, 1);
  const route = counters.route("/");
  route.count(ended("early"));
  const consumers = USAGE_ROWS * 4;
  for (let i = 0; i < consumers; i++) route.count(ended(`consumer ${i}`));
  route.count(ended("early"));
  const all = counters.read();
  expect(all.length).toBeGreaterThan(USAGE_ROWS * 0.98);
  expect(all.length).toBeLessThanOrEqual(USAGE_ROWS);
  expect(all.at(-1)).toMatchObject({ consumer: undefined, route: "/" });
  expect(all.reduce((sum, { requests }) => sum + requests, 0)).toBe(consumers + 2);
  expect(usageOf(counters, "early", "/")).toMatchObject({ requests: 2 });
});

test("a new period frees all rows, and workers that cached theirs begin at 0 in it", () => {
  const zone = SharedZone.local(zoneShape(2));
  const reader = new UsageCounters(zone, 0);
  const [one, two] = [1, 2].map((row) => new UsageCounters(zone, row).route("/"));
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < USAGE_ROWS * 2; i++) one?.count(ended(`consumer ${round} ${i}`));
    two?.count(ended("regular"));
    expect(reader.read().at(-1)).toMatchObject({ consumer: undefined, route: "/" });
    reader.beginPeriod();
    expect(reader.read()).toEqual([]);
    expect(reader.read(reader.period - 1).length).toBeGreaterThan(USAGE_ROWS * 0.98);
    two?.count(ended("regular"));
    expect(reader.read()).toMatchObject([{ consumer: "regular", route: "/", requests: 1 }]);
  }
});

test("four processes that count the same new consumers at once lose no count, and a replaced process continues counting", async () => {
  const zone = SharedZone.create(zoneShape(WORKERS));
  if (zone.fd === undefined) throw new Error("no descriptor");
  const fd = zone.fd;
  const times = 20;
  const consumers = 300;
  const run = async (row: number): Promise<void> => {
    const child = Bun.spawn(
      [process.execPath, COUNTER, ...[WORKERS, row, consumers, times].map((number) => String(number))],
      { stdio: ["ignore", "inherit", "inherit", fd] },
    );
    expect(await child.exited).toBe(0);
  };
  try {
    await Promise.all(Array.from({ length: WORKERS }, (_, i) => run(i + 1)));
    // The worker that replaces another one uses its row.
    await run(1);
    const all = new UsageCounters(zone, 0).read();
    expect(all).toHaveLength(consumers);
    for (const { requests, responseBytes } of all) {
      expect(requests).toBe(times * (WORKERS + 1));
      expect(responseBytes).toBe(times * (WORKERS + 1) * 7);
    }
  } finally {
    closeSync(fd);
  }
});

test("the usage of an upstream has every try, its failures and errors, and the bytes of bodies both ways", async () => {
  const origin = await RawOrigin.start();
  const { config } = loadValue({
    server: { workers: 1, listeners: [{ address: "127.0.0.1", port: 0 }] },
    access_log: { enabled: false },
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port, max_fails: 100 }] }],
    routes: [{ upstream: "origin", path_prefix: "/", retry: { max_retries: 2, backoff_ms: 0 } }],
  });
  if (config === undefined) throw new Error("the configuration is refused");
  const slot = onlySlot();
  const gateway = await startGateway({ config, slot, storePath: ":memory:", reusePort: false, log() {} });
  const ask = (method: string, body = ""): Promise<unknown> =>
    once(
      gateway.listeners[0]?.port ?? 0,
      `${method} /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      method,
    );
  const used = () => new UpstreamCounters(slot.zone, 0).read()[0];
  try {
    origin.response = (_, connection) => connection.reset();
    await ask("GET");
    expect(used()).toMatchObject({ requests: 3, clientErrors: 0, serverErrors: 3, requestBytes: 0, responseBytes: 0 });
    origin.response = (_, connection) => connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
    await ask("POST", "12345");
    expect(used()).toMatchObject({ requests: 4, clientErrors: 1, serverErrors: 3, requestBytes: 5, responseBytes: 4 });
    origin.response = (_, connection) => connection.send("HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno");
    await ask("POST", "123");
    expect(used()).toMatchObject({ requests: 5, clientErrors: 1, serverErrors: 4, requestBytes: 8, responseBytes: 6 });
    // All tries together are one request of the route.
    expect(new RouteTraffic(slot.zone, 0).read()).toMatchObject([{ requests: 3, clientErrors: 1, serverErrors: 2 }]);
  } finally {
    await gateway.close(0);
    await origin.stop();
  }
});

test("a gateway counts by route and by authenticated consumer, with the requests that it refused them, and no consumer for other requests", async () => {
  const origin = await RawOrigin.start();
  const auth = { type: "api_key", keys: [{ key: "the key", name: "alice" }] };
  const route = { upstream: "origin", path_prefix: "/" };
  const rate_limit = { requests_per_second: 0.002, burst_size: 2 };
  const { config } = loadValue({
    server: { workers: 1, listeners: [{ address: "127.0.0.1", port: 0 }] },
    access_log: { enabled: false },
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [
      { ...route, auth },
      { ...route, path_prefix: "/limited", host: "a.test", rate_limit },
      { ...route, path_prefix: "/scripts", cors: { allow_origins: ["https://page.test"] } },
    ],
  });
  if (config === undefined) throw new Error("the configuration is refused");
  const slot = onlySlot();
  const gateway = await startGateway({ config, slot, storePath: ":memory:", reusePort: false, log() {} });
  const ask = async (head: string, body = ""): Promise<void> => {
    await once(gateway.listeners[0]?.port ?? 0, `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, "POST");
  };
  try {
    await ask("POST /x HTTP/1.1\r\nHost: a.test\r\nX-Api-Key: the key", "12345");
    await ask("POST /x HTTP/1.1\r\nHost: a.test\r\nX-Api-Key: another");
    for (let i = 0; i < 3; i++) await ask("POST /limited HTTP/1.1\r\nHost: a.test");
    const origins = "Origin: https://page.test\r\nAccess-Control-Request-Method: POST";
    for (const path of ["/scripts", "/x"]) await ask(`OPTIONS ${path} HTTP/1.1\r\nHost: a.test\r\n${origins}`);
    await ask("POST /scripts HTTP/1.1\r\nHost: a.test\r\nOrigin: https://page.test");
    // A gateway path below a route.
    await ask("GET /metrics HTTP/1.1\r\nHost: a.test");
    const counters = new UsageCounters(slot.zone, 0);
    const echoed = "POST /x 12345".length;
    expect(usageOf(counters, "alice", "/")).toMatchObject({
      requests: 1,
      requestBytes: 5,
      responseBytes: echoed,
      clientErrors: 0,
    });
    expect(usageOf(counters, "", "/")).toBeUndefined();
    expect(usageOf(counters, "", "/scripts")).toMatchObject({ requests: 1 });
    expect(usageOf(counters, "", "a.test/limited")).toMatchObject({ requests: 3, clientErrors: 1, serverErrors: 0 });
    const began = Date.now() - 60_000;
    expect(usageOf(counters, "alice", "/")?.lastSeen).toBeWithin(began, Date.now() + 1);
    const traffic = new RouteTraffic(slot.zone, 0).read();
    // A request that authentication refused counts as traffic of the route, and for no consumer.
    expect(traffic.find(({ route: name }) => name === "/")).toMatchObject({
      requests: 4,
      clientErrors: 1,
      requestBytes: 5,
    });
    expect(traffic.find(({ route: name }) => name === "a.test/limited")).toMatchObject({
      requests: 3,
      clientErrors: 1,
    });
    expect(new UpstreamCounters(slot.zone, 0).read()).toMatchObject([
      { upstream: "origin", requests: 4, requestBytes: 5, clientErrors: 0, serverErrors: 0 },
    ]);
  } finally {
    await gateway.close(0);
    await origin.stop();
  }
});
