/**
 * Leases and clocks: a step of the time of day loses no lease, and a request that still loses its lease delivers
 * nothing.
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../../../lib/testing/until.ts";
import { LEASE_MS } from "../../../../store/ledger.ts";
import { openStore } from "../../../../store/open/open-store.ts";
import { openPostgresStore } from "../../../../store/postgres/open-postgres-store.ts";
import { type Store } from "../../../../store/store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../../../store/testing/postgres.ts";
import { closeShops, counted, openShop, type Shop } from "../testing/shop.ts";
import { respondWith } from "../testing/test-gateway.ts";
import { patient } from "../../../../lib/testing/patience.ts";

// The tests start two servers, and PostgreSQL with them.
setDefaultTimeout(patient(30_000));

/** The time of day, which operators can set, and the monotonic time, which cannot be set. */
class Clocks {
  now = Date.now();
  steady = 1_000_000;

  /** Advances both clocks. */
  pass(ms: number): void {
    this.now += ms;
    this.steady += ms;
  }
}

/** Opens the same database again, ready for use, with its own clocks. */
type Open = (clocks: Clocks) => Promise<Store>;

const folders: string[] = [];
let server: SharedPostgres | undefined;

beforeAll(async () => {
  if (hasPostgres) server = await sharedPostgres();
});
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
afterEach(closeShops);

async function newSqlite(): Promise<Open> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-lost-"));
  folders.push(folder);
  return async (clocks) =>
    openStore(
      join(folder, "state.db"),
      () => clocks.now,
      5000,
      () => clocks.steady,
    );
}

async function newPostgres(): Promise<Open> {
  if (server === undefined) throw new Error("There is no PostgreSQL");
  const settings = server.settings({ user: await server.newUser() });
  return async (clocks) => {
    const store = openPostgresStore(
      settings,
      () => clocks.now,
      () => clocks.steady,
    );
    await store.ready();
    return store;
  };
}

const STORES = [
  ["SQLite", newSqlite, true],
  ["PostgreSQL", newPostgres, hasPostgres],
] as const;

/** Two gateways on one database, whose clocks have run evenly for the time of a lease. */
async function openTwo(newDatabase: () => Promise<Open>, settle: "before" | "after", clocks: Clocks) {
  const open = await newDatabase();
  const stores = [await open(clocks), await open(clocks)] as const;
  clocks.pass(LEASE_MS);
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const order: string[] = [];
  const shop = (name: string, store: Store, waits: boolean): Shop =>
    openShop({
      store,
      terms: { settle },
      upstream: (exchange) => {
        order.push(name);
        respondWith(exchange, 200, "the goods");
      },
      facilitator: (real) => ({
        async settle(...payment) {
          const settlement = await real.settle(...payment);
          if (!waits) return settlement;
          reached.resolve();
          await gate.promise;
          return settlement;
        },
      }),
    });
  return { one: shop("one", stores[0], true), two: shop("two", stores[1], false), gate, reached, order };
}

for (const [name, newDatabase, isThere] of STORES) {
  describe.skipIf(!isThere)(name, () => {
    for (const settle of ["before", "after"] as const) {
      for (const step of [60_000, -60_000, 3_600_000, -3_600_000]) {
        test(`settle ${settle}: a clock step of ${step / 1000} s during a settlement runs the upstream once`, async () => {
          const clocks = new Clocks();
          const { one, two, gate, reached, order } = await openTwo(newDatabase, settle, clocks);
          const payment = one.payment();
          const first = one.send(payment);
          await reached.promise;
          clocks.now += step;
          for (const shop of [two, one]) {
            const other = await shop.send(payment);
            expect([other.status, other.headers.get("retry-after")]).toEqual([409, "1"]);
          }
          gate.resolve();
          const response = await first;
          expect([response.status, await response.text()]).toEqual([200, "the goods"]);
          await until(async () => (await one.recorded(payment))?.delivered === true);
          expect([order, one.settlements + two.settlements]).toEqual([["one"], 1]);
        });
      }

      test(`settle ${settle}: a request that loses its lease while it settles delivers nothing, and the next one delivers once`, async () => {
        const clocks = new Clocks();
        const { one, two, gate, reached } = await openTwo(newDatabase, settle, clocks);
        const payment = one.payment();
        const first = one.send(payment);
        await reached.promise;
        // The first gateway's process is suspended, so its lease is not renewed.
        clocks.pass(LEASE_MS + 1);
        const second = await two.send(payment);
        expect([second.status, await second.text()]).toEqual([200, "the goods"]);
        await until(async () => (await two.recorded(payment))?.delivered === true);
        gate.resolve();
        const late = await first;
        expect([late.status, late.headers.get("retry-after")]).toEqual([409, "1"]);
        expect(await late.text()).not.toContain("the goods");
        expect(one.logged.join()).toContain("a lease on /goods was lost while it was settling");
        expect(counted(one)).toEqual({ stages: { signed: 1, verified: 1 }, losses: { used: 1 } });
        expect(await one.recorded(payment)).toMatchObject({ state: "settled", delivered: true });
      });
    }

    test("a late refusal does not end a payment that another request has leased: no new price", async () => {
      const clocks = new Clocks();
      const open = await newDatabase();
      const stores = [await open(clocks), await open(clocks)] as const;
      clocks.pass(LEASE_MS);
      const gate = Promise.withResolvers<void>();
      const reached = Promise.withResolvers<void>();
      const one = openShop({
        store: stores[0],
        facilitator: () => ({
          async settle() {
            reached.resolve();
            await gate.promise;
            return { kind: "refused", reason: "invalid_exact_evm_insufficient_balance" };
          },
        }),
      });
      const two = openShop({ store: stores[1] });
      const payment = one.payment();
      const first = one.send(payment);
      await reached.promise;
      clocks.pass(LEASE_MS + 1);
      expect((await two.send(payment)).status).toBe(200);
      gate.resolve();
      const late = await first;
      expect([late.status, late.headers.get("payment-required")]).toEqual([409, null]);
      expect(await two.recorded(payment)).toMatchObject({ state: "settled" });
    });
  });
}
