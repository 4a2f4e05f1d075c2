import { expect, test } from "bun:test";
import { parseDollars } from "./choice.ts";
import { SignedTotal } from "./total.ts";

const CENT = parseDollars("$0.01");

test("the sum of all signatures stays within the limit, and a failed call counts until its signature expires", () => {
  let now = 0;
  const total = new SignedTotal("$0.02", () => now);
  const release = total.add(CENT);
  total.add(CENT);
  release(30);
  const beyond = "Cannot pay $0.01: $0.02 of the limit of $0.02 for all calls are used up";
  expect(() => total.add(CENT)).toThrow(beyond);
  now = 119_999;
  expect(() => total.add(CENT)).toThrow(beyond);
  now = 120_000;
  total.add(CENT);
  expect(() => total.add(CENT)).toThrow(beyond);
});

test("a part that was not charged counts until its signature has expired", () => {
  let now = 0;
  const total = new SignedTotal("$0.01", () => now);
  total.add(CENT)(0, CENT / 4n);
  expect(() => total.add(CENT / 4n)).toThrow("$0.01 of the limit of $0.01");
  now = 60_000;
  expect(() => total.add(CENT / 2n)).toThrow("$0.0075 of the limit of $0.01");
  total.add(CENT / 4n);
});

test("all signatures together are worth at most twice the limit, however many calls fail", () => {
  let now = 0;
  const total = new SignedTotal("$0.02", () => now);
  for (let call = 0; call < 4; call++) {
    total.add(CENT)(now / 1000);
    now += 180_000;
  }
  expect(() => total.add(CENT)).toThrow("Cannot pay $0.01: $0.00 of the limit of $0.02");
});
