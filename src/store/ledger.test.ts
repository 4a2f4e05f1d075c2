import { expect, test } from "bun:test";
import { type Change, isDurable, isOwed, type Payment, type PaymentState } from "./ledger.ts";

const isKept = (state: PaymentState, change: Partial<Change> = {}): boolean =>
  isDurable({ state, lease: false, ...change });

test("changes to states in which money is transferred survive a power failure, and others need not", () => {
  expect((["deferred", "settling", "settled", "failed", "unknown"] as const).map((state) => isKept(state))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
  expect((["reserved", "verified", "released"] as const).map((state) => isKept(state))).toEqual([false, false, false]);
});

test("of a deferred payment, its deferral and its lease survive a power failure, and a new time need not", () => {
  expect(isKept("deferred", { dueInMs: 5 })).toBe(false);
  expect([isKept("deferred", { deferral: "a" }), isKept("deferred", { lease: true })]).toEqual([true, true]);
});

// Only these parts are read.
const isOwing = (state: PaymentState, delivered: boolean, refunded: string): boolean =>
  isOwed({ state, delivered, refunded } as Payment);

test("a settled payment is owed its response until that is delivered or its money is refunded", () => {
  expect(isOwing("settled", false, "0")).toBe(true);
  expect([isOwing("unknown", false, "0"), isOwing("settled", true, "0"), isOwing("settled", false, "1")]).toEqual([
    false,
    false,
    false,
  ]);
});
