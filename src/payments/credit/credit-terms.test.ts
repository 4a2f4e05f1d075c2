import { expect, test } from "bun:test";
import { type Credit, MAX_CREDIT_DIGITS } from "../../store/credits.ts";
import { bookOf, isCreditAmount, standingOf } from "./credit-terms.ts";

test.each([
  [0, 0, "active"],
  [1, 0, "revoked"],
  [1, 999, "revoked"],
  [0, 999, "expired"],
  [0, 1_000, "expired"],
  [0, 1_001, "active"],
] as const)("a credit that is revoked at %d and expires at %d is %s at 1000", (revokedAt, expiresAt, standing) => {
  expect(standingOf({ revokedAt, expiresAt } as Credit, 1_000)).toBe(standing); // The rest is not read.
});

test("a credit of money and one of calls have books of their own", () => {
  expect(bookOf({ id: "a", unit: "money", network: "eip155:8453" })).toEqual({
    network: "credit:8453",
    asset: "credit:a",
  });
  expect(bookOf({ id: "b", unit: "calls", network: "eip155:8453" })).toEqual({
    network: "credit:calls",
    asset: "credit:b",
  });
});

test.each([
  ["1", true],
  ["10", true],
  ["0", false],
  ["01", false],
  ["-1", false],
  ["1.5", false],
  ["", false],
  ["1".repeat(MAX_CREDIT_DIGITS - 1), true],
  ["1".repeat(MAX_CREDIT_DIGITS), false],
])("%s is an amount by which a balance can change: %p", (text, is) => {
  expect(isCreditAmount(text)).toBe(is);
});
