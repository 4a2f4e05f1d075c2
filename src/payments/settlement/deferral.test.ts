import { expect, test } from "bun:test";
import { type Deferral, deferralOf, deferralText, dueSoFar } from "./deferral.ts";

const DEFERRAL: Deferral = { path: "/due/secret", quote: "100", due: "40", until: 1_800_000_000, failures: 2 };

test("a deferral is read as it was written, and a payment can be without one", () => {
  for (const deferral of [DEFERRAL, { ...DEFERRAL, refused: "insufficient_funds", isMetered: true } as const]) {
    expect(deferralOf({ deferral: deferralText(deferral) })).toEqual(deferral);
  }
  expect(deferralOf({ deferral: "" })).toBeUndefined();
});

test.each([
  ["a text that is not JSON", "{"],
  ["an amount with a fraction", JSON.stringify({ ...DEFERRAL, quote: "1.5" })],
  ["an amount that is a number", JSON.stringify({ ...DEFERRAL, due: 40 })],
  ["a part of a failure", JSON.stringify({ ...DEFERRAL, failures: 0.5 })],
  ["no path", JSON.stringify({ ...DEFERRAL, path: undefined })],
  ["a meter that is off", JSON.stringify({ ...DEFERRAL, isMetered: false })],
])("%s is not a deferral", (_what, deferral) => {
  expect(deferralOf({ deferral })).toBeUndefined();
});

test("what is due so far is known while the charge is deferred, and not after it", () => {
  const deferral = deferralText(DEFERRAL);
  expect(dueSoFar({ state: "deferred", deferral })).toBe("40");
  expect([dueSoFar({ state: "settled", deferral }), dueSoFar({ state: "deferred", deferral: "" })]).toEqual([
    undefined,
    undefined,
  ]);
});
