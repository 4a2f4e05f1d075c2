import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../../lib/testing/patience.ts";
import { until } from "../../../../lib/testing/until.ts";
import { channelId } from "../../../../payments/signatures/batch-settlement.ts";
import { channelConfig, channelRequirements } from "../../../../payments/testing/channels.ts";
import { freshAccount } from "../../../../payments/evm/testing/shop.ts";
import { channelNonce } from "../../../../store/channels.ts";
import { type Ledger, type Payment } from "../../../../store/ledger.ts";
import { Lease } from "../sale/lease.ts";
import { closeShops, openShop, type Shop } from "../testing/shop.ts";
import { Cover } from "./cover.ts";
import { NETWORK, open, SELLER, TOKEN, USDC } from "./testing/metered-sale.ts";

setDefaultTimeout(patient(20_000));

afterAll(closeShops);

interface Opened {
  readonly shop: Shop;
  readonly id: string;
  readonly reserve: () => Promise<Payment>;
  /** A payment for three units. The ledger does otherwise as `faults` say. */
  readonly cover: (payment: Payment, faults?: Partial<Ledger>) => Cover;
}

/** Payments that last a millisecond. */
async function openCovers(): Promise<Opened> {
  const shop = openShop();
  const { store, clock, lateWrites, logged } = shop;
  const config = channelConfig(channelRequirements(TOKEN, NETWORK, SELLER), freshAccount().address);
  const id = channelId(NETWORK, config).toLowerCase();
  await open({ store, clock }, id, config, 5000);
  const reservation = {
    network: NETWORK,
    asset: "0xc",
    from: config.payer.toLowerCase(),
    nonce: channelNonce(id, "0"),
    token: USDC,
    scheme: "batch-settlement",
    amount: "1000",
    payTo: "0xp",
    route: "/",
    consumer: "",
    fingerprint: "f",
    validBefore: Math.floor(clock.now / 1000) + 60,
    payload: "",
  };
  const target = { settlement_url: "", gateway_id: "", testMode: false };
  const log = (message: string): void => void logged.push(message);
  const real = store.ledger;
  const whole: Ledger = {
    reserve: (wanted, most) => real.reserve(wanted, most),
    move: (payment, change) => real.move(payment, change),
    deliver: (payment) => real.deliver(payment),
    repeat: (payment, most) => real.repeat(payment, most),
    find: (key) => real.find(key),
    claimOpen: (limit) => real.claimOpen(limit),
    claimDue: (limit) => real.claimDue(limit),
    close: () => real.close(),
  };
  return {
    shop,
    id,
    reserve: async () => {
      const { leased, payment } = await real.reserve(reservation);
      expect(leased).toBe(true);
      return payment;
    },
    cover: (payment, faults = {}) => {
      const { paymentIds } = store;
      const ledger = { ...whole, ...faults };
      const books = { ledger, lateWrites, paymentIds, target, clock: () => clock.now, log, route: "/" };
      const lease = new Lease(books, payment, undefined);
      const shared = { units: 3, lastsMs: 1, transaction: "", spentOn: () => ({}) };
      return new Cover({ paidRoute: books, payment, lease, ...shared });
    },
  };
}

/** A write takes time: one that is not awaited comes too late. */
function slow(ledger: Ledger): Partial<Ledger> {
  return {
    move: async (moved, change) => {
      await new Promise(setImmediate);
      return await ledger.move(moved, change);
    },
  };
}

test("a payment that was charged before is delivered when its units are", async () => {
  const { shop, reserve, cover: coverOf } = await openCovers();
  const { ledger } = shop.store;
  const payment = await reserve();
  await ledger.move(payment, { state: "settled", lease: true, transaction: "0x1", payer: payment.from });
  for (const used of [0, 1]) {
    const cover = coverOf({ ...payment, state: "settled" }, slow(ledger));
    expect(cover.isOpen).toBe(true);
    cover.use(used);
    await cover.close();
    expect(await ledger.find(payment)).toMatchObject({ state: "settled", delivered: used > 0 });
    if (used === 0) expect((await ledger.reserve(payment)).leased).toBe(true);
  }
});

test("a payment that lasts too long is charged whole, and still covers its units", async () => {
  const { shop, id, reserve, cover: coverOf } = await openCovers();
  const { store, clock, logged } = shop;
  const { ledger } = store;
  const payment = await reserve();
  const cover = coverOf(payment, slow(ledger));
  expect([await cover.wait(), cover.isOpen]).toEqual([true, false]);
  // Nothing is charged before the first unit, however long it waits.
  const first = await ledger.find(payment);
  clock.now += 10_000;
  await until(async () => (await ledger.find(payment))?.deferral !== first?.deferral);
  expect(await store.channels.find(id)).toMatchObject({ base: "1000", charged: "0" });
  expect(await cover.open()).toBe(true);
  await until(async () => (await store.channels.find(id))?.charged === "1000");
  expect([cover.isOpen, cover.room]).toEqual([true, 3]);
  cover.use(1);
  await cover.close();
  expect(await store.channels.find(id)).toMatchObject({ base: "1000", charged: "1000" });
  expect(await ledger.find(payment)).toMatchObject({ state: "settled", delivered: true, amount: "1000" });
  expect(logged).toEqual([]);
});

test("a payment that is opened while its wait is recorded is charged after that", async () => {
  const { shop, reserve, cover: coverOf } = await openCovers();
  const { ledger } = shop.store;
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let writes = 0;
  const cover = coverOf(await reserve(), {
    move: async (moved, change) => {
      writes += 1;
      if (writes === 2) {
        begun.resolve();
        await gate.promise;
      }
      return ledger.move(moved, change);
    },
  });
  await cover.wait();
  await begun.promise;
  const opening = cover.open();
  await new Promise(setImmediate);
  expect([writes, cover.isOpen]).toEqual([2, false]);
  gate.resolve();
  expect([await opening, cover.isOpen]).toEqual([true, true]);
  await cover.close();
});

test("a payment of which nothing was used is given back, although the ledger fails at its end", async () => {
  const { shop, id, reserve, cover: coverOf } = await openCovers();
  const { ledger, channels } = shop.store;
  const payment = await reserve();
  let failures = 0;
  const cover = coverOf(payment, {
    move: async (moved, change) => {
      if (change.state === "released" && failures++ < 2) throw new Error("the ledger is away");
      return ledger.move(moved, change);
    },
  });
  await cover.wait();
  await cover.close();
  await until(async () => (await ledger.find(payment))?.state === "released");
  expect(await channels.find(id)).toMatchObject({ base: "0", charged: "0" });
  expect(failures).toBe(3);
});

test("a payment that ends while it is opened is never charged, and marks no later use of it as delivered", async () => {
  const { shop, id, reserve, cover: coverOf } = await openCovers();
  const { ledger, channels } = shop.store;
  const payment = await reserve();
  let deliveries = 0;
  const cover = coverOf(payment, { deliver: async (key) => ++deliveries > 0 && ledger.deliver(key) });
  const opening = cover.open();
  await cover.close();
  await opening;
  expect(await ledger.find(payment)).toMatchObject({ state: "released" });
  // Timers of the same length end in their order.
  const next = coverOf(await reserve());
  expect(await next.open()).toBe(true);
  await until(async () => (await channels.find(id))?.charged === "1000");
  expect(deliveries).toBe(0);
});
