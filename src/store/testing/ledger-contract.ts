import { expect, test } from "bun:test";
import { type PaymentState } from "../ledger.ts";
import { type NewDatabase, openFresh } from "./contract-harness.ts";
import { RESERVATION as PAYMENT } from "./reservation.ts";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const LEASE_MS = 15_000;
const MAX_CUTS = 10;
const RECHECK_MS = 30_000;

/** For tests only: behaviour that every `Ledger` must have. */
export function testLedger(newDatabase: NewDatabase): void {
  testLeases(newDatabase);
  testStates(newDatabase);
  testAfterTheHolderIsGone(newDatabase);
  testWhole(newDatabase);
  testPartials(newDatabase);
  testDeliveryByAnother(newDatabase);
  testOpenPayments(newDatabase);
}

function testLeases(newDatabase: NewDatabase): void {
  test("one caller gets the lease of a payment, and the next one is refused", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const first = await ledger.reserve(PAYMENT);
    const second = await ledger.reserve(PAYMENT);
    expect(first).toMatchObject({ leased: true, payment: { state: "reserved", attempt: 1 } });
    expect(second).toMatchObject({ leased: false, payment: { state: "reserved" } });
    expect((await ledger.reserve({ ...PAYMENT, nonce: "0xother" })).leased).toBe(true);
  });

  test("one of a hundred calls at once over two connections gets the payment", async () => {
    await using opened = await openFresh(newDatabase);
    const stores = [opened.store, await opened.another()];
    const fifty = Array.from({ length: 50 }, () => stores);
    const claims = await Promise.all(fifty.flat().map(({ ledger }) => ledger.reserve(PAYMENT)));
    expect(claims.filter((claim) => claim.leased)).toHaveLength(1);
  });

  test("an earlier holder cannot act after another took over", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { ledger } = store;
    const { payment: earlier } = await ledger.reserve(PAYMENT);
    clock.now += LEASE_MS + 1;
    const { payment: later } = await ledger.reserve(PAYMENT);
    expect(await ledger.move(earlier, { state: "settling", lease: true })).toBe(false);
    expect(await ledger.move(later, { state: "verified", lease: true })).toBe(true);
  });

  test("an earlier holder cannot act after the one that took over has released and a third one begins", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { ledger } = store;
    const { payment: earlier } = await ledger.reserve(PAYMENT);
    clock.now += LEASE_MS + 1;
    const { payment: later } = await ledger.reserve(PAYMENT);
    expect(await ledger.move(later, { state: "released", lease: false })).toBe(true);
    expect(await ledger.find(PAYMENT)).toBeUndefined();
    expect((await ledger.reserve(PAYMENT)).leased).toBe(true);
    expect(await ledger.move(earlier, { state: "settling", lease: true })).toBe(false);
    expect(await ledger.move(earlier, { state: "released", lease: false })).toBe(false);
  });

  test("a holder whose payment was deleted cannot act on a new payment of the same process", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { ledger } = store;
    const { payment: earlier } = await ledger.reserve(PAYMENT);
    expect(await ledger.move(earlier, { state: "released", lease: false })).toBe(true);
    clock.now += 10;
    const { leased, payment } = await ledger.reserve(PAYMENT);
    expect(leased).toBe(true);
    expect(await ledger.move(earlier, { state: "released", lease: false })).toBe(false);
    expect(await ledger.move(earlier, { state: "settled", lease: false, delivered: true })).toBe(false);
    expect(await ledger.move(payment, { state: "settling", lease: true })).toBe(true);
  });

  test("a holder that has released its lease can change nothing", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    expect(await ledger.move(payment, { state: "verified", lease: false })).toBe(true);
    expect(await ledger.move(payment, { state: "settling", lease: true })).toBe(false);
    expect(await ledger.find(PAYMENT)).toMatchObject({ state: "verified" });
  });

  test("a connection cannot change a payment that another connection has the lease of", async () => {
    await using opened = await openFresh(newDatabase);
    const { payment } = await opened.store.ledger.reserve(PAYMENT);
    const other = await opened.another();
    expect(await other.ledger.move(payment, { state: "settling", lease: true })).toBe(false);
    expect(await other.ledger.find(PAYMENT)).toMatchObject({ state: "reserved" });
  });

  test("one connection reads the writes of another", async () => {
    await using opened = await openFresh(newDatabase);
    const { payment } = await opened.store.ledger.reserve(PAYMENT);
    await opened.store.ledger.move(payment, { state: "unknown", lease: false, reason: "timeout" });
    const other = await opened.another();
    expect(await other.ledger.find(PAYMENT)).toMatchObject({ ...PAYMENT, state: "unknown", reason: "timeout" });
  });
}

function testStates(newDatabase: NewDatabase): void {
  test("a payment goes through its states and keeps the data of each step", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    expect(await ledger.move(payment, { state: "verified", lease: true, payer: "0xfrom" })).toBe(true);
    expect(await ledger.move(payment, { state: "settling", lease: true })).toBe(true);
    expect(await ledger.move(payment, { state: "settled", lease: true, transaction: "0xtx" })).toBe(true);
    expect(await ledger.move(payment, { state: "settled", lease: false, delivered: true })).toBe(true);
    expect(await ledger.find(PAYMENT)).toMatchObject({
      state: "settled",
      payer: "0xfrom",
      transaction: "0xtx",
      delivered: true,
      amount: "10000",
    });
    expect((await ledger.reserve(PAYMENT)).leased).toBe(false);
    expect(await ledger.move(payment, { state: "released", lease: false })).toBe(false);
  });

  test("the charged amount replaces the allowed amount", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve({ ...PAYMENT, scheme: "upto" });
    await ledger.move(payment, { state: "settling", lease: true, amount: "17" });
    await ledger.move(payment, { state: "settled", lease: false });
    expect(await ledger.find(PAYMENT)).toMatchObject({ amount: "17", scheme: "upto" });
  });

  test("the digest of the body is written once with a change, and stays until the payment is used again", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    expect(payment.bodyDigest).toBe("");
    await ledger.move(payment, { state: "settling", lease: true, bodyDigest: "5:hash" });
    await ledger.move(payment, { state: "settled", lease: false, delivered: false });
    expect(await ledger.reserve(PAYMENT)).toMatchObject({ leased: true, payment: { bodyDigest: "5:hash" } });
    const { payment: other } = await ledger.reserve({ ...PAYMENT, nonce: "0xfailed" });
    await ledger.move(other, { state: "settling", lease: true, bodyDigest: "5:hash" });
    await ledger.move(other, { state: "failed", lease: false });
    expect((await ledger.reserve({ ...PAYMENT, nonce: "0xfailed" })).payment.bodyDigest).toBe("");
  });

  test("the facilitator that was asked to settle is kept until the payment is used again", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    expect(payment.facilitator).toBe("");
    await ledger.move(payment, { state: "settling", lease: true, facilitator: "first" });
    await ledger.move(payment, { state: "settling", lease: true, facilitator: "second" });
    await ledger.move(payment, { state: "unknown", lease: false });
    expect((await ledger.reserve(PAYMENT)).payment.facilitator).toBe("second");
    const { payment: other } = await ledger.reserve({ ...PAYMENT, nonce: "0xfailed" });
    await ledger.move(other, { state: "settling", lease: true, facilitator: "first" });
    await ledger.move(other, { state: "failed", lease: false });
    expect((await ledger.reserve({ ...PAYMENT, nonce: "0xfailed" })).payment.facilitator).toBe("");
  });

  test("the signed payment is kept until its outcome is known, and no longer", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    for (const state of ["verified", "settling", "unknown"] as const) {
      const { payment } = await ledger.reserve({ ...PAYMENT, nonce: state, payload: "signed" });
      await ledger.move(payment, { state, lease: false });
      expect((await ledger.find(payment))?.payload).toBe("signed");
    }
    for (const state of ["settled", "failed"] as const) {
      const { payment } = await ledger.reserve({ ...PAYMENT, nonce: state, payload: "signed" });
      await ledger.move(payment, { state, lease: false });
      expect((await ledger.find(payment))?.payload).toBe("");
    }
  });

  test("on release an unverified payment is deleted, and a verified one is kept and may be used again", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const first = await ledger.reserve(PAYMENT);
    await ledger.move(first.payment, { state: "released", lease: false });
    expect(await ledger.find(PAYMENT)).toBeUndefined();
    const second = await ledger.reserve(PAYMENT);
    await ledger.move(second.payment, { state: "verified", lease: true });
    await ledger.move(second.payment, { state: "released", lease: false });
    expect(await ledger.find(PAYMENT)).toMatchObject({ state: "released" });
    expect((await ledger.reserve({ ...PAYMENT, fingerprint: "another request" })).leased).toBe(true);
  });

  test("a payment that is used again keeps nothing of its failed use", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve({ ...PAYMENT, scheme: "upto" });
    await ledger.move(payment, {
      state: "failed",
      lease: false,
      reason: "insufficient_funds",
      transaction: "0xtx",
      amount: "17",
    });
    const again = await ledger.reserve({ ...PAYMENT, payload: "anew" });
    expect(again).toMatchObject({
      leased: true,
      payment: { ...PAYMENT, payload: "anew", state: "reserved", reason: "", transaction: "" },
    });
  });
}

const AFTER_THE_HOLDER_IS_GONE: readonly (readonly [PaymentState, PaymentState | "refused", string])[] = [
  ["reserved", "reserved", "reserved"],
  ["verified", "reserved", "reserved"],
  ["settling", "unknown", "refused"],
  ["settled", "settled", "refused"],
];

function testAfterTheHolderIsGone(newDatabase: NewDatabase): void {
  for (const [state, same, other] of AFTER_THE_HOLDER_IS_GONE) {
    test(`left as ${state} by a dead holder: ${same} to the same request, ${other} to another`, async () => {
      await using opened = await openFresh(newDatabase);
      const { clock, store } = opened;
      const { ledger } = store;
      for (const [fingerprint, expected] of [
        ["print", same],
        ["other", other],
      ] as const) {
        const key = { ...PAYMENT, nonce: fingerprint };
        const { payment } = await ledger.reserve(key);
        if (state !== "reserved") await ledger.move(payment, { state, lease: true });
        expect((await ledger.reserve({ ...key, fingerprint })).leased).toBe(false);
        clock.now += LEASE_MS + 1;
        const claim = await ledger.reserve({ ...key, fingerprint });
        expect<string>(claim.leased ? claim.payment.state : "refused").toBe(expected);
      }
    });
  }

  test("a paid payment keeps its terms, even if the price is different when it is requested again", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    await ledger.move(payment, { state: "settled", lease: false });
    const claim = await ledger.reserve({ ...PAYMENT, amount: "99", payTo: "0xnew", route: "/new", token: "0xnew" });
    expect(claim).toMatchObject({
      leased: true,
      payment: { amount: "10000", payTo: "0xto", route: "/read", token: "0xasset" },
    });
  });

  test("a response that was started ten times and never sent completely causes no more upstream requests", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    for (let run = 0; run < MAX_CUTS; run++) {
      const { leased, payment } = await ledger.reserve(PAYMENT);
      expect(leased).toBe(true);
      await ledger.move(payment, { state: "settled", lease: false, delivered: false });
    }
    expect(await ledger.reserve(PAYMENT)).toMatchObject({
      leased: false,
      payment: { state: "settled", delivered: false, cuts: MAX_CUTS },
    });
  });
}

function testWhole(newDatabase: NewDatabase): void {
  test("a response that was counted when it was started, and is whole, was not cut off", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    for (const cuts of [1, 2]) {
      const { payment } = await ledger.reserve(PAYMENT);
      await ledger.move(payment, { state: "settled", lease: true, delivered: false });
      if (cuts === 1) await ledger.move(payment, { state: "settled", lease: false });
      else await ledger.move(payment, { state: "settled", lease: false, delivered: true, uncut: true, partial: false });
    }
    expect(await ledger.find(PAYMENT)).toMatchObject({ delivered: true, cuts: 1 });
  });
}

function testPartials(newDatabase: NewDatabase): void {
  test("responses that were partly sent are counted, up to the caller's limit", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    for (let run = 0; run < 2; run++) {
      const { leased, payment } = await ledger.reserve(PAYMENT, 2);
      expect(leased).toBe(true);
      await ledger.move(payment, { state: "settled", lease: false, partial: true });
    }
    expect(await ledger.reserve(PAYMENT, 2)).toMatchObject({ leased: false, payment: { partials: 2, cuts: 0 } });
    expect((await ledger.reserve(PAYMENT, 3)).leased).toBe(true);
    const { payment } = await ledger.reserve({ ...PAYMENT, nonce: "0xwhole" });
    await ledger.move(payment, { state: "settled", lease: false });
    expect((await ledger.reserve({ ...PAYMENT, nonce: "0xwhole" }, 1)).leased).toBe(true);
  });
}

function testDeliveryByAnother(newDatabase: NewDatabase): void {
  test("the repeats of a settled payment are counted exactly over all connections, up to their limit", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    expect(await ledger.repeat(PAYMENT, 3)).toBe(false);
    await ledger.move(payment, { state: "settled", lease: true });
    const both = [ledger, (await opened.another()).ledger];
    const calls = Array.from({ length: 20 }, () => both.map((one) => one.repeat(PAYMENT, 3)));
    expect((await Promise.all(calls.flat())).filter(Boolean)).toHaveLength(3);
    expect(await ledger.repeat(PAYMENT, 4)).toBe(true);
    expect(await ledger.repeat(PAYMENT, 4)).toBe(false);
    expect(await ledger.find(PAYMENT)).toMatchObject({ repeats: 4, delivered: false, cuts: 0 });
  });

  test("a request without the lease can record the delivery of a settled payment, and no holder can undo it", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    expect(await ledger.deliver(PAYMENT)).toBe(false);
    expect(await ledger.find(PAYMENT)).toMatchObject({ state: "reserved", delivered: false });
    await ledger.move(payment, { state: "settled", lease: true });
    expect(await ledger.deliver({ ...PAYMENT, nonce: "another" })).toBe(false);
    expect(await ledger.find(PAYMENT)).toMatchObject({ delivered: false });
    const other = await opened.another();
    expect(await other.ledger.deliver(PAYMENT)).toBe(true);
    expect(await other.ledger.deliver(PAYMENT)).toBe(false);
    expect(await ledger.find(PAYMENT)).toMatchObject({ state: "settled", delivered: true, cuts: 0 });
    const cut = { state: "settled", lease: false, delivered: false } as const;
    expect(await ledger.move(payment, { ...cut, ifUndelivered: true })).toBe(false);
    expect(await ledger.move(payment, cut)).toBe(true);
    expect(await ledger.find(PAYMENT)).toMatchObject({ delivered: true, cuts: 1 });
    expect((await ledger.reserve(PAYMENT)).leased).toBe(false);
  });

  test("a change with `ifUndelivered` is made only if there was no delivery before", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(PAYMENT);
    await ledger.move(payment, { state: "settled", lease: true });
    const end = { state: "settled", lease: false, delivered: true, ifUndelivered: true } as const;
    expect(await ledger.move(payment, end)).toBe(true);
    expect(await ledger.find(PAYMENT)).toMatchObject({ delivered: true, cuts: 0 });
  });
}

function testOpenPayments(newDatabase: NewDatabase): void {
  test("open payments are claimed by one caller at a time, and not too soon", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const other = await opened.another();
    const { payment } = await store.ledger.reserve(PAYMENT);
    await store.ledger.move(payment, { state: "unknown", lease: false });
    clock.now += RECHECK_MS;
    expect(await store.ledger.claimOpen(10)).toEqual([]);
    clock.now += 1;
    const claims = await Promise.all([store.ledger.claimOpen(10), other.ledger.claimOpen(10)]);
    expect(claims.flat()).toMatchObject([{ ...PAYMENT, state: "unknown", attempt: 2 }]);
    expect((await store.ledger.reserve(PAYMENT)).leased).toBe(false);
  });

  test("the caller that claims an open payment can change it, and its former holder cannot", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { payment: earlier } = await store.ledger.reserve(PAYMENT);
    await store.ledger.move(earlier, { state: "settling", lease: true });
    clock.now += RECHECK_MS + 1;
    const [claimed] = await store.ledger.claimOpen(10);
    expect(claimed?.state).toBe("unknown");
    expect(await store.ledger.move(earlier, { state: "settled", lease: false })).toBe(false);
    expect(claimed && (await store.ledger.move(claimed, { state: "unknown", lease: false }))).toBe(true);
    expect(await store.ledger.claimOpen(10)).toEqual([]);
  });

  test("only open payments are claimed, those first that were checked longest ago", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    for (const state of ["settled", "unknown", "failed", "settling", "verified"] as const) {
      for (const turn of ["a", "b"]) {
        const { payment } = await store.ledger.reserve({ ...PAYMENT, nonce: `${state}-${turn}` });
        await store.ledger.move(payment, { state, lease: false });
        clock.now += 1;
      }
    }
    clock.now += RECHECK_MS;
    const nonces = async () => (await store.ledger.claimOpen(3)).map(({ nonce }) => nonce).toSorted();
    expect(await nonces()).toEqual(["settling-a", "unknown-a", "unknown-b"]);
    expect(await nonces()).toEqual(["settling-b"]);
  });
}
