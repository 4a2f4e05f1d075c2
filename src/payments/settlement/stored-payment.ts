import { parsedJson } from "../../lib/parsed-json.ts";
import { type Payment } from "../../store/ledger.ts";
import { type PaymentPayload, paymentPayloadSchema, type PaymentRequirements } from "../x402/messages.ts";

/** A key of Turnpike, not of the protocol. */
const TEST_MODE = "turnpikeTestMode";

/** A payment with the requirements under which it was accepted. */
export interface StoredPayment {
  readonly payment: PaymentPayload;
  readonly requirements: PaymentRequirements;
  /** True if it was accepted in test mode. Such a payment is on no chain. */
  readonly testMode: boolean;
}

/**
 * The ledger's form of a payment (`Reservation.payload`). It contains the requirements that the payment was checked
 * against, in place of the payer's own copy, which may have additional members. The ledger keeps them because routes
 * and prices may change before the outcome is known.
 */
export function toStored(payment: PaymentPayload, requirements: PaymentRequirements, testMode: boolean): string {
  return JSON.stringify({ ...payment, accepted: requirements, [TEST_MODE]: testMode });
}

/**
 * Reads the payment and its requirements from a row of the ledger. The amount is the row's: under `upto` that is the
 * charge as soon as it is known. Undefined if the row stores no valid payment.
 */
export function fromStored({ payload, amount }: Pick<Payment, "payload" | "amount">): StoredPayment | undefined {
  const parsed = paymentPayloadSchema.safeParse(parsedJson(payload));
  if (!parsed.success) return undefined;
  const { [TEST_MODE]: testMode, ...payment } = parsed.data;
  return { payment, requirements: { ...payment.accepted, amount }, testMode: testMode === true };
}
