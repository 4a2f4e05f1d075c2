import { expect, test } from "bun:test";
import { messageOf } from "../../lib/caught.ts";
import { CREDIT_BOOK, type NewCredit, UNCOVERED } from "../credits.ts";
import { type Reservation } from "../ledger.ts";
import { type Store } from "../store.ts";
import { type NewDatabase, openFresh, START } from "./contract-harness.ts";
import { RESERVATION } from "./reservation.ts";

const LEASE_MS = 15_000;
const RECHECK_MS = 30_000;

export const CREDIT: NewCredit = {
  id: "first-credit",
  hash: "hash-1",
  owner: "0xowner",
  unit: "money",
  name: "",
  network: "eip155:84532",
  token: "0xtoken",
  routes: ["/read", 'a "route"'],
  expiresAt: START + 1_000_000,
};
const GRANT = { id: "grant-1", kind: "bought", amount: "100", payment: "0xnonce" } as const;
/** A charge of the credit, which can be made until a minute after the start. */
export const CHARGE: Reservation = {
  ...RESERVATION,
  scheme: "credit",
  asset: `${CREDIT_BOOK}${CREDIT.id}`,
  amount: "30",
  validBefore: START / 1000 + 60,
};
const HUGE = "123456789012345678901234567890";

/** The reason of a rejection. */
const refusal = (work: Promise<unknown>): Promise<unknown> => work.then(() => "done", messageOf);

function balance({ credits }: Store): Promise<string | undefined> {
  return credits.find(CREDIT.id).then((credit) => credit?.balance);
}

/** For tests only: behaviour that every `Credits` must have, and every ledger with their charges. */
export function testCredits(newDatabase: NewDatabase): void {
  testBalances(newDatabase);
  testLargestBalance(newDatabase);
  testRefusedCharges(newDatabase);
  testGrants(newDatabase);
}

function testBalances(newDatabase: NewDatabase): void {
  test("a reservation takes the amount of a charge, and the settled charge keeps it", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger, credits } = opened.store;
    expect(await credits.open(CREDIT, GRANT)).toBe(CREDIT.id);
    const { leased, payment } = await ledger.reserve(CHARGE);
    expect([leased, await balance(opened.store)]).toEqual([true, "70"]);
    expect(await ledger.move(payment, { state: "settled", lease: true, transaction: "" })).toBe(true);
    expect(await ledger.move(payment, { state: "settled", lease: false, delivered: true })).toBe(true);
    expect(await balance(opened.store)).toBe("70");
    await ledger.reserve({ ...CHARGE, nonce: "0xother", asset: "0xasset", scheme: "exact" });
    expect(await credits.charges(CREDIT.id, 10)).toMatchObject([
      { nonce: CHARGE.nonce, amount: "30", delivered: true },
    ]);
    opened.clock.now += 1_000_000;
    expect(await opened.store.forget(opened.clock.now, 10)).toBe(1);
    expect(await balance(opened.store)).toBe("70");
  });

  test("a released or failed charge is returned, once, in every state before", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger, credits } = opened.store;
    await credits.open(CREDIT, GRANT);
    for (const before of ["reserved", "verified", "settling", "unknown", "settled"] as const) {
      const { payment } = await ledger.reserve({ ...CHARGE, nonce: before });
      if (before !== "reserved") await ledger.move(payment, { state: before, lease: true });
      expect(await balance(opened.store)).toBe("70");
      expect(await ledger.move(payment, { state: "released", lease: true })).toBe(true);
      await ledger.move(payment, { state: "failed", lease: false });
      expect(await balance(opened.store)).toBe("100");
    }
  });

  test("a charge whose response another request has sent stays, and only its lease ends", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger, credits } = opened.store;
    await credits.open(CREDIT, GRANT);
    for (const [state, deferral] of [["settled"], ["deferred", { deferral: "facts", dueInMs: 60_000 }]] as const) {
      const charge = { ...CHARGE, nonce: state };
      const { payment } = await ledger.reserve(charge);
      await ledger.move(payment, { state, lease: true, ...deferral });
      expect(await ledger.repeat(charge, 1)).toBe(true);
      expect(await ledger.move(payment, { state: "released", lease: false })).toBe(true);
      expect(await ledger.find(charge)).toMatchObject({ state, payload: state === "settled" ? "" : charge.payload });
      expect(await ledger.reserve(charge)).toMatchObject({ leased: true, payment: { state } });
    }
    expect(await balance(opened.store)).toBe("40");
  });

  test("a deferred charge of which nothing is due is returned, also if its response was sent twice", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger, credits } = opened.store;
    await credits.open(CREDIT, GRANT);
    const { payment } = await ledger.reserve(CHARGE);
    await ledger.move(payment, { state: "deferred", lease: false, delivered: true, deferral: "facts", dueInMs: 0 });
    expect(await ledger.repeat(CHARGE, 1)).toBe(true);
    const [due] = await ledger.claimDue(1);
    if (due === undefined) throw new Error("it is due");
    expect(await ledger.move(due, { state: "released", lease: false, dueInMs: "never" })).toBe(true);
    expect(await balance(opened.store)).toBe("100");
  });

  test("a charge below the reserved amount returns the rest", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger, credits } = opened.store;
    await credits.open(CREDIT, { ...GRANT, amount: "30" });
    const { payment } = await ledger.reserve(CHARGE);
    expect(await balance(opened.store)).toBe("0");
    await ledger.move(payment, { state: "settled", lease: false, amount: "12" });
    expect(await balance(opened.store)).toBe("18");
  });

  test("the next request takes over the charge of a dead process, which is taken once", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.credits.open(CREDIT, GRANT);
    const { payment: lost } = await store.ledger.reserve(CHARGE);
    const other = await opened.another();
    clock.now += LEASE_MS + 1;
    const again = await other.ledger.reserve({ ...CHARGE, amount: "40", fingerprint: "another" });
    expect([again.leased, await balance(store)]).toEqual([true, "60"]);
    expect(await store.ledger.move(lost, { state: "released", lease: false })).toBe(false);
    expect(await balance(store)).toBe("60");
    await other.ledger.move(again.payment, { state: "released", lease: false });
    expect(await balance(store)).toBe("100");
    const third = await store.ledger.reserve(CHARGE);
    expect([third.leased, await balance(store)]).toEqual([true, "70"]);
  });

  test("a charge that stays open is found, and returned when it is failed", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    await store.credits.open(CREDIT, GRANT);
    const { payment } = await store.ledger.reserve(CHARGE);
    await store.ledger.move(payment, { state: "settling", lease: true });
    const other = await opened.another();
    clock.now += RECHECK_MS + LEASE_MS;
    const [open] = await other.ledger.claimOpen(10);
    expect(open).toMatchObject({ scheme: "credit", state: "unknown" });
    expect(await balance(store)).toBe("70");
  });

  test("amounts beyond the integers of SQLite and JavaScript are exact", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger, credits } = opened.store;
    await credits.open(CREDIT, { ...GRANT, amount: HUGE });
    const { payment } = await ledger.reserve({ ...CHARGE, amount: "23456789012345678901234567891" });
    expect(await balance(opened.store)).toBe("99999999999999999999999999999");
    await ledger.move(payment, { state: "settled", lease: true, amount: "9007199254740993" });
    expect(await balance(opened.store)).toBe("123456789012336671701979826897");
    await ledger.move(payment, { state: "released", lease: false });
    expect(await balance(opened.store)).toBe(HUGE);
    expect((await ledger.reserve({ ...CHARGE, amount: `1${HUGE}` })).leased).toBe(false);
    expect((await ledger.reserve({ ...CHARGE, amount: HUGE })).leased).toBe(true);
    expect(await balance(opened.store)).toBe("0");
  });
}

function testLargestBalance(newDatabase: NewDatabase): void {
  test("a balance of thirty digits is kept, spent and given back", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger, credits } = opened.store;
    const largest = "9".repeat(30);
    await credits.open(CREDIT, { ...GRANT, amount: largest });
    const { payment } = await ledger.reserve({ ...CHARGE, amount: largest });
    expect(await balance(opened.store)).toBe("0");
    await ledger.move(payment, { state: "released", lease: false });
    expect(await balance(opened.store)).toBe(largest);
  });

  test("a balance of more than thirty digits is refused, and nothing changes", async () => {
    await using opened = await openFresh(newDatabase);
    const { credits } = opened.store;
    const [largest, larger] = ["9".repeat(30), `1${"0".repeat(30)}`];
    const tooLarge = `Cannot add to the credit ${CREDIT.id}: its balance would have more than 30 digits`;
    expect(await refusal(credits.open(CREDIT, { ...GRANT, amount: larger }))).toBe(tooLarge);
    expect([await credits.find(CREDIT.id), await credits.isGranted(GRANT.id)]).toEqual([undefined, false]);
    await credits.open(CREDIT, { ...GRANT, amount: largest });
    for (const amount of ["1", larger, `1${"0".repeat(80)}`]) {
      const more = { ...GRANT, id: `more ${amount}`, amount };
      expect(await refusal(credits.add(CREDIT.id, more, CREDIT.expiresAt + 5))).toBe(tooLarge);
      expect(await credits.isGranted(more.id)).toBe(false);
    }
    expect(await credits.take(CREDIT.id, { ...GRANT, id: "back", kind: "refunded", amount: larger })).toBe(false);
    expect(await credits.find(CREDIT.id)).toMatchObject({ balance: largest, expiresAt: CREDIT.expiresAt });
    expect(await credits.grants(CREDIT.id, 10)).toHaveLength(1);
    expect(await credits.take(CREDIT.id, { ...GRANT, id: "all", kind: "refunded", amount: largest })).toBe(true);
    expect(await credits.find(CREDIT.id)).toMatchObject({ balance: "0" });
  });
}

function testRefusedCharges(newDatabase: NewDatabase): void {
  test("of a hundred charges at once over two connections, as many succeed as the balance covers", async () => {
    await using opened = await openFresh(newDatabase);
    const stores = [opened.store, await opened.another()];
    await opened.store.credits.open(CREDIT, { ...GRANT, amount: "315" });
    const claims = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => stores[i % 2]?.ledger.reserve({ ...CHARGE, nonce: `0x${i}` })),
    );
    expect(claims.filter((claim) => claim?.leased)).toHaveLength(10);
    expect(claims.filter((claim) => claim?.payment.reason === UNCOVERED)).toHaveLength(90);
    expect(await balance(opened.store)).toBe("15");
  });

  test("a charge that the balance does not cover leaves no row, and the next smaller one succeeds", async () => {
    await using opened = await openFresh(newDatabase);
    const { ledger, credits, view } = opened.store;
    await credits.open(CREDIT, GRANT);
    const claim = await ledger.reserve({ ...CHARGE, amount: "101" });
    expect(claim).toMatchObject({ leased: false, payment: { state: "failed", reason: UNCOVERED } });
    expect(await ledger.find(CHARGE)).toBeUndefined();
    expect(await view.list({}, { limit: 10 })).toEqual([]);
    expect((await ledger.reserve({ ...CHARGE, amount: "100" })).leased).toBe(true);
  });

  test("a credit that is unknown, revoked or has ended takes no new charge, and keeps those in flight", async () => {
    await using opened = await openFresh(newDatabase);
    const { clock, store } = opened;
    const { ledger, credits } = store;
    expect((await ledger.reserve(CHARGE)).payment.reason).toBe(UNCOVERED);
    await credits.open(CREDIT, GRANT);
    await credits.open({ ...CREDIT, id: "short", expiresAt: START + 10 }, { ...GRANT, id: "grant-2" });
    const inFlight = await ledger.reserve(CHARGE);
    const short = await ledger.reserve({ ...CHARGE, asset: `${CREDIT_BOOK}short` });
    expect([await credits.revoke(CREDIT.id), await credits.revoke(CREDIT.id)]).toEqual([true, false]);
    clock.now += 10;
    for (const asset of [CHARGE.asset, `${CREDIT_BOOK}short`]) {
      expect((await ledger.reserve({ ...CHARGE, asset, nonce: "0xlater" })).payment.reason).toBe(UNCOVERED);
    }
    expect(await ledger.move(inFlight.payment, { state: "settled", lease: false })).toBe(true);
    expect(await ledger.move(short.payment, { state: "settled", lease: false })).toBe(true);
    expect(await balance(store)).toBe("70");
  });
}

function testGrants(newDatabase: NewDatabase): void {
  test("a credit is read as it was opened, and by its owner", async () => {
    await using opened = await openFresh(newDatabase);
    const { credits } = opened.store;
    await credits.open(CREDIT, GRANT);
    opened.clock.now += 1;
    await credits.open({ ...CREDIT, id: "other", owner: "0xelse" }, { ...GRANT, id: "grant-2" });
    const first = { ...CREDIT, balance: "100", revokedAt: 0, createdAt: START };
    expect(await credits.find(CREDIT.id)).toEqual(first);
    expect(await credits.list({ owner: "0xowner" }, 10)).toEqual([first]);
    expect((await credits.list({}, 1)).map(({ id }) => id)).toEqual(["other"]);
    expect(await credits.list({ before: { id: "other", createdAt: START + 1 } }, 10)).toEqual([first]);
    expect(await credits.find("FIRST-CREDIT")).toBeUndefined();
  });

  test("a payment buys one credit, and buying again replaces its token", async () => {
    await using opened = await openFresh(newDatabase);
    const { credits } = opened.store;
    await credits.open(CREDIT, GRANT);
    const other = await opened.another();
    expect(await other.credits.open({ ...CREDIT, id: "second", hash: "hash-2" }, GRANT)).toBe(CREDIT.id);
    expect(await credits.find(CREDIT.id)).toMatchObject({ hash: "hash-2", balance: "100" });
    expect(await credits.find("second")).toBeUndefined();
  });

  test("ten top-ups by one payment at once count as one, and move the end later only", async () => {
    await using opened = await openFresh(newDatabase);
    const stores = [opened.store, await opened.another()];
    await opened.store.credits.open(CREDIT, GRANT);
    const more = { ...GRANT, id: "grant-2", amount: "50" };
    const added = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => stores[i % 2]?.credits.add(CREDIT.id, more, CREDIT.expiresAt - 5)),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await opened.store.credits.find(CREDIT.id)).toMatchObject({ balance: "150", expiresAt: CREDIT.expiresAt });
    await opened.store.credits.add(CREDIT.id, { ...more, id: "grant-3" }, CREDIT.expiresAt + 5);
    expect(await opened.store.credits.find(CREDIT.id)).toMatchObject({ expiresAt: CREDIT.expiresAt + 5 });
    // It was paid before the end.
    opened.clock.now = CREDIT.expiresAt + 10;
    expect((await opened.store.ledger.reserve(CHARGE)).leased).toBe(false);
    const late = { ...more, id: "grant-5" };
    expect(await opened.store.credits.add(CREDIT.id, late, CREDIT.expiresAt + 100)).toBe(true);
    expect(await balance(opened.store)).toBe("250");
    expect(await opened.store.credits.add("none", { ...more, id: "grant-4" }, 0)).toBe(false);
  });

  test("the rest is taken once, and never more than the balance", async () => {
    await using opened = await openFresh(newDatabase);
    const { credits } = opened.store;
    await credits.open(CREDIT, GRANT);
    const back = { id: "back", kind: "refunded", amount: "100", payment: "" } as const;
    expect(await credits.take(CREDIT.id, { ...back, id: "too much", amount: "101" })).toBe(false);
    expect([await credits.take(CREDIT.id, back), await credits.take(CREDIT.id, back)]).toEqual([true, false]);
    expect(await balance(opened.store)).toBe("0");
    expect([await credits.isGranted(back.id), await credits.isGranted("too much")]).toEqual([true, false]);
    opened.clock.now += 1;
    expect(await credits.grants(CREDIT.id, 10)).toEqual(
      [
        { ...back, amount: "-100", at: START },
        { ...GRANT, at: START },
      ].toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    );
    expect(await credits.grants(CREDIT.id, 1)).toHaveLength(1);
  });

  test("a token can be replaced until the credit is revoked", async () => {
    await using opened = await openFresh(newDatabase);
    const { credits } = opened.store;
    await credits.open(CREDIT, GRANT);
    expect(await credits.rekey(CREDIT.id, "hash-3")).toBe(true);
    await credits.revoke(CREDIT.id);
    expect(await credits.rekey(CREDIT.id, "hash-4")).toBe(false);
    expect(await credits.find(CREDIT.id)).toMatchObject({ hash: "hash-3", revokedAt: START });
  });
}
