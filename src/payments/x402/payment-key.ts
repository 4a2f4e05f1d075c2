import { type PaymentKey } from "../../store/ledger.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";
import { transferOf } from "./transfer.ts";

/** A payment's key in the ledger: of the nonce, not the header, which can encode a payment in many ways. */
export function paymentKey(payment: PaymentPayload, requirements: PaymentRequirements): PaymentKey {
  const { contract, from, nonce } = transferOf(payment, requirements);
  return {
    network: requirements.network,
    asset: contract.toLowerCase(),
    from: from.toLowerCase(),
    nonce: nonce.toLowerCase(),
  };
}
