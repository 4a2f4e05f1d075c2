import { beforeEach, describe, expect, test } from "bun:test";
import { backOffMs, type Found, FoundServers } from "./discovery.ts";

let logged: string[];
let events: object[];
let changes: number;
let servers: FoundServers;

beforeEach(() => {
  servers = open(true);
});

function open(allowPrivate: boolean): FoundServers {
  logged = [];
  events = [];
  changes = 0;
  const found = new FoundServers({ name: "a", allowPrivate }, "DNS", {
    log: (line) => logged.push(line),
    onEvent: ({ details }) => events.push(details ?? {}),
  });
  found.onChange = () => changes++;
  return found;
}

function at(address: string, weight = 1): Found {
  return { endpoint: { address, port: 80 }, weight };
}

describe("the found servers", () => {
  test("change with their addresses and weights, and not with their order", () => {
    const [one, two] = [at("10.0.0.1"), at("10.0.0.2")];
    servers.replace([two, one, two]);
    expect([servers.list, changes]).toEqual([[one, two], 1]);
    servers.replace([one, two]);
    expect(changes).toBe(1);
    servers.replace([one, at("10.0.0.2", 5)]);
    expect(changes).toBe(2);
    servers.replace([at("10.0.0.3"), one]);
    expect([changes, logged]).toEqual([3, []]);
    expect(events.at(-1)).toEqual({ upstream: "a", added: ["10.0.0.3:80"], removed: ["10.0.0.2:80"] });
  });

  test("are at most 256, of which the rest is logged once", () => {
    const many = Array.from({ length: 257 }, (_, i) => at(`10.0.1.${i}`));
    servers.replace(many.slice(1));
    expect([servers.list.length, logged]).toEqual([256, []]);
    servers.replace(many);
    servers.replace(many);
    expect([servers.list.length, logged]).toEqual([
      256,
      ['upstream "a": DNS: left out: 1 beyond the 256 that are used'],
    ]);
  });

  test("are on public addresses only, unless private ones are allowed; names are checked later", () => {
    servers = open(false);
    const socket: Found = { endpoint: { unix: "/run/a.sock" }, weight: 1 };
    const named = at("shop.internal");
    const [v4, v6] = [at("9.9.9.9"), at("2620:fe::fe")];
    servers.replace([v4, v6, named, socket, at("10.0.0.1"), at("127.0.0.1"), at("::1"), at("fd00::1")], 2);
    const kept = new Set(servers.list);
    expect(kept).toEqual(new Set([v4, v6, named, socket]));
    expect(logged).toEqual([
      'upstream "a": DNS: left out: 2 without a usable address, 4 on private addresses, which allow_private forbids',
    ]);
  });

  test("that cannot be used are left out", () => {
    servers.replace([], 1);
    expect([servers.list, logged]).toEqual([[], ['upstream "a": DNS: left out: 1 without a usable address']]);
  });

  test.each([
    [0, "no server is known"],
    [1, "the last server stays"],
    [2, "the last 2 servers stay"],
  ])("stay after a failure, which is logged once: %p", async (count, text) => {
    if (count > 0) servers.replace([at("10.0.0.1"), at("10.0.0.2")].slice(0, count));
    servers.failed("timeout");
    servers.failed("timeout");
    await servers.first;
    expect([servers.list.length, logged]).toEqual([count, [`upstream "a": DNS: lookup failed (timeout); ${text}`]]);
    servers.failed("refused");
    expect(logged).toHaveLength(2);
    servers.replace([at("10.0.0.1")]);
    servers.replace([at("10.0.0.1")]);
    expect(logged.slice(2)).toEqual(['upstream "a": DNS responds again']);
    servers.failed("refused");
    expect(logged).toHaveLength(4);
  });

  test("are known with the first response", async () => {
    servers.replace([]);
    await servers.first;
    expect(changes).toBe(0);
  });
});

test.each([
  [1, 0, 500],
  [1, 1, 1000],
  [2, 1, 2000],
  [4, 0.5, 6000],
  [7, 1, 60_000],
  [5000, 0, 30_000],
])("after %p failures and with %p of the random part, a discovery waits %p ms", (failures, random, ms) => {
  expect(backOffMs(failures, 60_000, () => random)).toBe(ms);
});
