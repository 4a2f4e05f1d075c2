/** Machines of a fleet are killed, networks are cut, a disk is filled and clocks are shifted, while clients pay. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fractionsOf } from "../../src/lib/testing/mulberry32.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { smallDisk } from "../../src/lib/testing/small-disk.ts";
import { until } from "../../src/lib/testing/until.ts";
import { hasPostgres } from "../../src/store/testing/postgres.ts";
import { hasRedis } from "../policy/testing/redis-server.ts";
import { Buyers, type Kind, KINDS } from "./buyers.ts";
import { BURST, Fleet, type GatewayMachine } from "./fleet.ts";

setDefaultTimeout(patient(60_000));

const SEED = Date.now() >>> 0;
/**
 * Random faults, two at a time, after each machine had its own fault. `npm run test:fleet` sets it; `npm test` has no
 * random faults.
 */
const FAULTS = Number(Bun.env["TURNPIKE_TEST_FLEET"] ?? 0);
/** Machines of each kind that are killed. */
const KILLED = FAULTS > 0 ? 3 : 1;
/** Sales after which a part of the fleet counts as working. */
const ENOUGH = 1;
/** Milliseconds that a random fault lasts, at most. */
const LONGEST_FAULT_MS = 4000;
const STEP_MS = patient(30_000);

interface Fault {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

let fleet: Fleet;
let buyers: Buyers;
/** For the state of the first gateway. */
const disk = smallDisk("96m");

/** Waits until each of these gateways has sold each of these kinds. */
async function sells(gateways: readonly number[], kinds: readonly Kind[] = KINDS): Promise<void> {
  const before = gateways.flatMap((gateway) =>
    kinds.map((kind) => [gateway, kind, buyers.paidRoutes(gateway, kind)] as const),
  );
  for (const [gateway, kind, paidRoutes] of before) {
    await until(
      () => buyers.paidRoutes(gateway, kind) >= paidRoutes + ENOUGH,
      STEP_MS,
      `gateway ${gateway} sells ${kind}`,
    );
  }
}

function machine(i: number): GatewayMachine {
  const found = fleet.gateways[i];
  if (found === undefined) throw new Error(`There is no gateway ${i}`);
  return found;
}

/** Requests of one client at each gateway in turn; returns how many were allowed. */
async function allowed(client: string, times: number): Promise<number> {
  let count = 0;
  for (let i = 0; i < times; i++) {
    const { url } = machine(i % fleet.gateways.length);
    const { status } = await fetch(`${url}/limited?name=${client}`, { headers: { "x-client": client } });
    if (status !== 200 && status !== 429) throw new Error(`The limited route responds with ${status}`);
    if (status === 200) count += 1;
  }
  return count;
}

describe.skipIf(!hasPostgres || !hasRedis)("a fleet under load", () => {
  beforeAll(async () => {
    fleet = await Fleet.start({ gateways: 3, contents: 2 }, (folder, i) =>
      i === 0 ? disk.path : folder.file(`state-${i}`),
    );
    buyers = new Buyers(fleet, fractionsOf(SEED));
    await sells([0, 1, 2]);
  });

  afterAll(async () => {
    await fleet?.close();
    disk[Symbol.dispose]();
  });

  test("limits count together over all gateways", async () => {
    expect(await allowed("calm", 2 * BURST)).toBe(BURST);
  });

  test("a gateway that is cut off from Redis limits by itself, and counts with the others again afterwards", async () => {
    machine(1).links.redis.cut();
    const count = await allowed("cut", 4 * BURST);
    machine(1).links.redis.heal();
    expect(count).toBeGreaterThanOrEqual(BURST);
    expect(count).toBeLessThanOrEqual(2 * BURST);
    let turn = 0;
    await until(async () => (await allowed(`healed ${turn++}`, 2 * BURST)) === BURST, STEP_MS, "limits count together");
  });

  test("while Redis is down, gateways accept payments, and each limits by itself", async () => {
    await fleet.redis.kill();
    const count = await allowed("dead", 5 * BURST);
    await sells([0, 1, 2], ["goods"]);
    expect(count).toBeGreaterThanOrEqual(BURST);
    expect(count).toBeLessThanOrEqual(3 * BURST);
    await fleet.redis.start();
    let turn = 0;
    await until(async () => (await allowed(`alive ${turn++}`, 2 * BURST)) === BURST, STEP_MS, "limits count together");
  });

  test("when a gateway is killed, the others accept payments, and so does the restarted gateway", async () => {
    for (const i of [1, 2, 0].slice(0, KILLED)) {
      await machine(i).kill();
      await sells(
        [0, 1, 2].filter((other) => other !== i),
        ["goods"],
      );
      await machine(i).start();
      await sells([i], ["goods"]);
    }
  });

  test("when a content service is killed, the other one serves all gateways", async () => {
    for (const content of fleet.contents.slice(0, KILLED)) {
      await content.kill();
      await sells([0, 1, 2], ["qr"]);
      await content.start();
    }
    await sells([0, 1, 2], ["qr"]);
  });

  test("a gateway that is cut off from the database accepts no payment until it reaches the database again", async () => {
    const { links } = machine(0);
    links.postgres.cut();
    // Requests whose settlement the gateway has already stored may still succeed.
    await buyers.inFlight(0);
    const before = buyers.paidRoutes(0);
    await sells([1, 2], ["goods"]);
    expect(buyers.paidRoutes(0)).toBe(before);
    links.postgres.heal();
    await sells([0]);
  });

  test("a gateway that is cut off from one content service uses the other one", async () => {
    const [link] = machine(2).links.content;
    link?.cut();
    await sells([2], ["qr"]);
    link?.heal();
    await sells([2], ["qr"]);
  });

  test("when the database crashes, no payments are accepted until it is back", async () => {
    await fleet.postgres.crash();
    const paidRoutes = [0, 1, 2].map((i) => buyers.paidRoutes(i));
    const { status } = await fetch(`${machine(0).url}/limited?name=db`, { headers: { "x-client": "db" } });
    expect(status).toBe(200);
    await fleet.postgres.up();
    await sells([0, 1, 2]);
    expect([0, 1, 2].every((i) => buyers.paidRoutes(i) > (paidRoutes[i] ?? 0))).toBe(true);
  });

  test("a gateway with a full disk accepts payments for short responses, and for long ones when there is space again", async () => {
    if (!disk.isMounted) return;
    const fillers = [disk.fill("one")];
    await sells([0], ["goods"]);
    // It also starts if there is no space for the index of kept responses.
    await machine(0).kill();
    rmSync(`${disk.path}/answers`, { recursive: true });
    fillers.push(disk.fill("two"));
    await machine(0).start();
    expect(machine(0).output).toContain("sells only short responses");
    await sells([0], ["goods"]);
    for (const filler of fillers) rmSync(filler);
    await sells([0]);
  });

  test("clocks that are one minute fast or slow change nothing", async () => {
    await machine(1).kill();
    await machine(1).start(60_000);
    await machine(2).kill();
    await machine(2).start(-60_000);
    await sells([0, 1, 2]);
  });

  test.skipIf(FAULTS === 0)(
    `after ${FAULTS} random faults, two at a time, the fleet accepts payments again`,
    async () => {
      const random = fractionsOf(SEED + 1);
      const inTurn = async (faults: readonly Fault[]): Promise<void> => {
        for (let left = FAULTS / 2; left > 0; left--) {
          const fault = faults[Math.floor(random() * faults.length)];
          await fault?.begin();
          await Bun.sleep(random() * LONGEST_FAULT_MS);
          await fault?.end();
        }
      };
      const links = fleet.gateways.flatMap((one) => [one.links.postgres, one.links.redis, ...one.links.content]);
      await Promise.all([
        inTurn(links.map((link) => ({ begin: async () => link.cut(), end: async () => link.heal() }))),
        inTurn([
          ...[...fleet.gateways, ...fleet.contents].map((one) => ({ begin: () => one.kill(), end: () => one.start() })),
          { begin: () => fleet.postgres.crash(), end: () => fleet.postgres.up() },
          { begin: () => fleet.redis.kill(), end: () => fleet.redis.start() },
        ]),
      ]);
      await sells([0, 1, 2]);
    },
    patient(FAULTS * 10_000),
  );

  test("a paid request that is repeated at another gateway gets the same response", async () => {
    for (const kind of ["goods", "long", "qr"] as const) {
      const purchase = buyers.newPurchase(kind);
      const responses = [];
      for (const gateway of fleet.gateways) responses.push(await buyers.ask(purchase, gateway));
      expect(responses.map((response) => response?.status)).toEqual([200, 200, 200]);
      const [first] = responses;
      purchase.body = first?.body ?? Buffer.alloc(0);
      expect(responses.every((response) => response?.body.equals(purchase.body ?? Buffer.alloc(1)))).toBe(true);
      if (kind !== "qr") expect(fleet.runs.get(purchase.name)).toBe(1);
    }
  });

  test("in the end every payment was charged once and has its response, and every response was paid", async () => {
    const { payments, retried, lost, wrong } = await buyers.finish();
    console.log(`${payments} payments, ${retried} of them tried more than once, seed ${SEED}`);
    expect({ seed: SEED, lost, wrong }).toEqual({ seed: SEED, lost: [], wrong: [] });
    expect(retried).toBeGreaterThan(0);
    const [[rows] = []] = await fleet.postgres.query(
      `SELECT count(*) FROM ${fleet.user}.turnpike_payments WHERE state = 'settled'`,
    );
    const [[simulatedTransfers] = []] = await fleet.postgres.query(
      `SELECT count(*) FROM ${fleet.user}.turnpike_bookings`,
    );
    expect(rows).toBe(simulatedTransfers ?? "");
  });
});
