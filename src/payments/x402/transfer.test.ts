import { expect, test } from "bun:test";
import { PAYEE, PAYER, REQUIREMENTS, signedPayment, USDC } from "../testing/payment.ts";
import { signedPermit2 } from "../testing/permit2-payment.ts";
import { atomicOf } from "./atomic-of.ts";
import { unitsTitle } from "./meter.ts";
import { PERMIT2, transferOf } from "./transfer.ts";

test("both methods of transfer have one form", () => {
  const nonce = `0x${"7".padStart(64, "0")}` as const;
  const common = { from: PAYER, to: PAYEE, value: "10000", validAfter: "0", validBefore: "60", nonce };
  expect(transferOf(signedPayment(0, { nonce }), REQUIREMENTS)).toEqual({ ...common, contract: USDC });
  expect(transferOf(signedPermit2(REQUIREMENTS, 0, { nonce: "7" }), REQUIREMENTS)).toEqual({
    ...common,
    contract: PERMIT2,
  });
});

test("an amount in dollars is known for a known token only", () => {
  const amounts = [
    ["$1", "USDC"],
    ["5", "USDC"],
    ["5", PAYEE],
    ["$1", PAYEE],
  ].map(([amount = "", token = ""]) => atomicOf(amount, { network: "eip155:84532", token }));
  expect(amounts).toEqual([1_000_000n, 5n, 5n, undefined]);
});

test("one unit has no plural", () => {
  expect([unitsTitle({ unit: "event", units: 1 }), unitsTitle({ unit: "event", units: 2 })]).toEqual([
    "1 event",
    "2 events",
  ]);
});
