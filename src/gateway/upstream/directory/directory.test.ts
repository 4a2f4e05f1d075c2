import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Config } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { RawOrigin } from "../../../../test/support/raw-origin.ts";
import { until } from "../../../../test/support/program.ts";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../../lib/testing/plenty.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { MAX_SERVERS } from "../../config/max-servers.ts";
import { type NewEvent } from "../../telemetry/event.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { type Member, type Membership, serverKey } from "../member.ts";
import { ServerStates } from "../outlier-detection.ts";
import { Directory } from "./directory.ts";
import { Catalog } from "./testing/catalog.ts";

let catalog: Catalog;
let origin: RawOrigin;
let states: ServerStates;
let directory: Directory;
let wheel: TimerWheel;
let told: string[];
let logged: string[];
let errors: unknown[];
let events: NewEvent[];

beforeEach(async () => {
  catalog = new Catalog();
  origin = await RawOrigin.start();
  told = [];
  logged = [];
  errors = [];
  events = [];
  wheel = new TimerWheel(undefined, onError);
  states = new ServerStates(SharedZone.local(zoneShape(1)), 1);
  directory = createDirectory(wheel);
});

function onError(error: unknown): void {
  errors.push(error);
}

function createDirectory(withWheel: TimerWheel): Directory {
  return new Directory({
    wheel: withWheel,
    buffers: plentyOfBuffers(),
    states,
    log: (message) => logged.push(message),
    onError,
    dialSettings({ allow_private: allowPrivate, tls }) {
      if (tls) throw new Error("no CAs");
      return { allowPrivate, tls: undefined };
    },
    onEvent: (event) => void events.push(event),
    onChange: (upstream, members) => told.push(`${upstream}: ${named(members)}`),
  });
}

afterEach(async () => {
  directory.close();
  wheel.close();
  await catalog.stop();
  await origin.stop();
  expect(errors).toEqual([]);
});

function named(members: readonly Member[] | undefined): string {
  return (members ?? []).map(({ endpoint }) => serverKey(endpoint)).join(" ");
}

function config(upstreams: readonly object[]): Config {
  const { config: checked, problems } = loadValue({ upstreams });
  if (checked === undefined) throw new Error(JSON.stringify(problems));
  return checked;
}

function at(...ports: readonly number[]): object[] {
  return ports.map((port) => ({ address: "10.0.0.1", port }));
}

function fromCatalog(name: string, servers: readonly object[] = []): object {
  return { name, servers, catalog_discovery: { service: "s", port: catalog.port } };
}

async function serve(upstreams: readonly object[]): Promise<Membership> {
  const members = await directory.prepare(config(upstreams));
  directory.commit();
  return members;
}

test("configured servers come first, then discovered ones, each once and each with its own slot", async () => {
  catalog.set([
    { address: "10.0.0.1", port: 2, weight: 9 },
    { address: "10.0.0.1", port: 3, weight: 5 },
  ]);
  const servers = [
    { address: "10.0.0.1", port: 1, weight: 2, max_fails: 7, fail_timeout_ms: 11, backup: true },
    ...at(2, 2),
    { unix: "/run/a.sock" },
  ];
  const members = await serve([fromCatalog("a", servers), { name: "b", servers: at(1) }]);
  const defaults = { weight: 1, maxFails: 3, failTimeoutMs: 30_000, backup: false, slot: 0 };
  expect(members["a"]?.map((member) => ({ ...member, slot: 0 }))).toEqual([
    { endpoint: { address: "10.0.0.1", port: 1 }, weight: 2, maxFails: 7, failTimeoutMs: 11, backup: true, slot: 0 },
    { ...defaults, endpoint: { address: "10.0.0.1", port: 2 } },
    { ...defaults, endpoint: { unix: "/run/a.sock" } },
    { ...defaults, endpoint: { address: "10.0.0.1", port: 3 }, weight: 5 },
  ]);
  const slots = [...(members["a"] ?? []), ...(members["b"] ?? [])].map(({ slot }) => slot);
  expect(new Set(slots).size).toBe(5);
});

test("servers that discovery finds later are reported, and a server that stays keeps its slot", async () => {
  catalog.set([{ address: "10.0.0.1", port: 1 }]);
  const members = await serve([fromCatalog("a")]);
  await until("it waits", () => (catalog.waiting.size > 0 ? true : undefined));
  catalog.set([
    { address: "10.0.0.1", port: 1 },
    { address: "10.0.0.1", port: 2 },
  ]);
  await until("it is told", () => told[0]);
  expect(told).toEqual(["a: 10.0.0.1:1 10.0.0.1:2"]);
  const after = await serve([fromCatalog("a")]);
  expect(after["a"]?.[0]?.slot).toBe(members["a"]?.[0]?.slot ?? -1);
});

test("a reload keeps discoveries with the same settings, and closes the others", async () => {
  await serve([fromCatalog("a"), fromCatalog("b")]);
  await until("both wait", () => (catalog.waiting.size === 2 ? true : undefined));
  const queries = catalog.queries.length;
  await serve([fromCatalog("a", at(1))]);
  await until("one has ended", () => (catalog.waiting.size === 1 ? true : undefined));
  expect(catalog.queries).toHaveLength(queries);
  catalog.set([{ address: "10.0.0.1", port: 2 }]);
  await until("it is told", () => told[0]);
  expect(told).toEqual(["a: 10.0.0.1:1 10.0.0.1:2"]);
});

test("servers that stay keep their slots over reloads, and removed servers free their slots", async () => {
  const before = await serve([{ name: "a", servers: at(1, 2) }]);
  const after = await serve([{ name: "a", servers: at(2, 3) }]);
  expect(after["a"]?.[0]?.slot).toBe(before["a"]?.[1]?.slot ?? -1);
  expect(directory.status().map(({ server }) => server)).toEqual(["10.0.0.1:2", "10.0.0.1:3"]);
  expect(told).toEqual([]);
});

test("a reload that is rolled back changes nothing: probes, discovery and slots stay", async () => {
  const health = { path: "/old", interval_ms: 20, timeout_ms: 1000, unhealthy_threshold: 1 };
  const servers = [{ address: "127.0.0.1", port: origin.port }];
  await serve([{ ...fromCatalog("a", servers), health_check: health }]);
  const before = directory.status().map(({ server }) => server);
  await directory.prepare(config([{ ...fromCatalog("a", servers), health_check: { ...health, path: "/new" } }]));
  directory.rollback();
  origin.reset();
  await until("it is probed", () => (origin.requests.length >= 3 ? true : undefined));
  expect(origin.summaries.every((summary) => summary.startsWith("GET /old"))).toBe(true);
  expect(directory.status().map(({ server }) => server)).toEqual(before);
  await until("it waits", () => (catalog.waiting.size > 0 ? true : undefined));
  catalog.set([{ address: "10.0.0.9", port: 9 }]);
  await until("a change is told", () => told.find((line) => line.includes("10.0.0.9:9")));
});

for (const [outcome, after] of [
  ["commit", "10.0.0.1:7 10.0.0.1:5"],
  ["rollback", "10.0.0.1:5"],
] as const) {
  test(`a change while a configuration is prepared is reported after the ${outcome}`, async () => {
    catalog.set([{ address: "10.0.0.1", port: 1 }]);
    await serve([fromCatalog("a")]);
    await directory.prepare(config([fromCatalog("a", at(7))]));
    await until("it waits", () => (catalog.waiting.size > 0 ? true : undefined));
    catalog.set([{ address: "10.0.0.1", port: 5 }]);
    await until("it had its response, and the next query waits for its turn", () =>
      catalog.waiting.size === 0 ? true : undefined,
    );
    // The response must pass through the loopback interface first.
    await Bun.sleep(20);
    expect(told).toEqual([]);
    directory[outcome]();
    await until("it is told", () => told.at(-1));
    expect(told).toEqual([`a: ${after}`]);
  });
}

test("after a rollback, workers receive the servers again that the rolled back configuration replaced", async () => {
  await serve([{ name: "a", servers: at(1) }]);
  await directory.prepare(config([{ name: "a", servers: at(2) }]));
  directory.rollback();
  expect(told).toEqual(["a: 10.0.0.1:1"]);
});

test("more servers than slots are refused if the configuration names them, and left out if they were discovered", async () => {
  const many = Array.from({ length: MAX_SERVERS - 1 }, (_, i) => ({ address: "10.0.0.2", port: i + 1 }));
  catalog.set([
    { address: "10.0.0.1", port: 1 },
    { address: "10.0.0.1", port: 2 },
  ]);
  await serve([{ name: "many", servers: many }, fromCatalog("found")]);
  expect(directory.status()).toHaveLength(MAX_SERVERS);
  const left = `at most ${MAX_SERVERS} servers are possible in all upstreams together`;
  expect(logged).toEqual([`upstream "found": 1 servers left out: ${left}`]);
  const refused = directory.prepare(config([{ name: "other", servers: at(...many.map(({ port }) => port)) }]));
  expect(refused).rejects.toThrow(`of upstream "other": ${left}`);
  await refused.catch(() => {});
  expect(directory.status()).toHaveLength(MAX_SERVERS);
  // Removed servers make room for others.
  await serve([{ name: "many", servers: many.slice(1) }]);
  const others = many.slice(1).map(({ port }) => ({ address: "10.0.0.3", port }));
  await serve([]);
  expect((await serve([{ name: "others", servers: others }]))["others"]).toHaveLength(MAX_SERVERS - 2);
});

test("a first configuration that is rolled back leaves nothing behind", async () => {
  await directory.prepare(config([{ name: "a", servers: at(1) }]));
  directory.rollback();
  expect([directory.status(), told]).toEqual([[], []]);
});

test("a start continues with the known servers if discovery has no response for 3 s", async () => {
  const clock = new FakeClock();
  catalog.intercept = () => new Promise<Response>(() => {});
  directory = createDirectory(new TimerWheel(clock));
  const members = serve([fromCatalog("a", at(1))]);
  await until("it was asked", () => catalog.queries[0]);
  clock.advance(3020);
  expect(named((await members)["a"])).toBe("10.0.0.1:1");
});

test("a probed server has a state, a reason and a time, and every server has the results of its requests", async () => {
  origin.response = (_, connection) => connection.end("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
  const servers = [{ address: "127.0.0.1", port: origin.port }];
  const before = Date.now();
  await serve([
    { name: "a", servers, health_check: { interval_ms: 10, unhealthy_threshold: 2 } },
    { name: "b", servers },
  ]);
  const first = await until("it is unhealthy", () => {
    const [status] = directory.status();
    return status?.active?.state === "unhealthy" ? status : undefined;
  });
  const { since = 0, ...active } = first.active ?? {};
  expect(active).toEqual({ state: "unhealthy", reason: "status" });
  expect(since).toBeGreaterThanOrEqual(before);
  const [, second] = directory.status();
  expect(second).toEqual({
    upstream: "b",
    server: `127.0.0.1:${origin.port}`,
    source: "config",
    weight: 1,
    backup: false,
    active: undefined,
    passive: { inRotation: true, failures: 0, failure: "" },
    drained: false,
    requestsInFlight: 0,
    lastFailureMs: undefined,
    slot: 1,
  });
  expect(first.lastFailureMs).toBeGreaterThan(before - 1000);
});

test("a drained server stays drained over reloads and probes while it is configured, but not when it is added again", async () => {
  const servers = [{ address: "127.0.0.1", port: origin.port }, ...at(1)];
  const upstream = { name: "a", servers, health_check: { interval_ms: 10 } };
  const key = `127.0.0.1:${origin.port}`;
  const drained = (): string[] => directory.status().flatMap((status) => (status.drained ? [status.server] : []));
  const members = await serve([upstream]);
  const slot = members["a"]?.[0]?.slot ?? -1;
  expect(directory.drain("a", key, true)).toBeTrue();
  expect([directory.drain("a", "10.0.0.9:1", true), directory.drain("b", key, true)]).toEqual([false, false]);
  origin.reset();
  await until("it is probed on", () => (origin.requests.length > 2 ? true : undefined));
  expect(states.isInRotation(slot, 1000)).toBeFalse();
  await serve([{ ...upstream, load_balancer: "least_conn" }]);
  await directory.prepare(config([]));
  directory.rollback();
  expect(drained()).toEqual([key]);
  directory.drain("a", key, false);
  expect([drained(), states.isInRotation(slot, 1000)]).toEqual([[], true]);
  directory.drain("a", key, true);
  await serve([{ ...upstream, servers: at(1) }]);
  await serve([upstream]);
  expect(drained()).toEqual([]);
});

test("a server that failed requests put out of rotation is an event", async () => {
  const members = await serve([{ name: "a", servers: [{ address: "10.0.0.1", port: 1, max_fails: 1 }] }]);
  const [member] = members["a"] ?? [];
  if (member === undefined) throw new Error("no server");
  states.failed(member.slot, member, "late");
  const event = await until("it is told", () => events[0]);
  expect(event).toMatchObject({ kind: "server_health", details: { upstream: "a", in_rotation: false } });
});

test("health changes by probes and the results of discovery are events", async () => {
  origin.response = (_, connection) => connection.end("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
  catalog.set([{ address: "10.0.0.1", port: 1 }]);
  const servers = [{ address: "127.0.0.1", port: origin.port }];
  await serve([{ name: "a", servers, health_check: { interval_ms: 10, unhealthy_threshold: 1 } }, fromCatalog("b")]);
  const health = await until("its health is told", () => events.find(({ kind }) => kind === "server_health"));
  expect(health.details).toEqual({
    upstream: "a",
    server: `127.0.0.1:${origin.port}`,
    healthy: false,
    reason: "status",
  });
  await until("it waits", () => (catalog.waiting.size > 0 ? true : undefined));
  catalog.set([{ address: "10.0.0.1", port: 2 }]);
  await until("the change is told", () =>
    events.find(({ details }) => JSON.stringify(details?.["removed"]) === '["10.0.0.1:1"]'),
  );
});

test("a configuration with an upstream that cannot be connected to is refused, and leaves nothing behind", async () => {
  await serve([{ name: "a", servers: at(1) }]);
  const broken = { name: "b", servers: at(2), health_check: {}, tls: true, tls_ca_path: "/nowhere" };
  const refused = directory.prepare(config([fromCatalog("c"), broken]));
  expect(refused).rejects.toThrow("no CAs");
  await refused.catch(() => {});
  await Bun.sleep(20);
  expect(catalog.queries.length + catalog.waiting.size).toBeLessThanOrEqual(1);
  expect(directory.status().map(({ server }) => server)).toEqual(["10.0.0.1:1"]);
  await serve([{ name: "a", servers: at(3) }]);
});

test("a close ends a preparation that waits for discovery at once", async () => {
  catalog.intercept = () => new Promise<Response>(() => {});
  const waiting = directory.prepare(config([fromCatalog("a")]));
  await until("it was asked", () => catalog.queries[0]);
  directory.close();
  wheel.close();
  expect(waiting).rejects.toThrow("about to stop");
  await waiting.catch(() => {});
});

test("a close ends the discovery of a configuration that is prepared", async () => {
  await directory.prepare(config([fromCatalog("a")]));
  await until("it waits", () => (catalog.waiting.size > 0 ? true : undefined));
  directory.close();
  await until("it has ended", () => (catalog.waiting.size === 0 ? true : undefined));
});

test("after close, there are no probes and no lookups", async () => {
  await serve([
    { ...fromCatalog("a", [{ address: "127.0.0.1", port: origin.port }]), health_check: { interval_ms: 10 } },
  ]);
  await until("it is probed", () => origin.requests[0]);
  await until("it waits", () => (catalog.waiting.size > 0 ? true : undefined));
  directory.close();
  await until("no probe is under way", () => (origin.connections.every(({ closed }) => closed) ? true : undefined));
  origin.reset();
  catalog.queries.length = 0;
  catalog.set([{ address: "10.0.0.9", port: 9 }]);
  expect(directory.prepare(config([fromCatalog("b")]))).rejects.toThrow("about to stop");
  await Bun.sleep(50);
  expect([origin.requests.length, catalog.queries.length, told.length]).toEqual([0, 0, 0]);
});
