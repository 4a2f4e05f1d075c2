import { type Outcome, type Settlement, type Verification } from "../../../payments/facilitator/facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../../payments/x402/messages.ts";
import { transferOf } from "../../../payments/x402/transfer.ts";
import { type Sale } from "./sale.ts";

type Asked = Pick<Sale, "facilitator" | "log">;

/** Asks whether a payment is good. A facilitator that throws has failed: nobody gets anything for that. */
export async function verifyOnce(
  { facilitator, log }: Asked,
  payload: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<Verification> {
  try {
    return await facilitator.verify(payload, requirements);
  } catch (error) {
    log(`payment: verification threw: ${nameOf(error)}`);
    return { kind: "failed", cause: "defect" };
  }
}

/** Has the money moved. One that throws leaves its outcome open. */
export async function settleOnce(
  { facilitator, log }: Asked,
  payload: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<Settlement> {
  // Nothing is charged, so nothing has to move: no chain is asked to.
  if (requirements.amount === "0") {
    return { kind: "settled", transaction: "", payer: transferOf(payload, requirements).from };
  }
  try {
    return await facilitator.settle(payload, requirements);
  } catch (error) {
    log(`payment: settlement threw: ${nameOf(error)}`);
    return { kind: "unknown", cause: "defect", transaction: "" };
  }
}

/** Looks for what became of a settlement that was begun. */
export async function findOnce(
  { facilitator, log }: Asked,
  payload: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<Outcome> {
  if (requirements.amount === "0") return { kind: "unspent" };
  try {
    return await facilitator.find(payload, requirements);
  } catch (error) {
    log(`payment: looking for a settlement threw: ${nameOf(error)}`);
    return { kind: "unknown", cause: "defect" };
  }
}

/** An error's class: its message may hold addresses and keys. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
