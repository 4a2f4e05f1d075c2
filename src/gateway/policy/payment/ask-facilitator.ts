import { faultOf } from "../../../lib/caught.ts";
import {
  type Assignment,
  type Outcome,
  type Settlement,
  type Verification,
} from "../../../payments/x402/facilitator.ts";
import { transferOf } from "../../../payments/x402/transfer.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type AcceptedPayment } from "./offer.ts";
import { asSpan } from "./payment-span.ts";
import { type PaidRoute } from "./paid-route.ts";

type Asked = Pick<PaidRoute, "facilitator" | "log">;

/** The payment that the facilitator is asked about. */
type Payment = Pick<AcceptedPayment, "payload" | "requirements">;

/** Asks whether a payment is valid. An exception of the facilitator counts as a failure, so the client gets nothing. */
export async function verifyOnce(asked: Asked, exchange: Exchange, accepted: Payment): Promise<Verification> {
  return asSpan(exchange, "payment.verify", async () => {
    try {
      return await asked.facilitator.verify(accepted.payload, accepted.requirements);
    } catch (error) {
      asked.log(`payment: the verification failed unexpectedly: ${faultOf(error)}`);
      return { kind: "failed", cause: "defect" };
    }
  });
}

/** Asks the facilitator to settle. After an exception the outcome is unknown. */
export async function settleOnce(
  asked: Asked,
  exchange: Exchange,
  accepted: Payment,
  to: Assignment,
): Promise<Settlement> {
  const { payload, requirements } = accepted;
  // The amount is zero, so there is nothing to settle on a chain.
  if (requirements.amount === "0") {
    return { kind: "settled", transaction: "", payer: transferOf(payload, requirements).from };
  }
  return asSpan(exchange, "payment.settle", async () => {
    try {
      return await asked.facilitator.settle(payload, requirements, to);
    } catch (error) {
      asked.log(`payment: the settlement failed unexpectedly: ${faultOf(error)}`);
      return { kind: "unknown", cause: "defect", transaction: "" };
    }
  });
}

/** Looks up the outcome of a settlement that the facilitator `by` was asked for. */
export async function findOnce(asked: Asked, exchange: Exchange, accepted: Payment, by: string): Promise<Outcome> {
  if (accepted.requirements.amount === "0") return { kind: "unspent" };
  return asSpan(exchange, "payment.find", async () => {
    try {
      return await asked.facilitator.find(accepted.payload, accepted.requirements, by);
    } catch (error) {
      asked.log(`payment: the lookup of a settlement failed unexpectedly: ${faultOf(error)}`);
      return { kind: "unknown", cause: "defect" };
    }
  });
}
