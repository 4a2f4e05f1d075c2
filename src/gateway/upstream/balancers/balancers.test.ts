import { describe, expect, test } from "bun:test";
import { fractionsOf } from "../../../lib/testing/mulberry32.ts";
import { type Candidate } from "./balancer.ts";
import { LOAD_BALANCERS } from "../../config/schema/upstreams.ts";
import { type Balancing, createBalancer } from "./create-balancer.ts";

const CLIENT = "192.0.2.1";

class Server implements Candidate {
  readonly key: string;
  readonly weight: number;
  inFlight = 0;
  inRotation = true;

  constructor(key: string, weight = 1) {
    this.key = key;
    this.weight = weight;
  }
}

function servers(...weights: number[]): Server[] {
  return weights.map((weight, index) => new Server(`10.0.0.${index + 1}:80`, weight));
}

/** The number of picks of each server in `list`, with a different client for each pick. */
function counts(balancing: Balancing, list: readonly Server[], picks: number): number[] {
  const balancer = createBalancer(balancing, list, fractionsOf(7));
  const found = new Map<Server | undefined, number>();
  for (let i = 0; i < picks; i++) {
    const server = balancer.pick(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, undefined);
    found.set(server, (found.get(server) ?? 0) + 1);
  }
  return list.map((server) => found.get(server) ?? 0);
}

/** Pearson's chi-squared sum. One in a thousand random samples is above the limit for these degrees of freedom. */
function chiSquare(observed: readonly number[], expected: readonly number[]): number {
  return observed.reduce((sum, count, at) => sum + (count - (expected[at] ?? 0)) ** 2 / (expected[at] ?? 1), 0);
}
const BOUND_OF_FOUR = 18.5;

/** Picks a server for each of `requests` requests. All requests stay in flight. */
function pile(balancing: Balancing, list: readonly Server[], requests: number): number[] {
  const balancer = createBalancer(balancing, list, fractionsOf(3));
  for (let i = 0; i < requests; i++) {
    const server = balancer.pick(CLIENT, undefined);
    if (server !== undefined) server.inFlight++;
  }
  return list.map(({ inFlight }) => inFlight);
}

describe.each(LOAD_BALANCERS)("%s", (balancing) => {
  test("picks no server from an empty list, or if all are out of rotation", () => {
    expect(createBalancer(balancing, []).pick(CLIENT, undefined)).toBeUndefined();
    const list = servers(1, 2);
    const balancer = createBalancer(balancing, list);
    for (const server of list) server.inRotation = false;
    expect(balancer.pick(CLIENT, undefined)).toBeUndefined();
  });

  test("skips servers out of rotation and the server to avoid, and picks them again later", () => {
    const [first, second, third] = servers(1, 1, 1) as [Server, Server, Server];
    const balancer = createBalancer(balancing, [first, second, third], fractionsOf(1));
    second.inRotation = false;
    for (let i = 0; i < 20; i++) expect(balancer.pick(`10.0.0.${i}`, first)).toBe(third);
    third.inRotation = false;
    expect(balancer.pick(CLIENT, first)).toBeUndefined();
    expect(balancer.pick(CLIENT, undefined)).toBe(first);
    third.inRotation = true;
    second.inRotation = true;
    const seen = new Set(Array.from({ length: 200 }, (_, i) => balancer.pick(`10.0.1.${i}`, undefined)));
    expect(seen.size).toBe(3);
  });
});

describe("shares", () => {
  test("are equal in unweighted turns, whatever the weights, and each turn picks every server", () => {
    expect(counts("round_robin", servers(1, 5, 1, 9), 4000)).toEqual([1000, 1000, 1000, 1000]);
  });

  test("follow the weights exactly in weighted turns, and are spread out", () => {
    expect(counts("weighted_round_robin", servers(5, 1, 1), 700)).toEqual([500, 100, 100]);
    const list = servers(5, 1, 1);
    const balancer = createBalancer("weighted_round_robin", list, () => 0);
    const order = Array.from({ length: 14 }, () => list.indexOf(balancer.pick(CLIENT, undefined) ?? new Server("")));
    expect(order).toEqual([0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0]);
  });

  test("of the other servers stay exact while one is out of rotation", () => {
    const list = servers(4, 2, 2);
    const balancer = createBalancer("weighted_round_robin", list);
    balancer.pick(CLIENT, undefined);
    const [, out] = list;
    if (out !== undefined) out.inRotation = false;
    const picks = Array.from({ length: 600 }, () => balancer.pick(CLIENT, undefined)?.key);
    expect(picks.filter((key) => key === "10.0.0.1:80").length).toBeCloseTo(400, -1);
  });

  test("of any consecutive turns are as near to the weights as possible, even if servers leave and return", () => {
    const random = fractionsOf(11);
    const list = servers(7, 4, 2, 1);
    const balancer = createBalancer("weighted_round_robin", list, random);
    for (let round = 0; round < 200; round++) {
      for (const server of list) server.inRotation = random() < 0.7;
      for (let i = Math.floor(random() * 10); i > 0; i--) balancer.pick(CLIENT, undefined);
      for (const server of list) server.inRotation = true;
      const picks = Array.from({ length: 14 }, () => balancer.pick(CLIENT, undefined));
      for (const server of list) {
        const count = picks.filter((pick) => pick === server).length;
        expect(Math.abs(count - server.weight)).toBeLessThanOrEqual(3);
      }
    }
  });

  test("begin at different servers in different workers", () => {
    const list = servers(2, 2, 2);
    for (const balancing of ["round_robin", "least_conn", "weighted_round_robin", "random"] as const) {
      const first = Array.from({ length: 60 }, (_, at) =>
        createBalancer(balancing, list, fractionsOf(at)).pick(CLIENT, undefined),
      );
      expect(new Set(first).size).toBeGreaterThan(1);
    }
  });

  test("follow the weights over many clients by address", () => {
    const observed = counts("ip_hash", servers(1, 2, 3, 4, 10), 20_000);
    const expected = [1, 2, 3, 4, 10].map((weight) => weight * 1000);
    expect(chiSquare(observed, expected)).toBeLessThan(BOUND_OF_FOUR);
  });

  test("are equal at random with equal weights while all servers are idle, and favour heavier servers", () => {
    expect(chiSquare(counts("random", servers(1, 1, 1, 1, 1), 20_000), Array(5).fill(4000))).toBeLessThan(
      BOUND_OF_FOUR,
    );
    const [light = 0, heavy = 0] = counts("random", servers(1, 3, 3, 3), 20_000);
    expect(heavy / light).toBeGreaterThan(3);
  });
});

describe("load", () => {
  test("is even by the fewest requests, relative to the weights", () => {
    expect(pile("least_conn", servers(1, 1, 1), 300)).toEqual([100, 100, 100]);
    expect(pile("least_conn", servers(1, 2, 3), 600)).toEqual([100, 200, 300]);
  });

  test("from other workers counts: a busy server gets no requests", () => {
    const list = servers(1, 1, 1);
    const [busy] = list;
    if (busy !== undefined) busy.inFlight = 50;
    const balancer = createBalancer("least_conn", list);
    for (let i = 0; i < 10; i++) expect(balancer.pick(CLIENT, undefined)).not.toBe(busy);
  });

  test("is far more even with the better of two random servers than with one", () => {
    const piles = pile("random", servers(...Array(20).fill(1)), 20_000);
    expect(Math.max(...piles) - Math.min(...piles)).toBeLessThan(10);
  });

  test("that is equal rotates, so that all servers that respond at once get requests", () => {
    const list = servers(1, 1, 1);
    const balancer = createBalancer("least_conn", list, fractionsOf(2));
    const picks = Array.from({ length: 30 }, () => balancer.pick(CLIENT, undefined));
    for (const server of list) expect(picks.filter((pick) => pick === server)).toHaveLength(10);
    expect(counts("least_conn", servers(1, 3), 400)).toEqual([100, 300]);
  });
});

describe("a client's server", () => {
  const clients = Array.from({ length: 3000 }, (_, i) =>
    i % 2 === 0 ? `10.1.${i >> 8}.${i & 255}` : `2001:db8::${i}`,
  );

  function choices(list: readonly Server[]): (string | undefined)[] {
    const balancer = createBalancer("ip_hash", list);
    return clients.map((client) => balancer.pick(client, undefined)?.key);
  }

  test("is the same for every worker, every order of the servers and every spelling of the address", () => {
    const list = servers(1, 2, 3);
    expect(choices(list.toReversed())).toEqual(choices(list));
    const balancer = createBalancer("ip_hash", list);
    const spellings = ["2001:db8::a", "2001:DB8:0:0:0:0:0:A", "2001:0db8::000a"];
    expect(new Set(spellings.map((address) => balancer.pick(address, undefined)?.key)).size).toBe(1);
    expect(balancer.pick("::ffff:10.0.0.9", undefined)).toBe(balancer.pick("10.0.0.9", undefined));
  });

  test("changes only for clients of a server that is removed or out of rotation, and returns with it", () => {
    const list = servers(1, 1, 1, 1);
    const before = choices(list);
    const after = choices(list.slice(1));
    expect(before.filter((key, at) => key !== after[at] && key !== "10.0.0.1:80")).toEqual([]);
    const [out] = list;
    if (out !== undefined) out.inRotation = false;
    expect(choices(list)).toEqual(after);
    if (out !== undefined) out.inRotation = true;
    expect(choices(list)).toEqual(before);
  });
});
