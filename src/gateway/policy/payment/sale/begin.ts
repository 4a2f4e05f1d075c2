import { type FunnelLoss } from "../../../telemetry/metrics/funnel-steps.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type PaymentState, type Reservation } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type Refusal } from "../offer/offer.ts";
import { paymentError, respondError } from "../protocol/respond.ts";
import { lossOf } from "../route/loss.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { REFUSED_BY_RULE, respondRefused, respondSpent, respondUnserved } from "../route/refusals.ts";

/** Seconds after which a client can retry if there was no room for the response. */
const ROOM_RETRY_S = 1;
const NO_ROOM = "Too many paid responses wait for settlement; nothing was charged. Send the same payment again.";

/** States of payments for which work has begun. */
export const BEGUN: ReadonlySet<PaymentState> = new Set(["deferred", "settling", "unknown", "settled"]);

/** True if work has begun for this payment and this request. */
export async function isBegun({ ledger }: PaidRoute, reservation: Reservation): Promise<boolean> {
  const standing = await ledger.find(reservation);
  if (standing === undefined || standing.fingerprint !== reservation.fingerprint) return false;
  return BEGUN.has(standing.state);
}

/** True if the response can be kept until it is paid. A response that is passed through needs no buffer. */
export function hasRoom({ responses, settle, clock }: PaidRoute, fingerprint: string): boolean {
  return settle === "before" || responses.admits() || responses.has(fingerprint, clock());
}

/** Responds that there is no room for the response now. */
export function respondNoRoom(exchange: Exchange): void {
  respondError(exchange, paymentError("overloaded", NO_ROOM), ROOM_RETRY_S);
}

/** Responds that no work is begun for the payment. */
export function refuse(paidRoute: PaidRoute, exchange: Exchange, refusal: Refusal): void {
  if (refusal.kind === "unserved") respondUnserved(exchange);
  else if (refusal.kind === "refused") respondError(exchange, REFUSED_BY_RULE);
  else if (refusal.kind === "unusable") respondSpent(exchange, paidRoute, refusal.error);
  else respondRefused(exchange, paidRoute, refusal.error);
}

/** The loss that a refused payment counts as. `accepted`: what it was made for. */
export function refusalLoss({ accepts }: PaidRoute, refusal: Refusal, accepted: PaymentRequirements): FunnelLoss {
  if (refusal.kind === "unserved") return "no_servers";
  if (refusal.kind === "refused") return "not_sold";
  if (refusal.kind === "unusable") return "unreadable";
  return lossOf(refusal.error, accepted, accepts.current()?.required.accepts);
}
