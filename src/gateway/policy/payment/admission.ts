import { faultOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { fieldLine } from "../../../lib/http/fields.ts";
import { type Credit, UNCOVERED } from "../../../store/credits.ts";
import { standingOf } from "../../../payments/credit/credit-terms.ts";
import { type Payment, type Reservation } from "../../../store/ledger.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type FunnelLoss } from "../../telemetry/metrics/funnel-steps.ts";
import { type Decision } from "../policy.ts";
import { creditOf } from "../../../payments/credit/credit-of.ts";
import { BALANCE_FIELD } from "../../../payments/credit/token.ts";
import { findAsset } from "../../../payments/x402/assets.ts";
import { formatAmount } from "../../../payments/x402/price.ts";
import { NO_MATCH } from "../../../payments/x402/terms.ts";
import { appendFields } from "../../exchange/head-fields.ts";
import { admitChannel } from "./channels/admit-channel.ts";
import { creditOffer } from "./offer/credit-offer.ts";
import { type CreditError } from "../../../payments/credit/credit-error.ts";
import { isResuming } from "./offer/fingerprint.ts";
import { type Offer, readOffer, type Refusal, reservationOf } from "./offer/offer.ts";
import { type PaidRoute } from "./route/paid-route.ts";
import { type Presented, type PresentedChannel } from "./offer/presented.ts";
import { respondRefused } from "./route/refusals.ts";
import { hasRoom, isBegun, refusalLoss, refuse, respondNoRoom } from "./sale/begin.ts";
import { respondRepeat } from "./sale/repeat.ts";
import { paymentError, respondError } from "./protocol/respond.ts";
import { Sale } from "./sale/sale.ts";

/** Seconds after which a client can retry if the ledger did not respond. */
export const LEDGER_RETRY_S = 5;
/** A route that sells by the unit begins no work for a payment that is made once. */
const UNMETERED: Refusal = { kind: "terms", error: NO_MATCH };
const NO_LEDGER = "The payment could not be looked up. Send the same payment again, not a new one.";

type Claim =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "no-room" }
  /** Another request uses the payment, or it is used up. */
  | { readonly kind: "taken"; readonly payment: Payment; readonly fingerprint: string }
  /** Only this request works on the payment. */
  | { readonly kind: "leased"; readonly payment: Payment };

/** The credit whose token a request has; undefined if the token is not valid. */
export interface PresentedCredit {
  readonly credit: Credit | undefined;
}

/** Looks up the credit of a token. An error if the ledger fails. */
export async function lookUpCredit(
  { credits, log, route, target }: Pick<PaidRoute, "credits" | "log" | "route" | "target">,
  token: string,
): Promise<PresentedCredit | TurnpikeError> {
  try {
    return { credit: credits && (await creditOf(credits, token, target.testMode)) };
  } catch (error) {
    log(`payment: the ledger failed on ${route}: ${faultOf(error)}`);
    return paymentError("overloaded", NO_LEDGER);
  }
}

/** As `lookUpCredit`. The owner of an active credit is the payer of the request. Undefined: the client has an error. */
export async function presentCredit(
  paidRoute: PaidRoute,
  exchange: Exchange,
  token: string,
): Promise<PresentedCredit | undefined> {
  const presented = await lookUpCredit(paidRoute, token);
  if (presented instanceof TurnpikeError) {
    respondError(exchange, presented, LEDGER_RETRY_S);
    return undefined;
  }
  const { credit } = presented;
  // A revoked token must not get what is free for its owner.
  if (credit !== undefined && standingOf(credit, paidRoute.clock()) === "active") exchange.payer = credit.owner;
  return presented;
}

/** Tells the upstream of a free request what the token of the request has left. */
export function tellBalance(exchange: Exchange, { credit }: PresentedCredit, unixNow: number): void {
  if (credit?.unit !== "money" || standingOf(credit, unixNow) !== "active") return;
  const asset = findAsset(credit.network, credit.token);
  if (asset === undefined) return;
  appendFields(exchange.head, fieldLine(BALANCE_FIELD, formatAmount(credit.balance, asset.decimals)));
}

/** Handles or rejects a request with a payment, or else with credit. Without the ledger no request passes. */
export async function admit(
  paidRoute: PaidRoute,
  exchange: Exchange,
  presented: Presented | PresentedCredit,
): Promise<Decision> {
  const client = paidRoute.funnel.of(exchange.head);
  try {
    if ("version" in presented && presented.version === "channel") {
      return await admitChannel(paidRoute, exchange, presented);
    }
    const offer = offerOf(paidRoute, exchange, presented);
    if (offer === undefined || typeof offer === "string") {
      client.lose(exchange, "terms");
      respondRefused(exchange, paidRoute, offer ?? NO_MATCH);
      return "responded";
    }
    const claim = await claimPayment(paidRoute, exchange, offer);
    if (claim.kind === "leased") return await new Sale(paidRoute, exchange, offer, claim.payment).run();
    client.lose(exchange, claimLoss(paidRoute, claim, offer));
    if (claim.kind === "refused") refuse(paidRoute, exchange, claim.refusal);
    else if (claim.kind === "no-room") respondNoRoom(exchange);
    else await respondRepeat({ paidRoute, exchange, form: offer }, claim.payment, claim.fingerprint);
  } catch (error) {
    client.lose(exchange, "overloaded");
    paidRoute.log(`payment: the ledger failed on ${paidRoute.route}: ${faultOf(error)}`);
    if (!exchange.started) respondError(exchange, paymentError("overloaded", NO_LEDGER), LEDGER_RETRY_S);
  }
  return "responded";
}

/** The payment that a request offers, or the reason against it. */
function offerOf(
  paidRoute: PaidRoute,
  exchange: Exchange,
  presented: Exclude<Presented, PresentedChannel> | PresentedCredit,
): Offer | CreditError | undefined {
  if (!("credit" in presented)) return readOffer(paidRoute, exchange, presented);
  const { credit } = presented;
  return credit === undefined ? "credit_token_unknown" : creditOffer(paidRoute, exchange, credit);
}

function claimLoss(paidRoute: PaidRoute, claim: Exclude<Claim, { kind: "leased" }>, { payload }: Offer): FunnelLoss {
  if (claim.kind === "no-room") return "overloaded";
  if (claim.kind === "taken") return "used";
  return refusalLoss(paidRoute, claim.refusal, payload.accepted);
}

async function claimPayment(paidRoute: PaidRoute, exchange: Exchange, offer: Offer): Promise<Claim> {
  const { ledger, max_partial_answers: maxPartials } = paidRoute;
  // One payment by another scheme would pay for a response without an end.
  const refusal = offer.refusal ?? (paidRoute.meter === undefined ? undefined : UNMETERED);
  const reservation = await resumed(paidRoute, exchange, offer);
  // Work that has begun is finished, even if the terms or the time have changed: a new challenge would make the client
  // pay twice.
  if (refusal !== undefined && !(await isBegun(paidRoute, reservation))) return { kind: "refused", refusal };
  const { fingerprint } = reservation;
  if (!hasRoom(paidRoute, fingerprint)) return { kind: "no-room" };
  const { leased, payment } = await ledger.reserve(reservation, maxPartials);
  // The balance was spent, or the credit ended, since it was read.
  const isUncovered = offer.prepaid !== undefined && payment.reason === UNCOVERED;
  if (isUncovered) return { kind: "refused", refusal: { kind: "terms", error: "credit_insufficient" } };
  if (!leased) return { kind: "taken", payment, fingerprint };
  if (refusal === undefined || payment.state !== "reserved") return { kind: "leased", payment };
  // The earlier use ended without a result during the lookup. So this is a new payment, and the route does not accept
  // its terms.
  await ledger.move(payment, { state: "released", lease: false });
  return { kind: "refused", refusal };
}

/**
 * The reservation of the earlier request that spent this payment, if this request asks for the rest of its response. A
 * request that was paid with a range keeps that range: the whole resource can cost more.
 */
async function resumed(paidRoute: PaidRoute, exchange: Exchange, offer: Offer): Promise<Reservation> {
  const own = reservationOf(paidRoute, exchange, offer);
  if (paidRoute.settle === "after" || !isResuming(exchange.head.fields)) return own;
  const whole = reservationOf(paidRoute, exchange, offer, true);
  const standing = await paidRoute.ledger.find(own);
  return standing?.fingerprint === whole.fingerprint ? whole : own;
}
