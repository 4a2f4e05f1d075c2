import { afterEach, beforeEach, expect, test } from "bun:test";
import { openStore } from "../../../store/open/open-store.ts";
import { type Position } from "../../../store/ledger-view.ts";
import { type PaymentState, type Reservation } from "../../../store/ledger.ts";
import { type Store } from "../../../store/store.ts";
import { RESERVATION } from "../../../store/testing/reservation.ts";
import { payersSince, searchPayments } from "./search-payments.ts";

const HOUR_MS = 3_600_000;
const NOW = 1_800_000_000_000;

let now: number;
let store: Store;

beforeEach(() => {
  now = NOW;
  store = openStore(":memory:", () => now);
});
afterEach(() => store.close());

async function book(hoursAgo: number, state: PaymentState, change: Partial<Reservation>): Promise<void> {
  now = NOW - hoursAgo * HOUR_MS;
  const { payment } = await store.ledger.reserve({ ...RESERVATION, ...change });
  if (state !== "reserved") await store.ledger.move(payment, { state, lease: false });
}

test("a search finds the payments of all days, over gaps of months, page by page", async () => {
  for (const [at, hours] of [1, 2, 30, 5000, 5001, 9000].entries()) {
    await book(hours, at === 1 ? "failed" : "settled", { nonce: `0x${at}`, from: at === 5 ? "0xbob" : "0xalice" });
  }
  const seen: string[] = [];
  let before: Position | undefined;
  do {
    const page = await searchPayments(
      store.view,
      { payer: "0xalice", states: ["settled"] },
      { limit: 2, before, clock: () => now },
    );
    seen.push(...page.payments.map(({ nonce }) => nonce));
    before = page.next;
  } while (before !== undefined);
  expect(seen).toEqual(["0x0", "0x2", "0x3", "0x4"]);
  const bobs = await searchPayments(store.view, { payer: "0xbob" }, { limit: 50, before: undefined, clock: () => now });
  expect([bobs.payments.map(({ nonce }) => nonce), bobs.next, bobs.isCut]).toEqual([["0x5"], undefined, false]);
});

test("a page over several days has no more payments than its limit", async () => {
  for (const [at, hours] of [1, 30, 31].entries()) await book(hours, "settled", { nonce: `0x${at}` });
  const { payments } = await searchPayments(store.view, {}, { limit: 2, before: undefined, clock: () => now });
  expect(payments.map(({ nonce }) => nonce)).toEqual(["0x0", "0x1"]);
});

test("a search between two times does not see the payments outside", async () => {
  for (const [at, hours] of [1, 2, 30, 60, 61].entries()) await book(hours, "settled", { nonce: `0x${at}` });
  const range = { since: NOW - 60 * HOUR_MS, until: NOW - HOUR_MS };
  const { payments, next } = await searchPayments(store.view, range, {
    limit: 50,
    before: undefined,
    clock: () => now,
  });
  expect([payments.map(({ nonce }) => nonce), next]).toEqual([["0x1", "0x2", "0x3"], undefined]);
});

test("payments of one millisecond are found on one page each, also at the end of a day", async () => {
  await book(24, "settled", { nonce: "0xa" });
  await book(24, "settled", { nonce: "0xb" });
  await book(0, "settled", { nonce: "0xc" });
  const first = await searchPayments(store.view, {}, { limit: 2, before: undefined, clock: () => now });
  const second = await searchPayments(store.view, {}, { limit: 2, before: first.next, clock: () => now });
  expect([...first.payments, ...second.payments].map(({ nonce }) => nonce)).toEqual(["0xc", "0xb", "0xa"]);
});

test("a payment at the beginning of the range counts", async () => {
  await book(10, "settled", { nonce: "0x1", from: "0xalice", amount: "3" });
  const since = NOW - 10 * HOUR_MS;
  expect(await payersSince(store.view, since, () => now)).toMatchObject({ since, totals: [{ amount: "3" }] });
  expect(await payersSince(store.view, since + 1, () => now)).toEqual({ since: since + 1, totals: [] });
});

test("payers are summed up over the whole range, and no further", async () => {
  const big = "9".repeat(30);
  await book(0, "settled", { nonce: "0x1", from: "0xalice", amount: big });
  await book(100, "settled", { nonce: "0x2", from: "0xalice", amount: "1" });
  await book(200, "settled", { nonce: "0x3", from: "0xbob", amount: "5" });
  await book(201, "failed", { nonce: "0x4", from: "0xbob", amount: "7" });
  await book(300, "settled", { nonce: "0x5", from: "0xbob", amount: "11" });
  const { since, totals } = await payersSince(store.view, NOW - 300 * HOUR_MS + 1, () => now);
  expect(since).toBe(NOW - 300 * HOUR_MS + 1);
  expect(totals.map(({ key, payments, amount }) => [key, payments, amount])).toEqual([
    ["0xalice", 2, (BigInt(big) + 1n).toString()],
    ["0xbob", 1, "5"],
  ]);
});
