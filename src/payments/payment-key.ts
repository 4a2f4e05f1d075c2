import { type PaymentKey } from "../store/ledger.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";

/** The ledger's key of a payment: the nonce, and never the bytes that carried it, which have many spellings. */
export function paymentKey(payment: PaymentPayload, requirements: PaymentRequirements): PaymentKey {
  const { from, nonce } = payment.payload.authorization;
  return {
    network: requirements.network,
    asset: requirements.asset.toLowerCase(),
    from: from.toLowerCase(),
    nonce: nonce.toLowerCase(),
  };
}
