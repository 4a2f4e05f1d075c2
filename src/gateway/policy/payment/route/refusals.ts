import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields } from "../../../../lib/http/fields.ts";
import { type Problem } from "../../../../payments/mpp/problems.ts";
import { type Receipt } from "../../../../payments/x402/messages.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type ChallengeError } from "../challenge/challenge.ts";
import { type PaymentForm, receiptFields } from "../protocol/receipt.ts";
import { paymentError, respondError, respondProblem } from "../protocol/respond.ts";
import { type PaidRoute } from "./paid-route.ts";

/** Seconds after which a client can ask again about a settlement with an unknown result. */
const PENDING_RETRY_S = 5;
/** Seconds after which a client can retry if its payment could not be verified. */
const FACILITATOR_RETRY_S = 5;
/** Seconds after which a client can retry: another request had its payment, or there was no room. */
const SOON_S = 1;

const SEND_AGAIN = "It is not known yet whether the payment went through. Send the same payment again, not a new one.";

/** A rule of the route refuses the request, at any price. */
export const REFUSED_BY_RULE = paymentError("forbidden", "This request is not sold.");

/** Sends the challenge again with the reason why the payment was not accepted; 503 while the route has no challenge. */
export function respondRefused(exchange: Exchange, { accepts }: PaidRoute, error: ChallengeError): void {
  const challenge = accepts.current();
  if (challenge !== undefined) {
    challenge.respond(exchange, error);
    return;
  }
  const detail =
    "Payments are not accepted at the moment: the facilitator has not reported the payments that it supports.";
  respondError(exchange, paymentError("facilitator-unavailable", detail), FACILITATOR_RETRY_S);
}

/** The payment cannot be used, now or later: an error with the reason, and the requirements for another payment. */
export function respondSpent(exchange: Exchange, { accepts }: Pick<PaidRoute, "accepts">, error: TurnpikeError): void {
  const challenge = accepts.current();
  if (challenge === undefined) respondError(exchange, error);
  else challenge.respondError(exchange, error);
}

/** The payment cannot be read. */
export function respondUnreadable(
  exchange: Exchange,
  paidRoute: Pick<PaidRoute, "accepts">,
  why: TurnpikeError | Problem,
): void {
  const challenge = paidRoute.accepts.current();
  if (!(why instanceof TurnpikeError)) {
    if (challenge === undefined) respondProblem(exchange, why);
    else challenge.respondProblem(exchange, why);
    // The payment may be good: no price for another one.
  } else if (why.code === "overloaded") respondError(exchange, why, PENDING_RETRY_S);
  else respondSpent(exchange, paidRoute, why);
}

/** The route has no servers that could respond. */
export function respondUnserved(exchange: Exchange): void {
  respondError(exchange, paymentError("no-servers", "The upstream has no servers; nothing was charged."), SOON_S);
}

/** The facilitator is not available, or its response is not valid. */
export function respondUnverified(exchange: Exchange, kind: "unavailable" | "failed"): void {
  const code = kind === "unavailable" ? "facilitator-unavailable" : "facilitator-failed";
  const detail = "The payment could not be verified; nothing was charged. Send the same payment again.";
  respondError(exchange, paymentError(code, detail), FACILITATOR_RETRY_S);
}

/** The result of the settlement is unknown: a new price is never sent. */
export function respondPending(exchange: Exchange): void {
  respondError(exchange, paymentError("settlement-pending", SEND_AGAIN), PENDING_RETRY_S);
}

/** The settlement was certainly rejected. `receipt` reports it in the protocol's format. */
export function respondUnsettled(exchange: Exchange, { accepts }: PaidRoute, { receipt, form }: Refused): void {
  const reason = receipt.errorReason ?? "payment_refused";
  const error = paymentError("payment-required", `The payment could not be settled: ${reason}. Nothing was charged.`);
  const fields = receiptFields(receipt, form);
  const challenge = accepts.current();
  if (challenge === undefined) respondError(exchange, error, undefined, fields);
  else challenge.respondError(exchange, error, { reason, fields });
}

interface Refused {
  readonly receipt: Receipt;
  readonly form: PaymentForm;
}

/** The ledger failed; `spent`: the settlement may have happened. */
export function respondUnwritten(exchange: Exchange, spent: boolean): void {
  if (spent) {
    respondPending(exchange);
    return;
  }
  const detail = "The payment could not be recorded; nothing was charged. Send the same payment again.";
  respondError(exchange, paymentError("overloaded", detail), PENDING_RETRY_S);
}

/** There is no response from the upstream. `receipt` is added if the payment is settled and the response still owed. */
export function respondBroken(exchange: Exchange, error: TurnpikeError, receipt: Fields): void {
  const isOwed = receipt !== "";
  respondError(exchange, error, error.status === 503 || isOwed ? SOON_S : undefined, receipt);
}

/** Responds that the lease of the payment was lost to another request. The client may try again soon. */
export function respondLost(exchange: Exchange): void {
  respondError(exchange, paymentError("payment-conflict", "Another request has taken over this payment."), SOON_S);
}
