import { expect, test } from "bun:test";
import { CREDIT_BOOK } from "../credits.ts";
import { type Payment } from "../ledger.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const LEASE_MS = 15_000;
const RECHECK_MS = 30_000;

/** Reserves a payment and defers its charge. */
async function defer({ ledger }: Store, change: object = {}, isDelivered = true): Promise<Payment> {
  const { payment } = await ledger.reserve({ ...RESERVATION, scheme: "upto", ...change });
  await ledger.move(payment, { state: "verified", lease: true });
  expect(await ledger.move(payment, { state: "deferred", lease: true, deferral: "facts", dueInMs: 0 })).toBe(true);
  await ledger.move(payment, { state: "deferred", lease: false, delivered: isDelivered });
  return payment;
}

/** For tests only: behaviour of charges that are made later, which every `Ledger` must have. */
export function testDeferrals(newDatabase: NewDatabase): void {
  test("a deferred payment is given to one process when it is due, with its facts", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    await defer(store);
    const other = await opened.another();
    const [first, second] = [await store.ledger.claimDue(8), await other.ledger.claimDue(8)];
    expect(first).toMatchObject([{ state: "deferred", deferral: "facts", payload: "{}", delivered: true }]);
    expect(second).toEqual([]);
    const [payment] = first;
    if (payment === undefined) throw new Error("it is due");
    await store.ledger.move(payment, { state: "deferred", lease: false, dueInMs: 2000 });
    expect(await other.ledger.claimDue(8)).toEqual([]);
    clock.now += 2001;
    expect(await other.ledger.claimDue(8)).toMatchObject([{ state: "deferred", deferral: "facts" }]);
    // That process dies. The first one takes over when its lease has ended, and the dead one can change nothing.
    clock.now += LEASE_MS + 1;
    expect(await store.ledger.claimDue(8)).toHaveLength(1);
    expect(await store.view.standing()).toMatchObject({ deferred: 1, open: 0, owed: 0 });
  });

  test("a payment does not wait for a clock that was set back: neither a charge that is due, nor an open settlement", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    clock.now += 86_400_000;
    const open = (await store.ledger.reserve({ ...RESERVATION, nonce: "0xopen" })).payment;
    await store.ledger.move(open, { state: "unknown", lease: false });
    await defer(store);
    const [due] = await store.ledger.claimDue(8);
    if (due === undefined) throw new Error("it is due");
    await store.ledger.move(due, { state: "deferred", lease: false, dueInMs: 600_000 });
    expect([await store.ledger.claimDue(8), await store.ledger.claimOpen(8)]).toEqual([[], []]);
    clock.now = START;
    expect(await store.ledger.claimDue(8)).toMatchObject([{ state: "deferred" }]);
    expect(await store.ledger.claimOpen(8)).toMatchObject([{ state: "unknown", nonce: "0xopen" }]);
  });

  test("a charge waits for fifteen minutes at most, by whatever clock", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    await defer(store);
    const [due] = await store.ledger.claimDue(8);
    if (due === undefined) throw new Error("it is due");
    await store.ledger.move(due, { state: "deferred", lease: false, dueInMs: 900_000 });
    expect(await store.ledger.claimDue(8)).toEqual([]);
    clock.now -= 1;
    expect(await store.ledger.claimDue(8)).toHaveLength(1);
  });

  test("no other request gets a deferred payment, and it outlives its end", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const validBefore = START / 1000 + 60;
    await defer(store, { validBefore });
    clock.now += 3_600_000;
    const same = { ...RESERVATION, scheme: "upto", validBefore };
    expect(await store.ledger.reserve(same)).toMatchObject({ leased: false, payment: { state: "deferred" } });
    expect(await store.ledger.reserve({ ...same, fingerprint: "another" })).toMatchObject({ leased: false });
    expect(await store.ledger.claimOpen(8)).toEqual([]);
    expect(await store.forget(clock.now, 8)).toBe(0);
  });

  test("the same request gets a deferred payment again while its response is undelivered", async () => {
    await using opened = await openFresh(newDatabase);
    const { store } = opened;
    await defer(store, {}, false);
    const same = { ...RESERVATION, scheme: "upto" };
    const { leased, payment } = await store.ledger.reserve(same);
    expect([leased, payment.state, payment.deferral]).toEqual([true, "deferred", "facts"]);
    expect(await store.ledger.claimDue(8)).toEqual([]);
    await store.ledger.move(payment, { state: "deferred", lease: false, delivered: true });
    expect((await store.ledger.reserve(same)).leased).toBe(false);
    expect(await store.ledger.repeat(payment, 1)).toBe(true);
    expect(await store.ledger.repeat(payment, 1)).toBe(false);
  });

  test("a settlement in flight whose process died is claimed as unknown, by the claim of what is due alone", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    await defer(store);
    const [payment] = await store.ledger.claimDue(8);
    if (payment === undefined) throw new Error("it is due");
    await store.ledger.move(payment, { state: "settling", lease: true, amount: "4000", dueInMs: 0 });
    clock.now += RECHECK_MS + LEASE_MS + 1;
    expect(await store.ledger.claimOpen(8)).toEqual([]);
    const [unknown] = await store.ledger.claimDue(8);
    expect(unknown).toMatchObject({ state: "unknown", amount: "4000", payload: "{}" });
    if (unknown === undefined) throw new Error("it is due");
    await store.ledger.move(unknown, { state: "settled", lease: true, transaction: "0xtx", dueInMs: 0 });
    await store.ledger.move(unknown, { state: "settled", lease: false });
    // Its upstream does not know yet, so the row stays.
    clock.now += 100_000;
    expect(await store.forget(clock.now, 8)).toBe(0);
    const [told] = await store.ledger.claimDue(8);
    if (told === undefined) throw new Error("it is due");
    await store.ledger.move(told, { state: "settled", lease: false, dueInMs: "never" });
    expect(await store.ledger.claimDue(8)).toEqual([]);
    expect(await store.view.sold(START)).toMatchObject([{ payments: 1, amount: "4000" }]);
  });

  test("a deferred charge holds the whole amount of prepaid credit, and returns the rest at its end", async () => {
    await using opened = await openFresh(newDatabase);
    const { store, clock } = opened;
    const terms = { owner: "0xowner", unit: "money", name: "", network: "eip155:1", token: "0xt", routes: [] } as const;
    const grant = { id: "grant", kind: "issued", amount: "100", payment: "" } as const;
    await store.credits.open({ ...terms, id: "one", hash: "", expiresAt: START + 60_000 }, grant);
    const balance = async (): Promise<string | undefined> => (await store.credits.find("one"))?.balance;
    await defer(store, { scheme: "credit", asset: `${CREDIT_BOOK}one`, amount: "70" });
    expect(await balance()).toBe("30");
    // Neither the end of the credit nor its revocation takes the amount back that its holder has promised.
    clock.now += 120_000;
    await store.credits.revoke("one");
    const [payment] = await store.ledger.claimDue(8);
    if (payment === undefined) throw new Error("it is due");
    await store.ledger.move(payment, { state: "deferred", lease: true, deferral: "20 due" });
    expect(await balance()).toBe("30");
    const end = { state: "settled", lease: false, amount: "25", transaction: "", dueInMs: "never" } as const;
    expect(await store.ledger.move(payment, end)).toBe(true);
    expect(await balance()).toBe("75");
    expect(await store.view.sold(START)).toMatchObject([{ payments: 1, amount: "25" }]);
  });

  test("a deferral that is taken back leaves nothing due", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger } = opened.store;
    const { payment } = await ledger.reserve(RESERVATION);
    await ledger.move(payment, { state: "verified", lease: true });
    await ledger.move(payment, { state: "deferred", lease: true, deferral: "facts", dueInMs: 0 });
    await ledger.move(payment, { state: "released", lease: false });
    expect(await ledger.claimDue(8)).toEqual([]);
    expect(await ledger.reserve(RESERVATION)).toMatchObject({ leased: true, payment: { deferral: "" } });
    expect(await ledger.claimDue(8)).toEqual([]);
  });
}
