import { expect, test } from "bun:test";
import { PAYER, REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { toV1Payment, v1PaymentSchema } from "../x402/v1.ts";
import { fromV1 } from "./from-v1.ts";

const PAYMENT = v1PaymentSchema.parse(toV1Payment(signedPayment(1_800_000_000)));
const OTHER = { ...REQUIREMENTS, asset: PAYER };

test.each([
  ["the token that it is signed for", [OTHER, REQUIREMENTS], REQUIREMENTS],
  ["its amount", [{ ...OTHER, amount: "1" }, REQUIREMENTS], REQUIREMENTS],
  ["its payee", [{ ...REQUIREMENTS, payTo: PAYER }, REQUIREMENTS], REQUIREMENTS],
  ["its network", [{ ...REQUIREMENTS, network: "eip155:1" }, REQUIREMENTS], REQUIREMENTS],
])("a payment of version 1 is for the requirements with %s", (_what, accepts, accepted) => {
  expect(fromV1(PAYMENT, accepts)?.accepted).toEqual(accepted);
  expect(fromV1(PAYMENT, accepts.toReversed())?.accepted).toEqual(accepted);
});
