import { type Outcome, type Settlement, type Verification } from "../../../payments/facilitator/facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../../payments/x402/messages.ts";
import { transferOf } from "../../../payments/x402/transfer.ts";
import { type Exchange } from "../../exchange.ts";
import { asSpan } from "./payment-span.ts";
import { type Sale } from "./sale.ts";

type Asked = Pick<Sale, "facilitator" | "log">;

/** What the facilitator is asked about. */
interface Deal {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
}

/** Asks whether a payment is good. A facilitator that throws has failed: nobody gets anything for that. */
export async function verifyOnce(asked: Asked, exchange: Exchange, deal: Deal): Promise<Verification> {
  return asSpan(exchange, "payment.verify", async () => {
    try {
      return await asked.facilitator.verify(deal.payload, deal.requirements);
    } catch (error) {
      asked.log(`payment: verification threw: ${nameOf(error)}`);
      return { kind: "failed", cause: "defect" };
    }
  });
}

/** Has the money moved. One that throws leaves its outcome open. */
export async function settleOnce(asked: Asked, exchange: Exchange, deal: Deal): Promise<Settlement> {
  const { payload, requirements } = deal;
  // Nothing is charged, so nothing has to move: no chain is asked to.
  if (requirements.amount === "0") {
    return { kind: "settled", transaction: "", payer: transferOf(payload, requirements).from };
  }
  return asSpan(exchange, "payment.settle", async () => {
    try {
      return await asked.facilitator.settle(payload, requirements);
    } catch (error) {
      asked.log(`payment: settlement threw: ${nameOf(error)}`);
      return { kind: "unknown", cause: "defect", transaction: "" };
    }
  });
}

/** Looks for what became of a settlement that was begun. */
export async function findOnce(asked: Asked, exchange: Exchange, deal: Deal): Promise<Outcome> {
  if (deal.requirements.amount === "0") return { kind: "unspent" };
  return asSpan(exchange, "payment.find", async () => {
    try {
      return await asked.facilitator.find(deal.payload, deal.requirements);
    } catch (error) {
      asked.log(`payment: looking for a settlement threw: ${nameOf(error)}`);
      return { kind: "unknown", cause: "defect" };
    }
  });
}

/** An error's class: its message may hold addresses and keys. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
