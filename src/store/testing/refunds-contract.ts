import { expect, test } from "bun:test";
import { type PaymentKey, type PaymentState } from "../ledger.ts";
import { purchaseOf } from "../credits.ts";
import { type NewNotice } from "../outbox.ts";
import { type BeginResult, type Refund, type RefundWish } from "../refunds.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const LEASE_MS = 15_000;

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const REFUND_TURN_MS = 30_000;

const DAY_MS = 86_400_000;
/** A refund of all that is left. */
export const WISH: RefundWish = {
  id: "rest",
  amount: undefined,
  recorded: undefined,
  by: "test",
  validBefore: 4_000_000_000,
};

/** A refund that is pending. */
export const REFUND: Refund = {
  ...RESERVATION,
  sequence: 1,
  id: "i",
  state: "pending",
  amount: "1",
  validBefore: 1,
  sent: false,
  transaction: "",
  reason: "",
  by: "",
  createdAt: 0,
  updatedAt: 0,
};

/** Records a payment of 10000 that is in this state. */
export async function settle(store: Store, state: PaymentState = "settled", nonce = "0xnonce"): Promise<PaymentKey> {
  const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce, validBefore: START / 1000 - 600 });
  if (state !== "reserved") await store.ledger.move(payment, { state, lease: false, transaction: "0xpaid" });
  return payment;
}

async function began(begin: Promise<BeginResult>): Promise<Refund> {
  const result = await begin;
  if (result.kind === "refused") throw new Error(`refused: ${result.why}`);
  return result.refund;
}

function noticeOf({ id }: Refund): NewNotice {
  return { id, url: "http://x/", body: "{}" };
}

/** For tests only: which refunds every store must accept, and how they end. */
export function testRefunds(newDatabase: NewDatabase): void {
  testBeginning(newDatabase);
  testEnding(newDatabase);
  testOwed(newDatabase);
}

function testBeginning(newDatabase: NewDatabase): void {
  test("a refund reserves its amount, and the response is not owed any more", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const payment = await settle(store);
    expect((await store.view.standing()).owed).toBe(1);
    const refund = await began(store.refunds.begin(payment, { ...WISH, id: "a", amount: "4000" }));
    expect(refund).toMatchObject({ ...keyOf(payment), sequence: 1, id: "a", state: "pending", amount: "4000" });
    expect(await store.view.refundsOf(payment)).toEqual([refund]);
    expect(await store.ledger.find(payment)).toMatchObject({ refunded: "4000", delivered: false });
    const { nonce } = payment;
    await store.ledger.reserve({ ...RESERVATION, nonce: `${nonce}0` });
    expect(await store.view.list({ refunded: true }, { limit: 10 })).toMatchObject([{ nonce }]);
    expect(await store.view.search(nonce, { refunded: true })).toMatchObject([{ nonce }]);
    expect((await store.view.standing()).owed).toBe(0);
    expect((await store.ledger.reserve({ ...RESERVATION })).leased).toBe(false);
    expect(await store.ledger.repeat(payment, 3)).toBe(false);
    expect(await began(store.refunds.begin(payment, WISH))).toMatchObject({ sequence: 2, amount: "6000" });
    expect(await store.refunds.pending()).toBe(2);
  });

  test.each<[PaymentState, string]>([
    ["reserved", "unsettled"],
    ["failed", "unsettled"],
    ["unknown", "open"],
    ["settling", "open"],
  ])("a payment in state %s cannot be refunded", async (state, why) => {
    await using opened = await openFresh(newDatabase);
    const payment = await settle(opened.store, state);
    expect(await opened.store.refunds.begin(payment, WISH)).toEqual({
      kind: "refused",
      why: why as "open" /* of the table */,
    });
  });

  test("a payment that the ledger does not have cannot be refunded", async () => {
    await using opened = await openFresh(newDatabase);
    expect(await opened.store.refunds.begin(RESERVATION, WISH)).toEqual({ kind: "refused", why: "absent" });
  });

  test("a payment that bought a prepaid balance is neither refunded nor owed", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const payment = await settle(store);
    const credit = { id: "one", hash: "h", owner: "0xfrom", unit: "money", name: "", network: "", token: "" } as const;
    const grant = { id: purchaseOf(payment), kind: "bought", amount: "10000", payment: payment.nonce } as const;
    await store.credits.open({ ...credit, routes: [], expiresAt: 0 }, grant);
    expect(await store.refunds.begin(payment, WISH)).toEqual({ kind: "refused", why: "credit" });
    expect(await store.refunds.owed(["0xto"], START + 1, 10)).toEqual([]);
  });

  test("a payment that bought a pass is refunded after the pass is revoked", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const payment = await settle(store);
    const pass = { id: "one", hash: "h", owner: "0xfrom", unit: "calls", name: "ten", network: "", token: "" } as const;
    const grant = { id: purchaseOf(payment), kind: "bought", amount: "10", payment: payment.nonce } as const;
    await store.credits.open({ ...pass, routes: [], expiresAt: 0 }, grant);
    expect(await store.refunds.begin(payment, WISH)).toEqual({ kind: "refused", why: "credit" });
    await store.credits.revoke("one");
    expect((await store.refunds.begin(payment, WISH)).kind).toBe("begun");
  });

  test("a purchase of another payer with the same nonce does not keep a payment from its refund", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const payment = await settle(store);
    const credit = { id: "two", hash: "h", owner: "0xevil", unit: "money", name: "", network: "", token: "" } as const;
    const id = purchaseOf({ ...payment, from: "0xevil" });
    const grant = { id, kind: "bought", amount: "1", payment: payment.nonce } as const;
    await store.credits.open({ ...credit, routes: [], expiresAt: 0 }, grant);
    expect(await store.refunds.owed(["0xto"], START + 1, 10)).toHaveLength(1);
    expect((await store.refunds.begin(payment, WISH)).kind).toBe("begun");
  });

  test("a payment that is refunded while its purchase outlives its lease buys no prepaid balance", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const own = { owner: "0xfrom", unit: "money", name: "", network: "", token: "", routes: [], expiresAt: 0 } as const;
    const old = { id: "old", kind: "issued", amount: "1", payment: "" } as const;
    await store.credits.open({ id: "one", hash: "h", ...own }, old);
    const { payment } = await store.ledger.reserve(RESERVATION);
    await store.ledger.move(payment, { state: "settled", lease: true });
    clock.now += LEASE_MS + 1;
    expect((await store.refunds.begin(payment, WISH)).kind).toBe("begun");
    const grant = { id: purchaseOf(payment), kind: "bought", amount: "10000", payment: payment.nonce } as const;
    expect(await store.credits.open({ id: "two", hash: "h", ...own }, grant)).toBeUndefined();
    expect(await store.credits.find("two")).toBeUndefined();
    expect(await store.credits.add("one", grant, 0)).toBe(false);
    expect(await store.credits.find("one")).toMatchObject({ balance: "1" });
  });

  test("a payment is not refunded while a request receives its response", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const { payment } = await store.ledger.reserve(RESERVATION);
    await store.ledger.move(payment, { state: "settled", lease: true });
    expect(await store.refunds.begin(payment, WISH)).toEqual({ kind: "refused", why: "busy" });
    clock.now += LEASE_MS + 1;
    expect((await store.refunds.begin(payment, WISH)).kind).toBe("begun");
  });

  test("the same id is the same refund, and with another amount it is refused", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const payment = await settle(store);
    const wish = { ...WISH, id: "a", amount: "10", notice: noticeOf };
    const refund = await began(store.refunds.begin(payment, wish));
    expect(await store.refunds.begin(payment, wish)).toEqual({ kind: "known", refund });
    const differs = { kind: "refused", why: "differs" } as const;
    expect(await store.refunds.begin(payment, { ...wish, amount: "11" })).toEqual(differs);
    const done = { ...WISH, recorded: "0xdone", notice: noticeOf };
    expect(await began(store.refunds.begin(payment, done))).toMatchObject({ state: "recorded", transaction: "0xdone" });
    expect((await store.refunds.begin(payment, done)).kind).toBe("known");
    expect(await store.refunds.begin(payment, { ...done, recorded: "0xother" })).toEqual(differs);
    expect(await store.outbox.claim(10)).toMatchObject([{ id: WISH.id }]);
  });

  test("refunds never exceed the payment, also of fifty at once over two connections", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const payment = await settle(store);
    expect(await store.refunds.begin(payment, { ...WISH, amount: "10001" })).toEqual({
      kind: "refused",
      why: "exceeds",
    });
    expect(await store.refunds.begin(payment, { ...WISH, amount: "0" })).toEqual({ kind: "refused", why: "exceeds" });
    const other = await opened.another();
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 === 0 ? store : other).refunds.begin(payment, { ...WISH, id: `id${i}`, amount: "900" }),
      ),
    );
    expect(results.filter((result) => result.kind === "begun")).toHaveLength(11);
    expect(await store.ledger.find(payment)).toMatchObject({ refunded: "9900" });
    const sequences = (await store.view.refundsOf(payment)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 11 }, (_, i) => i + 1));
  });
}

/** The key of a payment alone. */
export function keyOf({ network, asset, from, nonce }: PaymentKey): PaymentKey {
  return { network, asset, from, nonce };
}

function testEnding(newDatabase: NewDatabase): void {
  test("a pending refund is claimed by one process at a time, until it ends", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const other = await opened.another();
    const payment = await settle(store);
    const refund = await began(store.refunds.begin(payment, WISH));
    expect(await store.refunds.claim(10)).toMatchObject([{ sequence: 1, sent: false }]);
    expect(await other.refunds.claim(10)).toEqual([]);
    expect(await store.refunds.sending(refund)).toBe(true);
    clock.now += REFUND_TURN_MS;
    expect(await other.refunds.claim(10)).toMatchObject([{ sequence: 1, sent: true }]);
    await other.refunds.postpone(refund, clock.now + 5, "no balance");
    expect(await store.view.refundsOf(payment)).toMatchObject([{ state: "pending", reason: "no balance" }]);
    clock.now += 5;
    expect(await store.refunds.claim(10)).toHaveLength(1);
    // The clock was set back.
    clock.now -= DAY_MS;
    expect(await store.refunds.claim(10)).toHaveLength(1);
    const notice = { id: crypto.randomUUID(), url: "http://x/", body: "{}" };
    const end = { state: "settled", transaction: "0xback", reason: "", notice } as const;
    expect(await store.refunds.end(refund, end)).toBe(true);
    expect(await other.refunds.end(refund, { ...end, state: "failed" })).toBe(false);
    expect(await other.refunds.sending(refund)).toBe(false);
    expect(await store.outbox.claim(10)).toMatchObject([{ id: notice.id }]);
    expect(await store.view.refundsOf(payment)).toMatchObject([
      { state: "settled", transaction: "0xback", reason: "" },
    ]);
    clock.now += DAY_MS;
    expect(await store.refunds.claim(10)).toEqual([]);
  });

  test("the amount of a failed refund can be refunded again, under the same id and another number", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const payment = await settle(store);
    const refund = await began(store.refunds.begin(payment, WISH));
    await store.refunds.end(refund, { state: "failed", transaction: "", reason: "expired" });
    expect(await store.ledger.find(payment)).toMatchObject({ refunded: "0" });
    expect((await store.view.standing()).owed).toBe(1);
    const again = await began(store.refunds.begin(payment, WISH));
    expect(again).toMatchObject({ id: "rest", sequence: 2, amount: "10000" });
    clock.now += 1;
    await store.refunds.end(again, { state: "settled", transaction: "0xback", reason: "" });
    const times = { since: START, until: clock.now + 1 };
    expect(await store.view.refunded(times, { limit: 10, offset: 0 })).toMatchObject([
      { sequence: 2, state: "settled" },
    ]);
    expect(await store.view.refunded({ ...times, until: clock.now }, { limit: 10, offset: 0 })).toEqual([]);
  });

  test("a pending refund ends as the one that the operator names, with its amount and under its number", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const payment = await settle(store);
    const validBefore = START / 1000 + 900;
    const refund = await began(store.refunds.begin(payment, { ...WISH, amount: "4000", id: "a", validBefore }));
    const told = { ...WISH, id: "a", recorded: "0xmade", amount: "7000" };
    expect(await store.refunds.begin(payment, { ...told, amount: "10001" })).toEqual({
      kind: "refused",
      why: "exceeds",
    });
    const recorded = { sequence: 1, id: "a", state: "recorded", amount: "7000", transaction: "0xmade", reason: "" };
    expect(await store.refunds.begin(payment, { ...told, notice: noticeOf })).toMatchObject({
      kind: "begun",
      refund: recorded,
    });
    expect(await store.refunds.begin(payment, told)).toMatchObject({ kind: "known", refund: recorded });
    expect(await store.ledger.find(payment)).toMatchObject({ refunded: "7000" });
    expect(await store.outbox.claim(9)).toHaveLength(1);
    expect([await store.refunds.sending(refund), await store.refunds.claim(9), await store.refunds.pending()]).toEqual([
      false,
      [],
      0,
    ]);
    const next = await began(store.refunds.begin(payment, { ...WISH, validBefore }));
    expect(next).toMatchObject({ sequence: 2, amount: "3000" });
    // One that was sent may still be made.
    await store.refunds.sending(next);
    const late = { ...WISH, recorded: "0xlate" };
    clock.now = validBefore * 1000 + 3_599_999;
    expect(await store.refunds.begin(payment, late)).toEqual({ kind: "refused", why: "sent" });
    clock.now += 1;
    expect(await store.refunds.begin(payment, late)).toMatchObject({ kind: "begun", refund: { amount: "3000" } });
    expect(await store.view.refundsOf(payment)).toMatchObject([recorded, { sequence: 2, state: "recorded" }]);
  });

  test("what was given back of a prepaid balance is among the refunds", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    const own = { owner: "0xfrom", unit: "money", name: "", network: "eip155:8453", token: "0xusdc" } as const;
    const grant = { id: "g", kind: "bought", amount: "100", payment: "0xpaid" } as const;
    await store.credits.open({ id: "one", hash: "h", ...own, routes: [], expiresAt: 0 }, grant);
    for (const [i, amount] of ["40", "60"].entries()) {
      const refund = { id: `refunded:one:${i}`, kind: "refunded", amount, payment: `0xback${i}` } as const;
      expect(await store.credits.take("one", refund)).toBe(true);
    }
    const times = { since: START, until: START + 1 };
    const all = [
      ...(await store.view.refunded(times, { limit: 1, offset: 0 })),
      ...(await store.view.refunded(times, { limit: 9, offset: 1 })),
    ];
    const same = { network: "eip155:8453", asset: "0xusdc", from: "0xfrom", nonce: "credit:one", state: "recorded" };
    expect(all).toMatchObject([
      { ...same, id: "0xback0", amount: "40", transaction: "0xback0" },
      { ...same, id: "0xback1", amount: "60", transaction: "0xback1" },
    ]);
    expect(await store.view.refunded({ since: 0, until: START }, { limit: 9, offset: 0 })).toEqual([]);
  });

  test("a payment is kept as long as its refund, and forgotten with it", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const payment = await settle(store);
    clock.now += DAY_MS;
    await began(store.refunds.begin(payment, { ...WISH, recorded: "0xdone" }));
    expect(await store.forget(clock.now, 10)).toBe(0);
    clock.now += DAY_MS;
    expect(await store.forget(clock.now, 10)).toBe(1);
    expect(await store.view.refundsOf(payment)).toEqual([]);
  });

  test("a payment is not forgotten before its refund has ended, also if both happen at once", async () => {
    await using opened = await openFresh(newDatabase);
    const stores = [opened.store, await opened.another()];
    const refunds: Refund[] = [];
    for (let i = 0; i < 40; i++) {
      const payment = await settle(opened.store, "settled", `0x${i}`);
      refunds.push(await began(opened.store.refunds.begin(payment, WISH)));
    }
    opened.clock.now += DAY_MS;
    const end = { state: "settled", transaction: "0xback", reason: "" } as const;
    const [ended, forgotten] = await Promise.all([
      Promise.all(refunds.map(async (refund, i) => (stores[i % 2] ?? opened.store).refunds.end(refund, end))),
      Promise.all(refunds.map(async (_, i) => (stores[i % 2] ?? opened.store).forget(opened.clock.now, 100))),
    ]);
    expect(ended).toEqual(refunds.map(() => true));
    expect(forgotten).toEqual(refunds.map(() => 0));
    opened.clock.now += 1;
    expect(await opened.store.forget(opened.clock.now, 100)).toBe(refunds.length);
  });
}

function testOwed(newDatabase: NewDatabase): void {
  test("owed payments to the given payees are found when they are old enough", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const payment = await settle(store);
    await store.ledger.deliver(await settle(store, "settled", "0xdelivered"));
    const { payment: left } = await store.ledger.reserve({ ...RESERVATION, nonce: "0xleft", payTo: "0xTO" });
    await store.ledger.move(left, { state: "settled", lease: true });
    await settle(store, "unknown", "0xopen");
    const owed = async (before: number, payee = "0xto"): Promise<string[]> =>
      (await store.refunds.owed([payee], before, 10)).map(({ nonce }) => nonce).toSorted();
    expect(await owed(START)).toEqual([]);
    expect(await owed(START + 1)).toEqual(["0xnonce"]);
    expect(await owed(START + 1, "0xother")).toEqual([]);
    clock.now += LEASE_MS + 1;
    expect(await owed(START + 1)).toEqual(["0xleft", "0xnonce"]);
    await began(store.refunds.begin(payment, WISH));
    expect(await owed(clock.now + 1)).toEqual(["0xleft"]);
  });
}
