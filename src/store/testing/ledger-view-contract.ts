import { expect, test } from "bun:test";
import { type LedgerFilter } from "../ledger-view.ts";
import { type Payment, type PaymentState, type Reservation } from "../ledger.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_FOUND = 10;
const LEASE_MS = 15_000;

const DAY_MS = 86_400_000;

async function book(store: Store, state: PaymentState, change: Partial<Reservation>, transaction = ""): Promise<void> {
  const { payment } = await store.ledger.reserve({ ...RESERVATION, ...change });
  if (state !== "reserved") await store.ledger.move(payment, { state, lease: false, transaction });
}

/** For tests only: behaviour that every `LedgerView` must have. */
export function testLedgerView(newDatabase: NewDatabase): void {
  testList(newDatabase);
  testTotals(newDatabase);
  testSold(newDatabase);
  testSearch(newDatabase);
}

function testList(newDatabase: NewDatabase): void {
  test("payments are listed newest first, page by page, also those of one millisecond", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (let i = 0; i < 9; i++) {
      await book(store, "settled", { nonce: `0x${i}` });
      if (i % 3 === 2) clock.now += 1;
    }
    const seen: Payment[] = [];
    for (;;) {
      const before = seen.at(-1);
      const page = await store.view.list({}, { limit: 2, before });
      if (page.length === 0) break;
      seen.push(...page);
    }
    expect(seen).toHaveLength(9);
    expect(new Set(seen.map(({ nonce }) => nonce)).size).toBe(9);
    expect(seen.map(({ createdAt }) => createdAt - START)).toEqual([2, 2, 2, 1, 1, 1, 0, 0, 0]);
  });

  const filters: readonly (readonly [LedgerFilter, readonly string[]])[] = [
    [{}, ["0x3", "0x2", "0x1", "0x0"]],
    [{ states: ["failed", "unknown"] }, ["0x2", "0x1"]],
    [{ states: [] }, []],
    [{ owed: true }, ["0x0"]],
    [{ owed: true, route: "/b" }, []],
    [{ refunded: true }, []],
    [{ route: "/b" }, ["0x3", "0x2"]],
    [{ payer: "0xalice" }, ["0x2", "0x0"]],
    [{ since: START + 1, until: START + 3 }, ["0x2", "0x1"]],
    [{ payer: "0xalice", route: "/b", states: ["unknown"], since: START }, ["0x2"]],
    [{ route: "' OR 1 --" }, []],
  ];
  test("a payment must match all conditions of a filter", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (const [i, state] of (["settled", "failed", "unknown", "reserved"] as const).entries()) {
      await book(store, state, {
        nonce: `0x${i}`,
        route: i < 2 ? "/a" : "/b",
        from: i % 2 === 0 ? "0xalice" : "0xbob",
      });
      clock.now += 1;
    }
    for (const [filter, nonces] of filters) {
      const found = await store.view.list(filter, { limit: 10 });
      expect(found.map(({ nonce }) => nonce)).toEqual([...nonces]);
    }
  });

  test("the view reads the payments of the ledger", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await book(store, "unknown", {});
    const [read] = await store.view.list({}, { limit: 10 });
    expect(read).toEqual(await store.ledger.find(RESERVATION));
  });
}

function testTotals(newDatabase: NewDatabase): void {
  test("payments whose outcome is open are counted", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    expect((await store.view.standing()).open).toBe(0);
    for (const state of ["settling", "unknown", "unknown", "settled", "failed", "verified"] as const) {
      await book(store, state, { nonce: crypto.randomUUID() });
    }
    expect((await store.view.standing()).open).toBe(3);
  });

  test("totals of settled payments are exact, by route, payer and day", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const huge = (2n ** 255n).toString();
    await book(store, "settled", { nonce: "0x1", amount: huge, from: "0xalice" });
    await book(store, "settled", { nonce: "0x2", amount: huge, from: "0xbob" });
    await book(store, "settled", { nonce: "0x3", amount: "1", from: "0xbob" });
    await book(store, "failed", { nonce: "0x4", amount: "1000", from: "0xbob" });
    clock.now += DAY_MS;
    await book(store, "settled", { nonce: "0x5", amount: "7", from: "0xbob", route: "/other", token: "0xeuro" });
    const { network } = RESERVATION;
    const euro = { network, token: "0xeuro", payments: 1, amount: "7", refunded: "0" };
    const asset = { network, token: "0xasset", refunded: "0" };
    expect(await store.view.totals("route", {})).toEqual([
      { key: "/other", ...euro },
      { key: "/read", ...asset, payments: 3, amount: (2n ** 256n + 1n).toString() },
    ]);
    expect(await store.view.totals("payer", {})).toEqual([
      { key: "0xalice", ...asset, payments: 1, amount: huge },
      { key: "0xbob", ...asset, payments: 2, amount: (2n ** 255n + 1n).toString() },
      { key: "0xbob", ...euro },
    ]);
    expect(await store.view.totals("day", {})).toEqual([
      { key: "2027-01-15", ...asset, payments: 3, amount: (2n ** 256n + 1n).toString() },
      { key: "2027-01-16", ...euro },
    ]);
    expect(await store.view.totals("day", { states: ["failed"] })).toEqual([]);
    expect(await store.view.totals("route", { since: START + 1 })).toEqual([{ key: "/other", ...euro }]);
  });
}

function testSold(newDatabase: NewDatabase): void {
  test("sums by day and route are exact, at whatever time a payment was settled", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const huge = (2n ** 255n).toString();
    await book(store, "settled", { nonce: "0x1", amount: huge });
    await book(store, "settled", { nonce: "0x2", amount: huge });
    await book(store, "settled", { nonce: "0x3", amount: "999999999999" });
    await book(store, "failed", { nonce: "0x4", amount: "1000" });
    await book(store, "unknown", { nonce: "0x5", amount: "7", route: "/late" });
    clock.now += DAY_MS;
    await book(store, "settled", { nonce: "0x6", amount: "1", token: "0xeuro" });
    await book(store, "settled", { nonce: "0x7", amount: "1", route: "/a" });
    const [late] = await store.ledger.claimOpen(1);
    if (late === undefined) throw new Error("the open payment is not found");
    for (const delivered of [false, true]) {
      await store.ledger.move(late, { state: "settled", lease: !delivered, transaction: "0x1", delivered });
    }
    const { network } = RESERVATION;
    const sold = { network, token: "0xasset", route: "/read", payments: 1 };
    const second = [
      { ...sold, day: "2027-01-16", route: "/a", amount: "1" },
      { ...sold, day: "2027-01-16", token: "0xeuro", amount: "1" },
    ];
    expect(await store.view.sold(START)).toEqual([
      ...second,
      { ...sold, day: "2027-01-15", route: "/late", amount: "7" },
      { ...sold, day: "2027-01-15", payments: 3, amount: (2n ** 256n + 999_999_999_999n).toString() },
    ]);
    expect(await store.view.sold(START + DAY_MS)).toEqual(second);
  });

  test("unfinished payments are counted: open, unknown and owed, and the oldest open one", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    expect(await store.view.standing()).toEqual({ open: 0, unknown: 0, deferred: 0, owed: 0, oldestOpen: undefined });
    for (const state of ["settling", "unknown", "unknown", "settled", "failed", "verified"] as const) {
      await book(store, state, { nonce: crypto.randomUUID() });
      clock.now += 1000;
    }
    const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce: "0xdone" });
    await store.ledger.move(payment, { state: "settled", lease: true });
    expect(await store.view.standing()).toEqual({ open: 3, unknown: 2, deferred: 0, owed: 1, oldestOpen: START });
    await store.ledger.move(payment, { state: "settled", lease: false, delivered: true });
    expect(await store.view.standing()).toEqual({ open: 3, unknown: 2, deferred: 0, owed: 1, oldestOpen: START });
    // A payment whose holder was killed is owed as soon as its lease has expired.
    const { payment: left } = await store.ledger.reserve({ ...RESERVATION, nonce: "0xleft" });
    await store.ledger.move(left, { state: "settled", lease: true });
    clock.now += LEASE_MS;
    expect((await store.view.standing()).owed).toBe(1);
    clock.now += 1;
    expect((await store.view.standing()).owed).toBe(2);
  });
}

function testSearch(newDatabase: NewDatabase): void {
  test("payments are found by the beginning of nonce or transaction, the newest few", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (let i = 0; i < MAX_FOUND + 2; i++) {
      await book(store, "settled", { nonce: `0xaa${i.toString(16)}` }, i === 3 ? "0xBBcc" : "");
      clock.now += 1;
    }
    expect(await store.view.search("0xaa3")).toMatchObject([{ nonce: "0xaa3" }]);
    expect(await store.view.search("0xbb")).toMatchObject([{ nonce: "0xaa3", transaction: "0xBBcc" }]);
    expect(await store.view.search("0xbbcc")).toHaveLength(1);
    const many = await store.view.search("0xaa");
    expect(many).toHaveLength(MAX_FOUND);
    expect(many[0]?.nonce).toBe(`0xaa${(MAX_FOUND + 1).toString(16)}`);
    // Newer payments that do not match hide no payment, found by its nonce or by its transaction.
    const last = START + 4;
    for (const text of ["0xaa", "0xbb"])
      expect((await store.view.search(text, { since: START + 3, until: last })).map(({ nonce }) => nonce)).toEqual([
        "0xaa3",
      ]);
    expect(await store.view.search("0xaa", { until: START + 1 })).toMatchObject([{ nonce: "0xaa0" }]);
    for (const text of ["0xaa", "0xbb"]) expect(await store.view.search(text, { states: ["failed"] })).toEqual([]);
    for (const nothing of ["0xcc", "0xa%", "0x_a", "aa"]) expect(await store.view.search(nothing)).toEqual([]);
  });

  test("payers are found by the beginning of their address, two at most", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const payers = ["0xab1", "0xab2", "0xab3", "0xac1", "0xac1", "Ab1"];
    for (const [i, from] of payers.entries()) await book(store, "failed", { nonce: `0x${i}`, from });
    expect(await store.view.payers("0xac")).toEqual(["0xac1"]);
    expect(await store.view.payers("0xab2")).toEqual(["0xab2"]);
    expect(await store.view.payers("0xab")).toHaveLength(2);
    for (const nothing of ["0xad", "ab1", "0xa%", "0x_c"]) expect(await store.view.payers(nothing)).toEqual([]);
  });

  test("payments that paid nothing do not hide one that did, by its nonce or its transaction", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await book(store, "settled", { nonce: "0xaa" }, "0xbb");
    for (let i = 0; i < MAX_FOUND; i++) {
      clock.now += 1;
      for (const nonce of ["0xaa", "0xbb"]) await book(store, "failed", { from: `0xevil${i}`, nonce });
    }
    for (const text of ["0xaa", "0xbb"]) {
      const found = await store.view.search(text);
      expect(found).toHaveLength(MAX_FOUND);
      expect(found[0]).toMatchObject({ nonce: "0xaa", state: "settled" });
    }
  });
}
