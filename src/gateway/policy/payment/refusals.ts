import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/fields.ts";
import { type Receipt } from "../../../payments/x402/messages.ts";
import { type Exchange } from "../../exchange.ts";
import { type ChallengeError } from "./challenge/challenge.ts";
import { receiptFields } from "./receipt.ts";
import { paymentError, respondError } from "./respond.ts";
import { type Sale } from "./sale.ts";

/** When a client may ask again what became of an unclear settlement, in seconds. */
const PENDING_RETRY_S = 5;
/** When a client may try again whose payment could not be verified, in seconds. */
const FACILITATOR_RETRY_S = 5;
/** When a client may ask again whose payment another request works on, or whose answer found no room, in seconds. */
const SOON_S = 1;

const SEND_AGAIN = "It is not known yet whether the payment went through. Send the same payment again, and no new one.";

/** The price again, and why the payment was not taken; 503 while the route has none. */
export function respondRefused(exchange: Exchange, { offers }: Sale, error: ChallengeError): void {
  const challenge = offers.current();
  if (challenge !== undefined) {
    challenge.respond(exchange, error);
    return;
  }
  const detail = "Nothing can be sold here at the moment: the facilitator has not said what it takes.";
  respondError(exchange, paymentError("facilitator-unavailable", detail), FACILITATOR_RETRY_S);
}

/** The payment that came is of no use, now or later: an error that says so, and beside it what another one must be. */
export function respondSpent(exchange: Exchange, { offers }: Pick<Sale, "offers">, error: TurnpikeError): void {
  const challenge = offers.current();
  if (challenge === undefined) respondError(exchange, error);
  else challenge.respondError(exchange, error);
}

/** The facilitator is away, or makes no sense. */
export function respondUnverified(exchange: Exchange, kind: "unavailable" | "failed"): void {
  const code = kind === "unavailable" ? "facilitator-unavailable" : "facilitator-failed";
  const detail = "The payment could not be verified; nothing was charged. Send the same payment again.";
  respondError(exchange, paymentError(code, detail), FACILITATOR_RETRY_S);
}

/** Nobody knows whether money moved: never a new price. */
export function respondPending(exchange: Exchange): void {
  respondError(exchange, paymentError("settlement-pending", SEND_AGAIN), PENDING_RETRY_S);
}

/** The settlement was refused, for certain. `receipt` says so in the protocol's words. */
export function respondUnsettled(exchange: Exchange, { offers }: Sale, { receipt, version }: Refused): void {
  const reason = receipt.errorReason ?? "payment_refused";
  const error = paymentError("payment-required", `The payment could not be settled: ${reason}. Nothing was charged.`);
  const fields = receiptFields(receipt, version);
  const challenge = offers.current();
  if (challenge === undefined) respondError(exchange, error, undefined, fields);
  else challenge.respondError(exchange, error, { reason, fields });
}

interface Refused {
  readonly receipt: Receipt;
  /** Of x402, by which it was paid. */
  readonly version: 1 | 2;
}

/** The ledger failed; `spent` where money may have moved. */
export function respondUnwritten(exchange: Exchange, spent: boolean): void {
  if (spent) {
    respondPending(exchange);
    return;
  }
  const detail = "The payment could not be written down; nothing was charged. Send the same payment again.";
  respondError(exchange, paymentError("overloaded", detail), PENDING_RETRY_S);
}

/** No answer came; `receipt` stands beside it where it is paid and owed. */
export function respondBroken(exchange: Exchange, error: TurnpikeError, receipt: Fields): void {
  const isOwed = receipt !== "";
  respondError(exchange, error, error.status === 503 || isOwed ? SOON_S : undefined, receipt);
}

export function respondLost(exchange: Exchange): void {
  respondError(exchange, paymentError("payment-conflict", "Another request took this payment over."), SOON_S);
}
