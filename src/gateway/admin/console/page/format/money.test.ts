import { expect, test } from "bun:test";
import { abbreviated, aligned, decimal, sum } from "./money.ts";

test.each([
  ["5000", 6, "0.005"],
  ["1234567890", 6, "1,234.56789"],
  ["1000000", 6, "1.00"],
  ["0", 6, "0.00"],
  ["123456789", undefined, "123,456,789"],
  ["1", 18, "0.000000000000000001"],
  ["5", 1, "0.5"],
  ["1234", 0, "1,234"],
  ["hostile", 6, "0.00"],
])("%p units with %p decimals are %p", (amount, decimals, text) => expect(decimal(amount, decimals)).toBe(text));

test("sums are exact", () => {
  expect(sum(["9007199254740993", "9007199254740993"])).toBe("18014398509481986");
});

test("the amounts of a column have fractions of one length", () => {
  expect(aligned([{ amount: "5000", decimals: 6 }, { amount: "1000000", decimals: 6 }, { amount: "7" }])).toEqual([
    "0.005",
    "1.000",
    "7",
  ]);
});

test("long addresses are shortened in the middle", () => {
  expect(abbreviated("0x036CbD53842c5426634e7929541eC2318f3dCF7e")).toBe("0x036C…CF7e");
  expect(abbreviated("USDC")).toBe("USDC");
});
