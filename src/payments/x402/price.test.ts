import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { formatAmount, isAtomic, parsePrice } from "./price.ts";

const GOOD: readonly (readonly [text: string, decimals: number, atomic: string])[] = [
  ["10000", 6, "10000"],
  ["$0.01", 6, "10000"],
  ["$1", 6, "1000000"],
  ["$1.10", 6, "1100000"],
  ["$0.000001", 6, "1"],
  ["$0.0100000000", 6, "10000"],
  ["$0.1", 18, "100000000000000000"],
  // Floating-point arithmetic gives wrong results for 0.1 + 0.2 and 4.35 * 100.
  ["$4.35", 2, "435"],
  ["$90071992547409.93", 6, "90071992547409930000"],
];

for (const [text, decimals, atomic] of GOOD) {
  test(`${text} with ${decimals} decimals is ${atomic}`, () => {
    expect(parsePrice(text, decimals)).toBe(atomic);
  });
}

const BAD = [
  "",
  "0",
  "$0",
  "$0.00",
  "-1",
  "1.5",
  "0x10",
  "01",
  "1e3",
  "$.5",
  "$1.",
  "$1,000",
  "$0.0000001",
  "€1",
  " 1",
  `${2n ** 256n}`,
];

for (const text of BAD) {
  test(`the price "${text.slice(0, 20)}" is refused`, () => {
    expect(() => parsePrice(text, 6)).toThrow("Cannot");
  });
}

test("a formatted amount parses back to the same amount", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.integer({ min: 1, max: 18 }), (amount, decimals) => {
      fc.pre(amount / 10n ** BigInt(decimals) < 10n ** 18n);
      expect(parsePrice(`$${formatAmount(amount.toString(), decimals)}`, decimals)).toBe(amount.toString());
    }),
  );
});

test("an amount of atomic units is a whole number of 256 bits at most", () => {
  const most = 2n ** 256n - 1n;
  expect([`${most}`, `${most + 1n}`, "0", "00", "-1", ""].map(isAtomic)).toEqual([
    true,
    false,
    true,
    false,
    false,
    false,
  ]);
});

test("amounts are formatted for people", () => {
  expect(formatAmount("10000", 6)).toBe("0.01");
  expect(formatAmount("1000000", 6)).toBe("1.00");
  expect(formatAmount("1234567", 6)).toBe("1.234567");
  expect(formatAmount("7", 0)).toBe("7");
});
