import { expect, test } from "bun:test";
import { type Store } from "../store.ts";
import {
  type FunnelUse,
  OTHER_CONSUMERS,
  type PaidUse,
  type RouteUse,
  type UpstreamUse,
  type UsageBatch,
  type UsageTotals,
} from "../usage-store.ts";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const HOUR_MS = 3_600_000;

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const FUNNEL_DAYS = 30;
const KEPT_EPOCHS = 4;
const KEPT_HOURS = 720;
const MAX_FUNNEL_USES = 2000;
const MAX_OTHER_USES = 1024;
const MAX_ROUTE_USES = 10_000;

const COUNTS = { requestBytes: 10, responseBytes: 100, clientErrors: 1, serverErrors: 2 };
const LARGE = "123456789012345678901234567890";

function use(consumer: string, requests = 1, changes: Partial<RouteUse> = {}): RouteUse {
  return { consumer, route: "/", requests, ...COUNTS, lastSeen: START + requests, ...changes };
}

function batch(gateway: string, sequence: number, routes: readonly RouteUse[] = [use("alice")]): UsageBatch {
  const upstreams: UpstreamUse[] = [{ upstream: "origin", requests: 3, ...COUNTS, lastSeen: START }];
  return { gateway, sequence, routes, upstreams, funnel: [] };
}

function requestsOf({ routes }: UsageTotals, name?: string): number {
  const own = routes.filter(({ consumer }) => name === undefined || consumer === name);
  return own.reduce((sum, { requests }) => sum + requests, 0);
}

async function paidOf(totals: Promise<UsageTotals>): Promise<PaidUse[]> {
  return (await totals).paid.toSorted((a, b) => (a.consumer < b.consumer ? -1 : 1));
}

async function settle({ ledger }: Store, nonce: string, changes: Partial<typeof RESERVATION> = {}): Promise<void> {
  const { payment } = await ledger.reserve({ ...RESERVATION, consumer: "alice", nonce, ...changes });
  await ledger.move(payment, { state: "settling", lease: true });
  await ledger.move(payment, { state: "settled", lease: true, transaction: "0xtx" });
  await ledger.move(payment, { state: "settled", lease: false, delivered: true });
}

/** For tests only: behaviour that every `UsageStore` must have. */
export function testUsage(newDatabase: NewDatabase): void {
  testBatches(newDatabase);
  testHours(newDatabase);
  testResets(newDatabase);
  testPayments(newDatabase);
  testBounds(newDatabase);
  testFunnel(newDatabase);
}

function testBatches(newDatabase: NewDatabase): void {
  test("batches of several gateways add up, and the newest time is kept", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    const other = (await opened.another()).usage;
    await usage.add(batch("one", 1, [use("alice", 5), use("", 1)]));
    await other.add(batch("two", 1, [use("alice", 2), use("bob", 1)]));
    const totals = await usage.read("one");
    expect(totals.routes.toSorted((a, b) => (a.consumer < b.consumer ? -1 : 1))).toEqual([
      use("", 1),
      {
        ...use("alice", 7),
        requestBytes: 20,
        responseBytes: 200,
        clientErrors: 2,
        serverErrors: 4,
        lastSeen: START + 5,
      },
      use("bob", 1),
    ]);
    expect(totals.upstreams).toMatchObject([{ upstream: "origin", requests: 6, responseBytes: 200, lastSeen: START }]);
    expect(totals).toMatchObject({ sequence: 1, paid: [] });
    expect((await usage.read("three")).sequence).toBe(0);
  });

  test("a repeated batch changes nothing", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    for (const sequence of [1, 1, 2, 1, 2]) await usage.add(batch("one", sequence));
    const totals = await usage.read("one");
    expect(requestsOf(totals)).toBe(2);
    expect(totals.sequence).toBe(2);
  });

  test("names that are hostile to databases are stored unchanged", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    const names = [
      "'; DROP TABLE payments; --",
      '"\\',
      "=1+1",
      "a\nb\r\t\u0001",
      "中\u{1f600}",
      "null",
      "x".repeat(256),
    ];
    await usage.add(
      batch(
        "one",
        1,
        names.map((name) => use(name)),
      ),
    );
    const { routes } = await usage.read("one");
    expect(routes.map(({ consumer }) => consumer).toSorted()).toEqual(names.toSorted());
  });

  test("large numbers are exact", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    const half = 2 ** 52;
    for (const sequence of [1, 2]) {
      await usage.add(batch("one", sequence, [use("alice", 1, { responseBytes: half - 1 })]));
    }
    expect((await usage.read("one")).routes[0]?.responseBytes).toBe(2 * half - 2);
  });

  test("batches from many connections at once are all added", async () => {
    await using opened = await openFresh(newDatabase);
    const stores = [opened.store, await opened.another(), await opened.another()];
    await Promise.all(
      stores.map(async ({ usage }, i) => {
        const names = i % 2 === 0 ? ["a", "b", "c"] : ["c", "b", "a"];
        for (let n = 1; n <= 10; n++)
          await usage.add(
            batch(
              `gateway ${i}`,
              n,
              names.map((name) => use(name)),
            ),
          );
      }),
    );
    const totals = await opened.store.usage.read("gateway 0");
    expect(["a", "b", "c"].map((name) => requestsOf(totals, name))).toEqual([30, 30, 30]);
  });
}

function testHours(newDatabase: NewDatabase): void {
  test("requests are kept by hour for 30 days, over all gateways and resets, and once if a batch is repeated", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { usage } = store;
    const other = (await opened.another()).usage;
    const hour = Math.floor(START / HOUR_MS) * HOUR_MS;
    await usage.add(batch("one", 1, [use("alice", 5), use("bob", 2)]));
    await usage.add(batch("one", 1, [use("alice", 5), use("bob", 2)]));
    await other.add(batch("two", 1, [use("", 1)]));
    await usage.reset("first", "one");
    clock.now += 2 * HOUR_MS;
    await usage.add(batch("one", 2, [use("alice", 3)]));
    await usage.add(batch("one", 3, []));
    const first = { hour, requests: 8, clientErrors: 3, serverErrors: 6 };
    const second = { hour: hour + 2 * HOUR_MS, requests: 3, clientErrors: 1, serverErrors: 2 };
    expect(await usage.hours()).toEqual([first, second]);
    clock.now = START + KEPT_HOURS * HOUR_MS;
    expect(await usage.hours()).toEqual([second]);
    await usage.add(batch("one", 4, [use("alice", 1)]));
    expect((await usage.hours()).map(({ requests }) => requests)).toEqual([3, 1]);
  });
}

function testResets(newDatabase: NewDatabase): void {
  test("a reset returns the counts so far, and counting starts again from zero", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { usage } = store;
    await usage.add(batch("one", 1));
    const first = await usage.reset("r1", "one");
    expect(requestsOf(first)).toBe(1);
    expect(await usage.read("one")).toMatchObject({ since: START, sequence: 1, routes: [], upstreams: [] });
    clock.now += 5000;
    await usage.add(batch("one", 2, [use("bob", 7)]));
    const second = await usage.reset("r2", "one");
    expect(second).toMatchObject({ since: START, sequence: 2, routes: [use("bob", 7)] });
    expect((await usage.read("one")).since).toBe(START + 5000);
  });

  test("a repeated reset after a lost response returns the same counts, and loses nothing", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    const other = (await opened.another()).usage;
    await usage.add(batch("one", 1, [use("alice", 3)]));
    await usage.reset("r1", "one");
    await usage.add(batch("one", 2, [use("alice", 4)]));
    expect(requestsOf(await other.reset("other", "two"))).toBe(4);
    expect(requestsOf(await usage.reset("r1", "one"))).toBe(3);
    expect(requestsOf(await usage.read("one"))).toBe(0);
  });

  test("epochs that were closed long ago are deleted", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    for (let i = 1; i <= KEPT_EPOCHS + 1; i++) {
      await usage.add(batch("one", i));
      await usage.reset(`r${i}`, "one");
    }
    expect(requestsOf(await usage.reset("r2", "one"))).toBe(1);
    // For the store this is a new id: it closes the open epoch, which is empty.
    expect(requestsOf(await usage.reset("r1", "one"))).toBe(0);
  });

  test("if gateways reset while batches arrive, each request is in exactly one result", async () => {
    await using opened = await openFresh(newDatabase);
    const writer = (await opened.another()).usage;
    const { usage } = opened.store;
    const written = { batches: 0 };
    const writing = (async () => {
      while (written.batches < 60) {
        const n = written.batches + 1;
        await writer.add(batch("writer", n, [use("alice", n)]));
        written.batches = n;
      }
    })();
    let seen = 0;
    for (let i = 0; written.batches < 60; i++) {
      seen += requestsOf(await usage.reset(`r${i}`, "reader"));
      await Bun.sleep(1);
    }
    await writing;
    seen += requestsOf(await usage.reset("last", "reader"));
    expect(seen).toBe((60 * 61) / 2);
  });
}

function testPayments(newDatabase: NewDatabase): void {
  test("payments are counted once after they are settled, with all digits", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const { usage } = store;
    await settle(store, "0x1", { amount: LARGE });
    await settle(store, "0x2", { amount: "1" });
    await settle(store, "0x3", { consumer: "", route: "/other", token: "0xelse" });
    await store.ledger.reserve({ ...RESERVATION, nonce: "0xnever" });
    const expected = [
      { consumer: "", route: "/other", network: RESERVATION.network, asset: "0xelse", payments: 1, amount: "10000" },
      {
        consumer: "alice",
        route: "/read",
        network: RESERVATION.network,
        asset: "0xasset",
        payments: 2,
        amount: `${LARGE.slice(0, -1)}1`,
      },
    ];
    // The result is the same before and after a batch has counted them.
    expect(await paidOf(usage.read("one"))).toEqual(expected);
    await usage.add(batch("one", 1));
    await usage.add(batch("one", 2));
    expect(await paidOf(usage.read("one"))).toEqual(expected);
    expect(await paidOf(usage.reset("r1", "one"))).toEqual(expected);
    expect((await usage.read("one")).paid).toEqual([]);
    await settle(store, "0x4");
    expect((await usage.reset("r2", "one")).paid).toMatchObject([{ payments: 1, amount: "10000" }]);
    expect((await usage.reset("r1", "one")).paid).toHaveLength(2);
  });

  test("a failed payment that is used again is counted when it is settled, for its new consumer", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const { payment } = await store.ledger.reserve({ ...RESERVATION, consumer: "first" });
    await store.ledger.move(payment, { state: "failed", lease: false });
    await settle(store, RESERVATION.nonce, { consumer: "second" });
    expect((await store.usage.reset("r1", "one")).paid).toMatchObject([{ consumer: "second", payments: 1 }]);
  });

  test("all payments are counted, also more than one statement takes", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const sell = async (nonce: string): Promise<void> => {
      const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce, route: `/${"x".repeat(3000)}` });
      await store.ledger.move(payment, { state: "settled", lease: false, delivered: true });
    };
    for (let begun = 0; begun < 1200; begun += 50)
      await Promise.all(Array.from({ length: 50 }, (_, i) => sell(`0x${begun + i}`)));
    await store.usage.add(batch("one", 1));
    const { paid } = await store.usage.read("one");
    expect(paid).toMatchObject([{ payments: 1200, amount: "12000000" }]);
    // Counters shorten a long route in the same way.
    expect(Buffer.byteLength(paid[0]?.route ?? "")).toBe(256);
  });
}

function testBounds(newDatabase: NewDatabase): void {
  test("beyond the limit new names are counted together, existing ones continue, and no request is lost", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    await usage.add(batch("one", 1, [use("early", 1)]));
    const many = Array.from({ length: MAX_ROUTE_USES + 5 }, (_, i) => use(`consumer ${i}`));
    await usage.add(batch("one", 2, [...many, use("early", 1)]));
    const totals = await usage.read("one");
    expect(totals.routes).toHaveLength(MAX_ROUTE_USES + 1);
    expect(requestsOf(totals)).toBe(MAX_ROUTE_USES + 7);
    expect(requestsOf(totals, "early")).toBe(2);
    // Further consumers keep their route.
    expect(requestsOf(totals, OTHER_CONSUMERS)).toBe(6);
    await usage.add(batch("one", 3, [use("late", 2, { route: "/late" })]));
    const later = (await usage.read("one")).routes.find(({ route }) => route === "/late");
    expect(later).toMatchObject({ consumer: OTHER_CONSUMERS, requests: 2 });
    // So do they up to a limit of their own.
    const routes = Array.from({ length: MAX_OTHER_USES }, (_, i) => use("late", 1, { route: `/late/${i}` }));
    await usage.add(batch("one", 4, routes));
    const beyond = (await usage.read("one")).routes.find(({ route }) => route === "");
    expect(beyond).toMatchObject({ consumer: "", requests: 2 });
    await usage.reset("r1", "one");
    await usage.add(batch("one", 5, [use("late")]));
    expect((await usage.read("one")).routes).toEqual([use("late")]);
  });
}

function step(change: Partial<FunnelUse> = {}): FunnelUse {
  return { day: 100, route: "/", client: "sdk", step: "unpaid", count: 1, ...change };
}

function testFunnel(newDatabase: NewDatabase): void {
  test("the funnel of all gateways adds up by day, once for each batch, and old days are removed", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    const other = (await opened.another()).usage;
    const empty = { routes: [], upstreams: [] };
    const first = { gateway: "one", sequence: 1, ...empty, funnel: [step(), step({ step: "signed", count: 4 })] };
    for (let i = 0; i < 2; i++) await usage.add(first);
    await other.add({ gateway: "two", sequence: 1, ...empty, funnel: [step({ count: 2 }), step({ day: 101 })] });
    await usage.reset("r1", "one");
    const found = await other.funnel(100);
    expect(found.toSorted((a, b) => a.day - b.day || (a.step < b.step ? -1 : 1))).toEqual([
      step({ step: "signed", count: 4 }),
      step({ count: 3 }),
      step({ day: 101 }),
    ]);
    expect(await usage.funnel(101)).toEqual([step({ day: 101 })]);
    await usage.add({ gateway: "one", sequence: 2, ...empty, funnel: [step({ day: 100 + FUNNEL_DAYS })] });
    expect((await usage.funnel(0)).map(({ day }) => day).toSorted((a, b) => a - b)).toEqual([101, 100 + FUNNEL_DAYS]);
  });

  test("a day has a limited number of routes, and the steps of further ones are counted together", async () => {
    await using opened = await openFresh(newDatabase);
    const { usage } = opened.store;
    const many = Array.from({ length: MAX_FUNNEL_USES + 5 + MAX_OTHER_USES }, (_, i) => step({ route: `/${i}` }));
    await usage.add({ gateway: "one", sequence: 1, routes: [], upstreams: [], funnel: many });
    const found = await usage.funnel(0);
    expect(found.find(({ route }) => route === "")).toEqual(step({ route: "", count: 5 }));
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(many.length);
  });
}
