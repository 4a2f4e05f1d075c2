import { expect, test } from "bun:test";
import { REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { signedPermit2 } from "../testing/permit2-payment.ts";
import { type PaymentPayload } from "../x402/messages.ts";
import { voidReason } from "./void-reason.ts";

const evm = signedPayment(0);
const permit2 = signedPermit2({ ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" } }, 0);
const solana: PaymentPayload = {
  x402Version: 2,
  accepted: { ...REQUIREMENTS, network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" },
  payload: { transaction: "AQ==" },
};

test.each([
  ["by EIP-3009", evm, "invalid_exact_evm_payload_authorization_valid_before", "payment_refused"],
  ["by Permit2", permit2, "permit2_deadline_expired", "payment_refused"],
  // A payer cannot cancel a transaction on Solana: its block hash expires.
  ["on Solana", solana, "transaction_expired", "transaction_expired"],
] as const)("a payment %s that moved no money has expired, or was canceled in time", (_what, payment, late, inTime) => {
  expect([voidReason(payment, false), voidReason(payment, true)]).toEqual([late, inTime]);
});
