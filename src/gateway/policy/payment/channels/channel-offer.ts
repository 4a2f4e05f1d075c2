import { BATCH_SETTLEMENT_CONTRACT } from "../../../../payments/signatures/batch-settlement.ts";
import { checkChannelTerms } from "../../../../payments/signatures/channel-terms.ts";
import { checkVoucher } from "../../../../payments/signatures/check-voucher.ts";
import { isZero } from "../../../../payments/x402/address.ts";
import { type ChannelPayment, type ChannelRequirements } from "../../../../payments/x402/channel-messages.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type MeterTerms, meterSchema } from "../../../../payments/x402/meter.ts";
import { parseEvmNetwork } from "../../../../payments/x402/networks.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { agrees, findError, NO_MATCH } from "../../../../payments/x402/terms.ts";
import { fittedName } from "../../../../lib/memory/shared-names.ts";
import { type Channel, CHANNEL_SCHEME, channelNonce, MAX_CHANNEL_DIGITS } from "../../../../store/channels.ts";
import { type PaymentKey, type Reservation } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type ChallengeError } from "../challenge/challenge.ts";
import { fingerprintOf } from "../offer/fingerprint.ts";
import { type AcceptedPayment, type Refusal, refusalOf } from "../offer/offer.ts";
import { type PresentedChannel } from "../offer/presented.ts";
import { readIdentifier } from "../protocol/payment-identifier.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { type ChannelDesk } from "./desk/channel-desk.ts";

/** The client's state of its channel is old: its voucher is not for the base and the price. */
export const MISMATCH: Reason = "invalid_batch_settlement_evm_cumulative_amount_mismatch";

/** A payment from a channel as a route sees it. With a `refusal` it is only accepted for work that has begun. */
export interface ChannelOffer extends Omit<AcceptedPayment, "prepaid"> {
  readonly header: string;
  readonly address: string;
  readonly channelId: string;
  readonly desk: ChannelDesk;
  readonly payment: ChannelPayment;
  readonly agreed: ChannelRequirements;
  /** The route does not have these terms any more. */
  readonly isOld: boolean;
  /** The units that the payment covers, also if the route sells others now; undefined: the whole response. */
  readonly meter: MeterTerms | undefined;
  /** The channel's base if the voucher is right; undefined if it does not even cover the price. */
  readonly base: string | undefined;
  readonly key: PaymentKey & { readonly token: string };
  /** Unix seconds. */
  readonly validBefore: number;
  readonly refusal: Refusal | undefined;
}

/**
 * Compares a payment from a channel with the route's terms. An error if it is for no channel of the route, or if another
 * key has signed it.
 */
export function channelOffer(
  paidRoute: PaidRoute,
  exchange: Exchange,
  { payment, header }: PresentedChannel,
): ChannelOffer | ChallengeError {
  const challenge = paidRoute.accepts.current();
  const current = challenge?.required.accepts.filter(isOfChannels).find((own) => agrees(payment.accepted, own));
  const desk = paidRoute.channels;
  const { channelConfig, voucher, type } = payment.payload;
  const agreed = current ?? (type === "refund" ? undefined : payment.accepted);
  if (challenge === undefined || agreed === undefined || desk === undefined) return NO_MATCH;
  const error = checkChannelTerms(channelConfig, voucher.channelId, agreed) ?? signatureError(payment, agreed);
  if (error !== undefined) return current === undefined ? NO_MATCH : error;
  const terms =
    current === undefined
      ? NO_MATCH
      : findError(payment, challenge.required, (url) => challenge.isFor(url, exchange.head));
  const channelId = voucher.channelId.toLowerCase();
  const base = BigInt(voucher.maxClaimableAmount) - (type === "refund" ? 0n : BigInt(agreed.amount));
  const isCounted = base >= 0n && voucher.maxClaimableAmount.length <= MAX_CHANNEL_DIGITS;
  const identifier = readIdentifier(payment);
  const validBefore = Math.ceil(paidRoute.clock() / 1000) + agreed.maxTimeoutSeconds;
  const key = {
    network: agreed.network,
    asset: BATCH_SETTLEMENT_CONTRACT.toLowerCase(),
    from: channelConfig.payer.toLowerCase(),
    nonce: channelNonce(channelId, String(base)),
    token: agreed.asset.toLowerCase(),
  };
  return {
    ...asTransfer(agreed, payment, validBefore),
    version: 2,
    id: typeof identifier === "object" ? identifier.id : undefined,
    header,
    address: exchange.clientAddress,
    channelId,
    desk,
    payment,
    agreed,
    isOld: current === undefined,
    meter: meterOf(payment, paidRoute.meter),
    validBefore,
    base: isCounted ? String(base) : undefined,
    key,
    refusal: refusalOf(paidRoute, identifier, terms),
  };
}

/** No further payment can come for units that a route without a meter does not sell any more. */
function meterOf({ accepted }: ChannelPayment, now: MeterTerms | undefined): MeterTerms | undefined {
  const sold = meterSchema.safeParse(accepted.extra["meter"]).data;
  return sold && { ...sold, pause_s: now?.pause_s ?? 0 };
}

function isOfChannels(requirements: PaymentRequirements): requirements is ChannelRequirements {
  return requirements.scheme === CHANNEL_SCHEME;
}

/** The voucher's part of the payment in the form of a transfer. */
function asTransfer(agreed: PaymentRequirements, { payload }: ChannelPayment, validBefore: number) {
  const { payer, receiver, salt } = payload.channelConfig;
  const times = { validAfter: "0", validBefore: String(validBefore) };
  const authorization = { from: payer, to: receiver, value: agreed.amount, ...times, nonce: salt };
  return {
    payload: { x402Version: 2, accepted: agreed, payload: { signature: payload.voucher.signature, authorization } },
    requirements: agreed,
  } as const;
}

/** The row of the ledger that a payment from a channel asks for. */
export function channelReservation(paidRoute: PaidRoute, exchange: Exchange, offer: ChannelOffer): Reservation {
  const { key, agreed, header, payment, validBefore } = offer;
  const { testMode } = paidRoute.target;
  const { maxClaimableAmount, signature } = payment.payload.voucher;
  // A deposit is kept whole: its outcome can be looked up later. Of a voucher, the triggers read these members.
  const kept =
    payment.payload.type === "deposit"
      ? { ...payment, accepted: agreed }
      : { payload: { voucher: { maxClaimableAmount, signature } } };
  return {
    ...key,
    scheme: CHANNEL_SCHEME,
    amount: agreed.amount,
    payTo: agreed.payTo.toLowerCase(),
    route: paidRoute.route,
    consumer: fittedName(exchange.consumer || key.from),
    fingerprint: fingerprintOf(exchange, { header, testMode }),
    validBefore,
    payload: JSON.stringify(kept),
  };
}

/** The reason why a channel has not enough money for a voucher at its base. */
export function balanceError({ payment: { payload } }: ChannelOffer, { balance }: Channel): Reason | undefined {
  const deposit = payload.type === "deposit" ? BigInt(payload.deposit.amount) : 0n;
  const sum = BigInt(balance) + deposit;
  if (BigInt(payload.voucher.maxClaimableAmount) <= sum) return undefined;
  return sum === 0n
    ? "invalid_batch_settlement_evm_channel_not_found"
    : "invalid_batch_settlement_evm_cumulative_exceeds_balance";
}

/** The reason why a voucher's signature is not that of its channel. */
function signatureError({ payload }: ChannelPayment, agreed: ChannelRequirements): Reason | undefined {
  const network = parseEvmNetwork(agreed.network);
  const isValid = network !== undefined && checkVoucher(network, payload.channelConfig, payload.voucher) !== "invalid";
  return isValid ? undefined : "invalid_batch_settlement_evm_voucher_signature";
}

/** True if only the chain can check the signature: the payer may be a contract. */
export function isCheckedByChain({ payment: { payload } }: ChannelOffer): boolean {
  return isZero(payload.channelConfig.payerAuthorizer);
}
