import { type Payment } from "../../store/ledger.ts";
import { type PaymentPayload, paymentPayloadSchema, type PaymentRequirements } from "../x402/messages.ts";

/** No key of the protocol's. */
const TEST_MODE = "turnpikeTestMode";

/** A payment with the terms that it was taken on. */
export interface StoredPayment {
  readonly payment: PaymentPayload;
  readonly requirements: PaymentRequirements;
  /** It was taken in test mode: no chain has ever heard of it. */
  readonly testMode: boolean;
}

/**
 * What the ledger keeps of a payment (`Reservation.payload`): the terms that it was checked against stand in it in place of
 * the payer's own copy of them, which may say more. Routes and prices may change before its outcome is known.
 */
export function toStored(payment: PaymentPayload, requirements: PaymentRequirements, testMode: boolean): string {
  return JSON.stringify({ ...payment, accepted: requirements, [TEST_MODE]: testMode });
}

/**
 * The payment and terms that a row of the ledger was made of; their amount is the row's, which under `upto` is the charge
 * once that is known. Undefined where the row keeps none.
 */
export function fromStored({ payload, amount }: Pick<Payment, "payload" | "amount">): StoredPayment | undefined {
  const parsed = paymentPayloadSchema.safeParse(parseJson(payload));
  if (!parsed.success) return undefined;
  const { [TEST_MODE]: testMode, ...payment } = parsed.data;
  return { payment, requirements: { ...payment.accepted, amount }, testMode: testMode === true };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
