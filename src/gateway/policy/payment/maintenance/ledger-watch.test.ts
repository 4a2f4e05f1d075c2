import { beforeEach, expect, test } from "bun:test";
import { type PaymentIds } from "../../../../store/payment-ids.ts";
import { type NewEvent } from "../../../telemetry/event.ts";
import { LedgerWatch } from "./ledger-watch.ts";

const gauge: boolean[] = [];
const events: NewEvent[] = [];
const lines: string[] = [];
let watch: LedgerWatch;
let now = 0;

beforeEach(() => {
  now = 0;
  gauge.length = 0;
  events.length = 0;
  lines.length = 0;
  watch = new LedgerWatch(
    { set: (_metric, isAway) => void gauge.push(isAway === 0) },
    (event) => events.push(event),
    (line) => void lines.push(line),
    () => now,
  );
});

function told(): unknown[] {
  return events.map(({ details }) => details?.["ledger"]);
}

test("a ledger that cannot be read is reported once, and so is its recovery", () => {
  for (const succeeded of [true, false, false, true, true]) watch.read(succeeded);
  expect(gauge).toEqual([true, false, false, true, true]);
  expect(lines).toEqual([
    "payment: the ledger cannot be read or written: payments get 503 until it can",
    "payment: the ledger works again after 2 failures in 1 s",
  ]);
  expect(told()).toEqual(["away", "back"]);
});

test("a ledger that can be read and not written stays unavailable until a write succeeds", async () => {
  const full = new Error("database or disk is full");
  const failed = watch.writing(Promise.reject(full), () => true);
  expect(await failed.catch((error: unknown) => error)).toBe(full);
  watch.read(true);
  // This write found nothing to change.
  expect(await watch.writing(Promise.resolve(0), (rows) => rows > 0)).toBe(0);
  expect([gauge.at(-1), told()]).toEqual([false, ["away"]]);
  now = 10_000;
  await watch.writing(Promise.resolve(1), (rows) => rows > 0);
  expect([gauge.at(-1), told()]).toEqual([true, ["away", "back"]]);
});

test("small writes that succeed between failed ones do not hide a full disk", () => {
  for (now = 0; now < 60_000; now += 5000) {
    watch.wrote(false);
    watch.wrote(true);
  }
  expect([new Set(gauge), told()]).toEqual([new Set([false]), ["away"]]);
  now += 4999;
  watch.wrote(true);
  expect(told()).toEqual(["away"]);
  now += 1;
  watch.wrote(true);
  expect([gauge.at(-1), told()]).toEqual([true, ["away", "back"]]);
  watch.wrote(true);
  expect(told()).toEqual(["away", "back"]);
});

test("only after a failed write, it tries one itself, and leaves nothing behind", async () => {
  const ids = new Set<string>();
  let tries = 0;
  let isFull = true;
  let isStuck = true;
  const paymentIds: PaymentIds = {
    async tie({ id }, fingerprint) {
      tries += 1;
      if (isFull) throw new Error("full");
      ids.add(id);
      return fingerprint;
    },
    find: async () => undefined,
    async untie({ id }) {
      if (isStuck) throw new Error("full");
      ids.delete(id);
    },
  };
  await watch.tryAgain({ paymentIds }, 0);
  expect(tries).toBe(0);
  watch.wrote(false);
  await watch.tryAgain({ paymentIds }, 0);
  expect([tries, gauge.at(-1)]).toEqual([1, false]);
  isFull = false;
  now = 10_000;
  await watch.tryAgain({ paymentIds }, 0);
  expect([tries, gauge.at(-1)]).toEqual([2, false]);
  isStuck = false;
  now = 20_000;
  await watch.tryAgain({ paymentIds }, 0);
  await watch.tryAgain({ paymentIds }, 0);
  expect([tries, gauge.at(-1), ids.size]).toEqual([3, true, 0]);
});
