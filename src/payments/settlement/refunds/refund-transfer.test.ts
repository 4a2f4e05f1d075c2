import { expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { type Refund } from "../../../store/refunds.ts";
import { RESERVATION } from "../../../store/testing/reservation.ts";
import { checkSignature, checkTerms } from "../../signatures/check-payment.ts";
import { PAYEE, PAYER, PRIVATE_KEY, USDC } from "../../testing/payment.ts";
import { isEip3009, isPermit2 } from "../../x402/messages.ts";
import { refundTransfer } from "./refund-transfer.ts";

const NOW = 1_800_000_000;
const SELLER = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };
const PAID = { ...RESERVATION, asset: USDC.toLowerCase(), from: PAYEE.toLowerCase() };
const REFUND: Refund = {
  ...PAID,
  sequence: 1,
  id: "a",
  state: "pending",
  amount: "4000",
  validBefore: NOW + 900,
  sent: false,
  transaction: "",
  reason: "",
  by: "test",
  createdAt: 0,
  updatedAt: 0,
};
const asset = { network: "eip155:84532", address: USDC, name: "USDC", version: "2" } as const;

function transferOf(method: "eip3009" | "permit2", change: Partial<Refund> = {}) {
  return refundTransfer({ ...REFUND, ...change }, PAID, { asset, method }, SELLER);
}

test.each(["eip3009", "permit2"] as const)("a refund by %s pays its amount to the payer, and is valid", (method) => {
  const { payment, requirements } = transferOf(method);
  expect(requirements).toMatchObject({ scheme: "exact", amount: "4000", payTo: PAID.from, maxTimeoutSeconds: 900 });
  expect(requirements.extra).toEqual({
    name: "USDC",
    version: "2",
    ...(method === "permit2" ? { assetTransferMethod: "permit2" } : {}),
  });
  expect([payment.x402Version, payment.accepted]).toEqual([2, requirements]);
  expect([checkTerms(payment, requirements, NOW), checkTerms(payment, requirements, NOW + 900)]).toEqual([
    undefined,
    expect.any(String),
  ]);
  expect(checkSignature(payment, requirements)).toMatchObject({ payer: PAYER });
});

test("a refund has one nonce, however often it is signed, and another refund has another one", () => {
  const nonceOf = (change: Partial<Refund> = {}): string => {
    const { payment } = transferOf("eip3009", change);
    if (!isEip3009(payment)) throw new Error("it is made by EIP-3009");
    return payment.payload.authorization.nonce;
  };
  // A refund that an earlier version sent may still come: the chain accepts this nonce once.
  expect(nonceOf()).toBe("0x70517196aa0f655e24341dfa65281e5dc5ecaf98a74787977609550840159394");
  expect(nonceOf({ validBefore: NOW + 1800, amount: "1", id: "b" })).toBe(nonceOf());
  const others = [
    { sequence: 2 },
    { nonce: "0xother" },
    { from: PAYER },
    { asset: "0xother" },
    { network: "eip155:1" },
  ];
  expect(new Set([{}, ...others].map(nonceOf)).size).toBe(6);
  const { payment } = transferOf("permit2");
  expect(isPermit2(payment) && BigInt(payment.payload.permit2Authorization.nonce)).toBe(BigInt(nonceOf()));
});
