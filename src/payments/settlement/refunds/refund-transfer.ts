import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Payment } from "../../../store/ledger.ts";
import { type Refund } from "../../../store/refunds.ts";
import { type Account } from "../../signatures/signature.ts";
import { signTransfer, type UnsignedTransfer } from "../../signatures/sign-transfer.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../x402/messages.ts";

/** Seconds from the request of a refund in which its transfer can be made. */
export const REFUND_VALID_S = 900;

/** The token of a refund, and the contract that moves it. */
export type RefundToken = Pick<UnsignedTransfer, "asset" | "method">;

/** A refund as an x402 payment from the seller to the payer, which a facilitator settles as any other. */
export interface RefundTransfer {
  readonly payment: PaymentPayload;
  readonly requirements: PaymentRequirements;
}

/**
 * The transfer of a refund. Payment and number determine its nonce, and the chain accepts a nonce once: however often a
 * refund is signed or sent, by whichever gateway, the money moves at most once.
 */
export function refundTransfer(
  refund: Refund,
  { from }: Pick<Payment, "from">,
  { asset, method }: RefundToken,
  account: Account,
): RefundTransfer {
  const requirements: PaymentRequirements = {
    scheme: "exact",
    network: refund.network,
    amount: refund.amount,
    asset: asset.address,
    payTo: from,
    maxTimeoutSeconds: REFUND_VALID_S,
    extra: {
      name: asset.name,
      version: asset.version,
      ...(method === "permit2" ? { assetTransferMethod: method } : {}),
    },
  };
  const transfer = { requirements, asset, method, validBefore: refund.validBefore, nonce: nonceOf(refund) };
  const payload = signTransfer(transfer, account);
  return { payment: { x402Version: 2, accepted: requirements, payload }, requirements };
}

function nonceOf({ network, asset, from, nonce, sequence }: Refund): string {
  const text = ["turnpike refund", network, asset, from, nonce, sequence].join("\n");
  return bytesToHex(keccak_256(utf8ToBytes(text)));
}
