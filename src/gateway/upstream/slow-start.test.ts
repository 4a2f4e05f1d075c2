import { expect, test } from "bun:test";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { fractionsOf } from "../../lib/testing/mulberry32.ts";
import { LOAD_BALANCERS } from "../config/schema/upstreams.ts";
import { type Balancing, createBalancer } from "./balancers/create-balancer.ts";
import { type Candidate } from "./balancers/balancer.ts";
import { SlowStart } from "./slow-start.ts";

const MS = 10_000;
const PICKS = 20_000;

class Server implements Candidate {
  readonly key: string;
  inFlight = 0;
  isIn = true;
  readonly slowStart: SlowStart;
  constructor(key: string, slowStart: SlowStart) {
    this.key = key;
    this.slowStart = slowStart;
  }
  get weight(): number {
    return 10 * this.slowStart.part;
  }
  get inRotation(): boolean {
    this.slowStart.saw(this.isIn);
    return this.isIn;
  }
}

function stage(): { clock: FakeClock; servers: Server[]; add: (isNew: boolean) => Server } {
  const clock = new FakeClock();
  const servers: Server[] = [];
  const add = (isNew: boolean): Server => {
    const server = new Server(`10.0.0.${servers.length}:80`, new SlowStart(MS, () => clock.time, isNew));
    servers.push(server);
    return server;
  };
  return { clock, servers, add };
}

/**
 * The part of many requests that `server` gets. For balancers by load, each request stays in flight for the next ten
 * requests.
 */
function partOf(server: Server, servers: readonly Server[], balancing: Balancing): number {
  const balancer = createBalancer(balancing, servers, fractionsOf(7));
  const atWork: Server[] = [];
  let picked = 0;
  for (let i = 0; i < PICKS; i++) {
    const next = balancer.pick(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, undefined);
    if (next === undefined) throw new Error("nothing is in rotation");
    if (next === server) picked++;
    next.inFlight++;
    atWork.push(next);
    if (atWork.length > 40) (atWork.shift() ?? next).inFlight--;
  }
  for (const one of atWork) one.inFlight--;
  return picked / PICKS;
}

// The turns of `round_robin` have no weights.
for (const balancing of LOAD_BALANCERS.filter((name) => name !== "round_robin")) {
  test(`an added server gets its part of the requests gradually, by ${balancing}`, () => {
    const { clock, servers, add } = stage();
    for (let i = 0; i < 3; i++) add(false);
    const added = add(true);
    const parts: number[] = [];
    for (const at of [0, MS / 4, MS / 2, MS]) {
      clock.time = at;
      parts.push(partOf(added, servers, balancing));
    }
    const [first = 1, second = 1, third = 1, whole = 0] = parts;
    expect(first).toBeLessThan(0.05);
    // A quarter of a weight beside three whole ones, and then a half. Balancers by load also come near to these parts.
    expect(Math.abs(second - 0.25 / 3.25)).toBeLessThan(0.03);
    expect(Math.abs(third - 0.5 / 3.5)).toBeLessThan(0.03);
    expect(Math.abs(whole - 0.25)).toBeLessThan(0.02);
  });

  test(`a server that returns starts slowly again, by ${balancing}`, () => {
    const { clock, servers, add } = stage();
    for (let i = 0; i < 4; i++) add(false);
    const [back] = servers;
    if (back === undefined) throw new Error("no server");
    expect(Math.abs(partOf(back, servers, balancing) - 0.25)).toBeLessThan(0.02);
    back.isIn = false;
    expect(partOf(back, servers, balancing)).toBe(0);
    back.isIn = true;
    clock.time += 1;
    expect(partOf(back, servers, balancing)).toBeLessThan(0.05);
    clock.time += MS;
    expect(Math.abs(partOf(back, servers, balancing) - 0.25)).toBeLessThan(0.02);
  });
}
