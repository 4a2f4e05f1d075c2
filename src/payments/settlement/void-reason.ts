import { isEvmPayment, isPermit2, type PaymentPayload } from "../x402/messages.ts";
import { type Reason } from "../x402/reasons.ts";

/** Why a payment moved no money and never will: canceled by the payer if still `isInTime`, else expired. */
export function voidReason(payload: PaymentPayload, isInTime: boolean): Reason {
  if (!isEvmPayment(payload)) return "transaction_expired";
  if (isInTime) return "payment_refused";
  return isPermit2(payload) ? "permit2_deadline_expired" : "invalid_exact_evm_payload_authorization_valid_before";
}
