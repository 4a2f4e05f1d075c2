import { expect, spyOn, test } from "bun:test";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { type Member } from "./member.ts";
import { UpstreamServer } from "./server.ts";
import { ServerPool } from "./server-pool.ts";
import { ServerStates } from "./outlier-detection.ts";
import { Upstream } from "./upstream.ts";

const CLIENT = "192.0.2.1";
const SETTINGS = {
  maxConnections: 1,
  maxIdle: 1,
  idleTimeoutMs: 1000,
  connectTimeoutMs: 1000,
  clientPart: 1,
  protocol: "http1",
  dial: { allowPrivate: true, tls: undefined },
} as const;

function member(port: number, change: Partial<Member> = {}): Member {
  const endpoint = { address: "127.0.0.1", port };
  return { endpoint, weight: 1, maxFails: 1, failTimeoutMs: 60_000, backup: false, slot: port, ...change };
}

function upstreamOf(...members: Member[]): Upstream {
  const slot = onlySlot();
  const telemetry = new Telemetry(slot);
  const states = new ServerStates(slot.zone, slot.row);
  const wheel = new TimerWheel();
  const upstream = new Upstream({ name: "u", balancing: "round_robin", scheme: "http" }, (one) => {
    const metrics = telemetry.serverMetrics(one.slot, "origin");
    const pool = new ServerPool(one.endpoint, SETTINGS, { wheel, buffers: plentyOfBuffers(), metrics, onError() {} });
    return new UpstreamServer(one, pool, { metrics, states });
  });
  upstream.setMembers(members);
  return upstream;
}

function serverOf(upstream: Upstream, port: number): UpstreamServer {
  const server = upstream.servers.find(({ key }) => key === `127.0.0.1:${port}`);
  if (server === undefined) throw new Error(`no server ${port}`);
  return server;
}

function picks(upstream: Upstream, count: number, avoid?: UpstreamServer): string[] {
  return Array.from({ length: count }, () => upstream.pick(CLIENT, avoid)?.key.slice("127.0.0.1:".length) ?? "none");
}

test("a server out of rotation is skipped, and backups serve only if no primary can", () => {
  const upstream = upstreamOf(member(1), member(2), member(3, { backup: true }));
  serverOf(upstream, 1).failed("broken");
  expect(picks(upstream, 3)).toEqual(["2", "2", "2"]);
  serverOf(upstream, 2).failed("broken");
  expect(picks(upstream, 2)).toEqual(["3", "3"]);
  serverOf(upstream, 3).failed("broken");
  expect(picks(upstream, 1)).toEqual(["none"]);
  serverOf(upstream, 2).served(503);
  expect(picks(upstream, 1)).toEqual(["none"]);
  serverOf(upstream, 2).served(500);
  expect(picks(upstream, 1)).toEqual(["2"]);
});

test("a retry goes to another server if there is one, and otherwise to the same server", () => {
  const both = upstreamOf(member(1), member(2));
  const first = serverOf(both, 1);
  expect(picks(both, 3, first)).toEqual(["2", "2", "2"]);
  const alone = upstreamOf(member(1));
  expect(picks(alone, 1, serverOf(alone, 1))).toEqual(["1"]);
  const spared = upstreamOf(member(1), member(3, { backup: true }));
  expect(picks(spared, 1, serverOf(spared, 1))).toEqual(["3"]);
  serverOf(both, 2).failed("broken");
  expect(picks(both, 1, first)).toEqual(["1"]);
  first.failed("broken");
  expect(picks(both, 1, first)).toEqual(["none"]);
});

test("a try after others goes to a server that was not tried, if there is one, and leaves the rotation as it was", () => {
  const upstream = upstreamOf(member(1), member(2), member(3));
  const [one, two, three] = [1, 2, 3].map((port) => serverOf(upstream, port));
  if (one === undefined || two === undefined || three === undefined) throw new Error("a server is missing");
  for (let i = 0; i < 6; i++) {
    // Other requests move the turn to another server.
    picks(upstream, i % 3);
    expect(upstream.pick(CLIENT, two, [one, two])).toBe(three);
    picks(upstream, i % 2);
    expect(upstream.pick(CLIENT, one, [one, three])).toBe(two);
  }
  expect(upstream.pick(CLIENT, three, [one, two, three])).not.toBe(three);
  expect(new Set(picks(upstream, 3))).toEqual(new Set(["1", "2", "3"]));
});

test("servers are added and removed, and unchanged servers stay the same objects", () => {
  const upstream = upstreamOf(member(1), member(2));
  const [first, second] = [serverOf(upstream, 1), serverOf(upstream, 2)];
  upstream.setMembers([member(2, { weight: 5 }), member(1), member(4)]);
  expect([serverOf(upstream, 1) === first, serverOf(upstream, 2) === second]).toEqual([true, false]);
  expect(serverOf(upstream, 2).weight).toBe(5);
  expect(new Set(picks(upstream, 9))).toEqual(new Set(["1", "2", "4"]));
  upstream.setMembers([]);
  expect(picks(upstream, 1)).toEqual(["none"]);
});

test("servers that are removed or changed close their connections, and unchanged servers keep them", () => {
  const upstream = upstreamOf(member(1), member(2), member(3));
  const closed: string[] = [];
  for (const { key, pool } of upstream.servers) spyOn(pool, "close").mockImplementation(() => void closed.push(key));
  upstream.setMembers([member(1), member(3, { maxFails: 2 })]);
  expect(closed).toEqual(["127.0.0.1:2", "127.0.0.1:3"]);
  upstream.close();
  expect(closed.slice(2)).toEqual(["127.0.0.1:1"]);
});

test("a member that is named twice has two servers, of which each keeps its own connections", () => {
  const upstream = upstreamOf(member(1));
  const [first] = upstream.servers;
  upstream.setMembers([member(1), member(1)]);
  expect(upstream.servers.map((server) => server === first)).toEqual([true, false]);
});

function createNone(): never {
  throw new Error("there is no member");
}

test("an upstream has the name, the scheme and the credential of its settings", () => {
  const settings = { name: "u", balancing: "round_robin", scheme: "https", credential: "A: b\r\n" } as const;
  expect(new Upstream(settings, createNone)).toMatchObject({ name: "u", scheme: "https", credential: "A: b\r\n" });
  expect(new Upstream({ ...settings, isEmpty: true }, createNone).isEmpty).toBe(true);
});
