import { type PaymentKey } from "../../store/ledger.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";
import { transferOf } from "./transfer.ts";

/**
 * The ledger's key of a payment. It is made of the nonce, not of the bytes of the header: the same payment can be
 * encoded in many ways.
 */
export function paymentKey(payment: PaymentPayload, requirements: PaymentRequirements): PaymentKey {
  const { contract, from, nonce } = transferOf(payment, requirements);
  return {
    network: requirements.network,
    asset: contract.toLowerCase(),
    from: from.toLowerCase(),
    nonce: nonce.toLowerCase(),
  };
}
