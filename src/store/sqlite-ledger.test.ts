import { expect, test } from "bun:test";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RESERVATION as PAYMENT } from "./testing/reservation.ts";
import { HOLD_MS, MAX_CUTS, type PaymentState } from "./ledger.ts";
import { openStore } from "./open-store.ts";

const START = 1_800_000_000_000;

function setUp() {
  const clock = { now: START };
  const store = openStore(":memory:", () => clock.now);
  return { clock, store, ledger: store.ledger };
}

function file(): string {
  return join(mkdtempSync(join(tmpdir(), "turnpike-ledger-")), "state.db");
}

test("a payment is held by one, and refused to the next", async () => {
  const { store, ledger } = setUp();
  const first = await ledger.reserve(PAYMENT);
  const second = await ledger.reserve(PAYMENT);
  expect(first).toMatchObject({ held: true, payment: { state: "reserved", attempt: 1 } });
  expect(second).toMatchObject({ held: false, payment: { state: "reserved" } });
  expect((await ledger.reserve({ ...PAYMENT, nonce: "0xother" })).held).toBe(true);
  await store.close();
});

test("of a hundred at once over two connections to one file, one gets the payment", async () => {
  const path = file();
  const stores = [openStore(path, () => START), openStore(path, () => START)];
  const fifty = Array.from({ length: 50 }, () => stores);
  const claims = await Promise.all(fifty.flat().map(({ ledger }) => ledger.reserve(PAYMENT)));
  expect(claims.filter((claim) => claim.held)).toHaveLength(1);
  for (const store of stores) await store.close();
});

test("a payment goes through its states and keeps what was learnt on the way", async () => {
  const { store, ledger } = setUp();
  const { payment } = await ledger.reserve(PAYMENT);
  expect(await ledger.move(payment, { state: "verified", hold: true, payer: "0xfrom" })).toBe(true);
  expect(await ledger.move(payment, { state: "settling", hold: true })).toBe(true);
  expect(await ledger.move(payment, { state: "settled", hold: true, transaction: "0xtx" })).toBe(true);
  expect(await ledger.move(payment, { state: "settled", hold: false, delivered: true })).toBe(true);
  expect(await ledger.find(PAYMENT)).toMatchObject({
    state: "settled",
    payer: "0xfrom",
    transaction: "0xtx",
    delivered: true,
    amount: "10000",
  });
  expect((await ledger.reserve(PAYMENT)).held).toBe(false);
  expect(await ledger.move(payment, { state: "released", hold: false })).toBe(false);
  await store.close();
});

test("what was never verified is forgotten on release, what was verified is kept and may be used again", async () => {
  const { store, ledger } = setUp();
  const first = await ledger.reserve(PAYMENT);
  await ledger.move(first.payment, { state: "released", hold: false });
  expect(await ledger.find(PAYMENT)).toBeUndefined();
  const second = await ledger.reserve(PAYMENT);
  await ledger.move(second.payment, { state: "verified", hold: true });
  await ledger.move(second.payment, { state: "released", hold: false });
  expect(await ledger.find(PAYMENT)).toMatchObject({ state: "released" });
  expect((await ledger.reserve({ ...PAYMENT, fingerprint: "another request" })).held).toBe(true);
  await store.close();
});

const AFTER_THE_HOLDER_IS_GONE: readonly (readonly [PaymentState, PaymentState | "refused", string])[] = [
  ["reserved", "reserved", "reserved"],
  ["verified", "reserved", "reserved"],
  ["settling", "unknown", "refused"],
  ["settled", "settled", "refused"],
];

for (const [state, same, other] of AFTER_THE_HOLDER_IS_GONE) {
  test(`left as ${state} by a dead holder: ${same} to the same request, ${other} to another`, async () => {
    for (const [fingerprint, expected] of [
      ["print", same],
      ["other", other],
    ] as const) {
      const { clock, store, ledger } = setUp();
      const { payment } = await ledger.reserve(PAYMENT);
      if (state !== "reserved") await ledger.move(payment, { state, hold: true });
      expect((await ledger.reserve({ ...PAYMENT, fingerprint })).held).toBe(false);
      clock.now += HOLD_MS + 1;
      const claim = await ledger.reserve({ ...PAYMENT, fingerprint });
      expect<string>(claim.held ? claim.payment.state : "refused").toBe(expected);
      await store.close();
    }
  });
}

test("what was paid stays on the books as it was paid, whatever it costs by the time it is asked for again", async () => {
  const { store, ledger } = setUp();
  const { payment } = await ledger.reserve(PAYMENT);
  await ledger.move(payment, { state: "settled", hold: false });
  const claim = await ledger.reserve({ ...PAYMENT, amount: "99", payTo: "0xnew", route: "/new" });
  expect(claim).toMatchObject({ held: true, payment: { amount: "10000", payTo: "0xto", route: "/read" } });
  await store.close();
});

test("a payment that is used anew has nothing of its failed use", async () => {
  const { store, ledger } = setUp();
  const { payment } = await ledger.reserve(PAYMENT);
  await ledger.move(payment, { state: "failed", hold: false, reason: "insufficient_funds", transaction: "0xtx" });
  const again = await ledger.reserve(PAYMENT);
  expect(again).toMatchObject({ held: true, payment: { state: "reserved", reason: "", transaction: "" } });
  await store.close();
});

test("an answer that was begun ten times and never taken whole is owed no more upstream runs", async () => {
  const { store, ledger } = setUp();
  for (let run = 0; run < MAX_CUTS; run++) {
    const { held, payment } = await ledger.reserve(PAYMENT);
    expect(held).toBe(true);
    await ledger.move(payment, { state: "settled", hold: false, delivered: false });
  }
  expect(await ledger.reserve(PAYMENT)).toMatchObject({
    held: false,
    payment: { state: "settled", delivered: false, cuts: MAX_CUTS },
  });
  await store.close();
});

test("an earlier holder cannot act once another took over", async () => {
  const { clock, store, ledger } = setUp();
  const { payment: earlier } = await ledger.reserve(PAYMENT);
  clock.now += HOLD_MS + 1;
  const { payment: later } = await ledger.reserve(PAYMENT);
  expect(await ledger.move(earlier, { state: "settling", hold: true })).toBe(false);
  expect(await ledger.move(later, { state: "verified", hold: true })).toBe(true);
  await store.close();
});

test("the file is its owner's alone, and opens again as it was", async () => {
  const path = file();
  const first = openStore(path, () => START);
  const { payment } = await first.ledger.reserve(PAYMENT);
  await first.ledger.move(payment, { state: "unknown", hold: false, reason: "timeout" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
  await first.close();
  const second = openStore(path, () => START);
  expect(await second.ledger.find(PAYMENT)).toMatchObject({ state: "unknown", reason: "timeout" });
  await second.close();
});

test("a file that cannot be made is named with the cause", () => {
  const path = join(import.meta.path, "state.db");
  expect(() => openStore(path)).toThrow(`Cannot open the ledger "${path}": ENOTDIR`);
});

test("a nonce is booked once, by whoever was first", async () => {
  const store = openStore(":memory:", () => START);
  const booking = { ...PAYMENT, digest: "0x1", to: "0xto", transaction: "0xaa" };
  expect(await store.bookings.book(booking)).toMatchObject({ digest: "0x1", transaction: "0xaa" });
  expect(await store.bookings.book({ ...booking, digest: "0x2", transaction: "0xbb" })).toMatchObject({
    digest: "0x1",
  });
  expect(await store.bookings.find({ ...PAYMENT, nonce: "0xelse" })).toBeUndefined();
  await store.close();
});

test("bookings that no payment can refer to any more are forgotten", async () => {
  const clock = { now: START };
  const store = openStore(":memory:", () => clock.now);
  const booking = { ...PAYMENT, digest: "0x1", to: "0xto", transaction: "0xaa" };
  await store.bookings.book(booking);
  clock.now += 2 * 86_400_000;
  await store.bookings.book({ ...booking, nonce: "0x2" });
  expect(await store.bookings.find(booking)).toBeDefined();
  clock.now += 1;
  await store.bookings.book({ ...booking, nonce: "0x3" });
  expect(await store.bookings.find(booking)).toBeUndefined();
  await store.close();
});
