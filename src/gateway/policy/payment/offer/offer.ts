import { type TurnpikeError } from "../../../../lib/errors.ts";
import { checkTerms } from "../../../../payments/signatures/check-payment.ts";
import { fromV1 } from "../../../../payments/signatures/from-v1.ts";
import { toStored } from "../../../../payments/settlement/stored-payment.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { paymentKey, validUntil } from "../../../../payments/x402/payment-key.ts";
import { canonicalAddress } from "../../../../payments/x402/address.ts";
import { agrees, findError, NO_MATCH } from "../../../../payments/x402/terms.ts";
import { fittedName } from "../../../../lib/memory/shared-names.ts";
import {
  type ChannelPayment,
  type ChannelRequirements,
  type Deposit,
} from "../../../../payments/x402/channel-messages.ts";
import { type Channel, type Channels } from "../../../../store/channels.ts";
import { CREDIT_SCHEME } from "../../../../store/credits.ts";
import { type PaymentKey, type Reservation } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type ChallengeError } from "../challenge/challenge.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { idempotencyId, readIdentifier } from "../protocol/payment-identifier.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { type Presented, type PresentedChannel } from "./presented.ts";
import { chargedOffer } from "./charged-offer.ts";
import { type PresentedCredential } from "../mpp/presented-credential.ts";
import { type PaymentForm } from "../protocol/receipt.ts";
import { paymentError } from "../protocol/respond.ts";

const BAD_ID = paymentError(
  "invalid-payment",
  "Cannot read the payment: the id of payment-identifier must be 16 to 128 of A-Z a-z 0-9 _ -",
);
const NO_ID = paymentError(
  "invalid-payment",
  "Cannot accept the payment: this route requires an id in the extension payment-identifier",
);

/** The scheme of a payment by the `Payment` scheme in the ledger. */
const MPP_SCHEME = "mpp";

export interface AcceptedPayment extends PaymentForm {
  readonly payload: PaymentPayload;
  /** If the route has no such requirements, the ones that the client sent. */
  readonly requirements: PaymentRequirements;
  /** The client's own id for the payment. */
  readonly id: string | undefined;
  /** A charge to prepaid credit: its key in the ledger, and the token that is charged. Its `payload` is not signed. */
  readonly prepaid?: PaymentKey & { readonly token: string };
  /** A payment from a channel. It is a charge as of prepaid credit, except if it brings a deposit. */
  readonly channel?: ChannelUse;
}

/** The channel that pays, as it was before, and the deposit that the payment brings. */
export interface ChannelUse {
  row: Channel;
  readonly deposit?: DepositUse | undefined;
}

/** A deposit into a channel of `channels`. */
export interface DepositUse {
  readonly payment: ChannelPayment & { readonly payload: Deposit };
  readonly requirements: ChannelRequirements;
  readonly channels: Pick<Channels, "sync">;
}

/** Why a route does not begin new work for a payment. */
export type Refusal =
  /** No upstream of the route has servers. */
  | { readonly kind: "unserved" }
  /** A rule of the route refuses the request. */
  | { readonly kind: "refused" }
  /** The payment can never be used on this route. */
  | { readonly kind: "unusable"; readonly error: TurnpikeError }
  /** The payment differs from the route's terms: the client gets a challenge with the reason. */
  | { readonly kind: "terms"; readonly error: ChallengeError };

/** A payment as a route sees it. With a `refusal` it is only accepted for work that has begun. */
export interface Offer extends AcceptedPayment {
  readonly header: string;
  readonly refusal: Refusal | undefined;
}

/** Compares a payment with the route's terms. Undefined if the payment cannot be identified at all. */
export function readOffer(
  paidRoute: PaidRoute,
  exchange: Exchange,
  presented: Exclude<Presented, PresentedChannel>,
): Offer | undefined {
  if (presented.version === "mpp") return mppOffer(paidRoute, exchange, presented);
  const challenge = paidRoute.accepts.current();
  const accepts = challenge?.required.accepts ?? [];
  const payload = presented.version === 2 ? presented.payment : fromV1(presented.payment, accepts);
  if (payload === undefined) return undefined;
  const agreed = accepts.find((candidate) => agrees(payload.accepted, candidate));
  const error =
    challenge === undefined || agreed === undefined
      ? NO_MATCH
      : (findError(payload, challenge.required, (url) => challenge.isFor(url, exchange.head)) ??
        checkTerms(payload, agreed, paidRoute.clock() / 1000));
  const identifier = readIdentifier(payload);
  return {
    payload,
    requirements: agreed ?? payload.accepted,
    version: presented.version,
    id: typeof identifier === "object" ? identifier.id : undefined,
    header: presented.header,
    refusal: refusalOf(paidRoute, identifier, error),
  };
}

/** An Idempotency-Key is the id of the payment: another payment of the payer with the same key buys nothing. */
function mppOffer(paidRoute: PaidRoute, exchange: Exchange, presented: PresentedCredential): Offer | undefined {
  const charged = chargedOffer(paidRoute, exchange, presented);
  if (charged === undefined) return undefined;
  const { error, ...accepted } = charged;
  const id = idempotencyId(exchange.head);
  const identifier = id === undefined ? undefined : { id };
  return {
    ...accepted,
    version: "mpp",
    challengeId: presented.credential.challenge.id,
    id,
    header: presented.header,
    refusal: refusalOf(paidRoute, identifier, error),
  };
}

/** Why the route begins no work for a payment that has this id, and this error against its terms. */
export function refusalOf(
  { isRefused, isServed, requiresId }: PaidRoute,
  identifier: ReturnType<typeof readIdentifier>,
  error: ChallengeError | undefined,
): Refusal | undefined {
  if (isRefused) return { kind: "refused" };
  if (!isServed) return { kind: "unserved" };
  if (identifier === "invalid") return { kind: "unusable", error: BAD_ID };
  if (identifier === undefined && requiresId) return { kind: "unusable", error: NO_ID };
  return error === undefined ? undefined : { kind: "terms", error };
}

function schemeOf({ prepaid, version, requirements }: Offer): string {
  if (prepaid !== undefined) return CREDIT_SCHEME;
  return version === "mpp" ? MPP_SCHEME : requirements.scheme;
}

/** The row of the ledger that a payment asks for. `isResumed`: without the fields that ask for the rest of a response. */
export function reservationOf(paidRoute: PaidRoute, exchange: Exchange, offer: Offer, isResumed = false): Reservation {
  const { payload, requirements, header, prepaid } = offer;
  const { testMode } = paidRoute.target;
  const { token, ...key } = prepaid ?? { ...paymentKey(payload, requirements), token: requirements.asset };
  return {
    ...key,
    token: canonicalAddress(token),
    scheme: schemeOf(offer),
    amount: requirements.amount,
    payTo: canonicalAddress(requirements.payTo),
    route: paidRoute.route,
    consumer: fittedName(exchange.consumer || key.from),
    fingerprint: fingerprintOf(exchange, { header, testMode }, isResumed),
    validBefore: validUntil(payload, requirements, paidRoute.clock() / 1000),
    payload: prepaid === undefined ? toStored(payload, requirements, testMode) : "",
  };
}
