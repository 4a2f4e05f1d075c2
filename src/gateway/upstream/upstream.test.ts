import { expect, test } from "bun:test";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/timer-wheel.ts";
import { ServerPool } from "./server-pool.ts";
import { Upstream } from "./upstream.ts";

const wheel = new TimerWheel();

function server(backup = false): ServerPool {
  const settings = {
    maxConnections: 1,
    maxIdle: 1,
    idleTimeoutMs: 1000,
    connectTimeoutMs: 1000,
    maxFails: 1,
    failTimeoutMs: 60_000,
    allowPrivate: true,
  };
  return new ServerPool({ address: "127.0.0.1", port: 1 }, backup, settings, {
    wheel,
    buffers: plentyOfBuffers(),
    onFault() {},
  });
}

test("servers take turns", () => {
  const servers = [server(), server(), server()];
  const upstream = new Upstream("u", servers);
  const picks = Array.from({ length: 9 }, () => upstream.pick(undefined));
  for (const one of servers) expect(picks.filter((pick) => pick === one)).toHaveLength(3);
  expect(new Set(picks.slice(0, 3)).size).toBe(3);
});

test("a server out of rotation is passed over, and backups serve only when no primary can", () => {
  const [first, second, spare] = [server(), server(), server(true)];
  const upstream = new Upstream("u", [first, spare, second]);
  first.failed();
  for (let i = 0; i < 4; i++) expect(upstream.pick(undefined)).toBe(second);
  second.failed();
  expect(upstream.pick(undefined)).toBe(spare);
  spare.failed();
  expect(upstream.pick(undefined)).toBeUndefined();
  second.succeeded();
  expect(upstream.pick(undefined)).toBe(second);
});

test("another try goes to another server where there is one, and to the same where there is none", () => {
  const [first, second, spare] = [server(), server(), server(true)];
  const both = new Upstream("u", [first, second]);
  for (let i = 0; i < 5; i++) expect(both.pick(first)).toBe(second);
  expect(new Upstream("u", [first]).pick(first)).toBe(first);
  expect(new Upstream("u", [first, spare]).pick(first)).toBe(spare);
  second.failed();
  expect(both.pick(first)).toBe(first);
  first.failed();
  expect(both.pick(first)).toBeUndefined();
});
