import { isPermit2, type PaymentPayload } from "../x402/messages.ts";
import { type Reason } from "../x402/reasons.ts";

/** Why a payment moved nothing, and never will: its time is over, or the payer called it back while it had some (`isInTime`). */
export function voidReason(payload: PaymentPayload, isInTime: boolean): Reason {
  if (isInTime) return "payment_refused";
  return isPermit2(payload) ? "permit2_deadline_expired" : "invalid_exact_evm_payload_authorization_valid_before";
}
