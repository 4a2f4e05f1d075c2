import { expect, test } from "bun:test";
import { AcmeError, wordsOf } from "./acme-error.ts";
import { FAILURES, begunAgain, failedAgain, waitsUntil } from "./failures.ts";
import { type FailureRecord } from "./records.ts";

const HOUR_MS = 3_600_000;

function after(times: number, error: unknown = new Error("x"), random = 0.5): FailureRecord {
  let record: FailureRecord | undefined;
  for (let i = 0; i < times; i++) {
    record = failedAgain(record, { settings: "a", error, now: 0, random, firstMs: FAILURES.firstMs });
  }
  if (record === undefined) throw new Error("Cannot tell: nothing failed");
  return record;
}

test("pauses double from 1 minute up to 6 hours, and vary by a quarter", () => {
  const minutes = [1, 2, 3, 4, 9, 10, 100].map((times) => after(times).next_at / 60_000);
  expect(minutes).toEqual([1, 2, 4, 8, 256, 360, 360]);
  expect([after(1, undefined, 0).next_at, after(1, undefined, 1).next_at]).toEqual([45_000, 75_000]);
});

test("a directory may ask for a longer pause, up to 24 hours", () => {
  const pauses = [1000, HOUR_MS, 1000 * HOUR_MS].map(
    (retryAfterMs) => after(1, new AcmeError("x", { retryAfterMs })).next_at,
  );
  expect(pauses).toEqual([60_000, HOUR_MS, 24 * HOUR_MS]);
});

test("other settings are tried at once, and their failures count from 1", () => {
  const record = after(5);
  expect([waitsUntil(record, "a", 0), waitsUntil(record, "b", 0), waitsUntil(undefined, "a", 0)]).toEqual([
    record.next_at,
    0,
    0,
  ]);
  expect(failedAgain(record, { settings: "b", error: "x", now: 0, random: 0.5, firstMs: 1000 })).toEqual({
    settings: "b",
    count: 1,
    next_at: 1000,
  });
});

test("a time that only a wrong clock can have written is not waited for", () => {
  const record = after(1, new AcmeError("x", { retryAfterMs: 48 * HOUR_MS }));
  expect([waitsUntil(record, "a", 0), waitsUntil(record, "a", -1)]).toEqual([24 * HOUR_MS, 0]);
});

test("the first order after one that was cut off begins at once, the next ones after growing pauses", () => {
  let record: FailureRecord | undefined;
  const times = Array.from({ length: 4 }, () => {
    record = begunAgain(record, { settings: "a", now: 0, random: 0.5, firstMs: FAILURES.firstMs });
    return record.next_at / 60_000;
  });
  expect(times).toEqual([0, 1, 2, 4]);
  expect(begunAgain(record, { settings: "b", now: 5, random: 0.5, firstMs: 1000 }).next_at).toBe(5);
});

test("a directory's error text becomes one line of limited length", () => {
  expect(wordsOf("a\r\nb\u001b[31m c\u2028d")).toBe("a b [31m c d");
  expect(wordsOf("x".repeat(1000))).toHaveLength(301);
  expect(wordsOf({})).toBe("");
});
