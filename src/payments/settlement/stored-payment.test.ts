import { expect, test } from "bun:test";
import { REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { fromStored, toStored } from "./stored-payment.ts";

const NOW = 1_800_000_000;

test("a stored payment is read back with the requirements that it was checked against", () => {
  const payment = signedPayment(NOW);
  const said = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, paymentFlow: "upfront" } };
  for (const testMode of [false, true]) {
    const stored = toStored({ ...payment, accepted: said }, REQUIREMENTS, testMode);
    const back = fromStored({ payload: stored, amount: REQUIREMENTS.amount });
    expect(back).toEqual({ payment, requirements: REQUIREMENTS, testMode });
  }
});

test("the amount is the row's: under upto the charge, not the permitted amount", () => {
  const stored = toStored(signedPayment(NOW), REQUIREMENTS, false);
  const back = fromStored({ payload: stored, amount: "17" });
  expect(back?.requirements).toEqual({ ...REQUIREMENTS, amount: "17" });
  expect(back?.payment.accepted.amount).toBe(REQUIREMENTS.amount);
});

for (const payload of ["", "{}", "no JSON", '{"x402Version":2}', "null"]) {
  test(`a row that stores ${JSON.stringify(payload)} is not a payment`, () => {
    expect(fromStored({ payload, amount: "1" })).toBeUndefined();
  });
}
