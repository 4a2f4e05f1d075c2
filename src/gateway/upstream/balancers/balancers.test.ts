import { describe, expect, test } from "bun:test";
import { fractionsOf } from "../../../lib/testing/mulberry32.ts";
import { type Candidate } from "./balancer.ts";
import { type Balancing, createBalancer } from "./create-balancer.ts";

const ALL: readonly Balancing[] = ["round_robin", "least_conn", "ip_hash", "random", "weighted_round_robin"];
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

/** How often each of `list` is picked, for as many clients. */
function counts(balancing: Balancing, list: readonly Server[], picks: number): number[] {
  const balancer = createBalancer(balancing, list, fractionsOf(7));
  const found = new Map<Server | undefined, number>();
  for (let i = 0; i < picks; i++) {
    const server = balancer.pick(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, undefined);
    found.set(server, (found.get(server) ?? 0) + 1);
  }
  return list.map((server) => found.get(server) ?? 0);
}

/** Pearson's sum; with so many degrees of freedom, one in a thousand random samples is above the bound. */
function chiSquare(observed: readonly number[], expected: readonly number[]): number {
  return observed.reduce((sum, count, at) => sum + (count - (expected[at] ?? 0)) ** 2 / (expected[at] ?? 1), 0);
}
const BOUND_OF_FOUR = 18.5;

/** Picks for as many requests, each of which stays at its server. */
function pile(balancing: Balancing, list: readonly Server[], requests: number): number[] {
  const balancer = createBalancer(balancing, list, fractionsOf(3));
  for (let i = 0; i < requests; i++) {
    const server = balancer.pick(CLIENT, undefined);
    if (server !== undefined) server.inFlight++;
  }
  return list.map(({ inFlight }) => inFlight);
}

describe.each(ALL)("%s", (balancing) => {
  test("picks nobody where nobody is, or nobody is in rotation", () => {
    expect(createBalancer(balancing, []).pick(CLIENT, undefined)).toBeUndefined();
    const list = servers(1, 2);
    const balancer = createBalancer(balancing, list);
    for (const server of list) server.inRotation = false;
    expect(balancer.pick(CLIENT, undefined)).toBeUndefined();
  });

  test("passes over who is out of rotation and who is to be avoided, and takes them up again", () => {
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
  test("are equal in turns, whatever the weights, and each turn takes all", () => {
    expect(counts("round_robin", servers(1, 5, 1, 9), 4000)).toEqual([1000, 1000, 1000, 1000]);
  });

  test("are those of the weights in weighted turns, exactly, and spread out", () => {
    expect(counts("weighted_round_robin", servers(5, 1, 1), 700)).toEqual([500, 100, 100]);
    const list = servers(5, 1, 1);
    const balancer = createBalancer("weighted_round_robin", list, () => 0);
    const order = Array.from({ length: 14 }, () => list.indexOf(balancer.pick(CLIENT, undefined) ?? new Server("")));
    expect(order).toEqual([0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0]);
  });

  test("of who is left are exact as well while one is out", () => {
    const list = servers(4, 2, 2);
    const balancer = createBalancer("weighted_round_robin", list);
    balancer.pick(CLIENT, undefined);
    const [, out] = list;
    if (out !== undefined) out.inRotation = false;
    const picks = Array.from({ length: 600 }, () => balancer.pick(CLIENT, undefined)?.key);
    expect(picks.filter((key) => key === "10.0.0.1:80").length).toBeCloseTo(400, -1);
  });

  test("of any turns in a row are as near to the weights as turns allow, with servers going and coming meanwhile", () => {
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

  test("begin at different places in different workers", () => {
    const list = servers(2, 2, 2);
    for (const balancing of ["round_robin", "least_conn", "weighted_round_robin", "random"] as const) {
      const first = Array.from({ length: 60 }, (_, at) =>
        createBalancer(balancing, list, fractionsOf(at)).pick(CLIENT, undefined),
      );
      expect(new Set(first).size).toBeGreaterThan(1);
    }
  });

  test("are those of the weights over many clients by address", () => {
    const observed = counts("ip_hash", servers(1, 2, 3, 4, 10), 20_000);
    const expected = [1, 2, 3, 4, 10].map((weight) => weight * 1000);
    expect(chiSquare(observed, expected)).toBeLessThan(BOUND_OF_FOUR);
  });

  test("are equal at random where all are idle, and those of the weights are between equal and exact", () => {
    expect(chiSquare(counts("random", servers(1, 1, 1, 1, 1), 20_000), Array(5).fill(4000))).toBeLessThan(
      BOUND_OF_FOUR,
    );
    const [light = 0, heavy = 0] = counts("random", servers(1, 3, 3, 3), 20_000);
    expect(heavy / light).toBeGreaterThan(3);
  });
});

describe("load", () => {
  test("is even where the fewest requests count, and by weight", () => {
    expect(pile("least_conn", servers(1, 1, 1), 300)).toEqual([100, 100, 100]);
    expect(pile("least_conn", servers(1, 2, 3), 600)).toEqual([100, 200, 300]);
  });

  test("of others is seen: who has much to do gets nothing", () => {
    const list = servers(1, 1, 1);
    const [busy] = list;
    if (busy !== undefined) busy.inFlight = 50;
    const balancer = createBalancer("least_conn", list);
    for (let i = 0; i < 10; i++) expect(balancer.pick(CLIENT, undefined)).not.toBe(busy);
  });

  test("of two at random is far more even than of one", () => {
    const piles = pile("random", servers(...Array(20).fill(1)), 20_000);
    expect(Math.max(...piles) - Math.min(...piles)).toBeLessThan(10);
  });

  test("that is equal goes round, so that servers which answer at once all get some", () => {
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

  test("is the same whoever asks and in whatever order servers are listed, and however the address is spelt", () => {
    const list = servers(1, 2, 3);
    expect(choices(list.toReversed())).toEqual(choices(list));
    const balancer = createBalancer("ip_hash", list);
    const spellings = ["2001:db8::a", "2001:DB8:0:0:0:0:0:A", "2001:0db8::000a"];
    expect(new Set(spellings.map((address) => balancer.pick(address, undefined)?.key)).size).toBe(1);
    expect(balancer.pick("::ffff:10.0.0.9", undefined)).toBe(balancer.pick("10.0.0.9", undefined));
  });

  test("changes only for clients of a server that is gone or out, and comes back with it", () => {
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
