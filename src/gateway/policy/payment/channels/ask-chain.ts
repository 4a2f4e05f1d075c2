import { identityOf, toChainState } from "../../../../payments/channels/chain-state.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { type Channel } from "../../../../store/channels.ts";
import { paymentError } from "../protocol/respond.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { type ChannelOffer, isCheckedByChain, MISMATCH } from "./channel-offer.ts";

/** The chain is not asked: it has refused too many payments of this client, or of all. @internal */
export const LIMITED = Symbol("limited");

/** The channel has the money, but not yet in a block that counts. @internal */
export const EARLY = Symbol("early");

/** The errors of payments that the client can send again. */
export const LATER = {
  [LIMITED]: paymentError(
    "overloaded",
    "Too many payments of channels were refused; this one was not checked, and nothing was charged. Send it again later.",
  ),
  [EARLY]: paymentError(
    "overloaded",
    "The money of this channel is in a block that does not count yet; nothing was charged. Send the same payment again.",
  ),
};

/** A channel by the chain. A string is the reason against the payment, undefined no response. */
export type Asked = Channel | Reason | keyof typeof LATER | undefined;

const ABSENT: Reason = "invalid_batch_settlement_evm_channel_not_found";

/**
 * The state of a channel, by the chain. `about`: a `known` channel has a row; a `new` one without money gets a row only for a
 * payment that can be its first one; `fresh`: the row says that the payment is right, so that the question needs no limit.
 */
export async function askChain(
  paidRoute: PaidRoute,
  offer: ChannelOffer,
  about: "known" | "new" | "fresh" = "known",
): Promise<Asked> {
  const { address, channelId, desk, payment } = offer;
  if (about === "fresh") return await askUnlimited(paidRoute, offer, true);
  const mayBegin = payment.payload.type === "deposit";
  if (about === "new" && !mayBegin && desk.looks.isAbsent(channelId)) return ABSENT;
  if (!desk.looks.begin(address)) return LIMITED;
  let asked: Asked;
  try {
    asked = await askUnlimited(paidRoute, offer, about === "known");
  } finally {
    desk.looks.end(address, typeof asked === "string" || asked === EARLY);
  }
  if (about === "new" && !mayBegin && asked === ABSENT) desk.looks.setAbsent(channelId);
  return asked;
}

async function askUnlimited(
  { facilitator, clock, log, route }: PaidRoute,
  { payment, agreed, channelId, base, desk: { channels } }: ChannelOffer,
  isKnown: boolean,
): Promise<Exclude<Asked, typeof LIMITED>> {
  const at = clock();
  if (facilitator.channels === undefined) return undefined;
  const verification = await facilitator.channels.verify(payment, agreed);
  if (verification.kind === "early") {
    log(`payment: a payment from a channel on ${route} came early: ${verification.cause}`);
    return EARLY;
  }
  if (verification.kind !== "valid" && verification.kind !== "refused") {
    log(`payment: cannot look up a channel on ${route} (facilitator ${verification.kind}): ${verification.cause}`);
    return undefined;
  }
  if (verification.kind === "refused") {
    const { reason, state } = verification;
    const row = isKnown && state !== undefined ? await channels.find(channelId) : undefined;
    // Only a refund is news: the time of the last state that covers the charges tells when a payer can have taken its money.
    const isRefunded = row !== undefined && state !== undefined && state.refundNonce > BigInt(row.refundNonce);
    if (isRefunded) await channels.sync(channelId, toChainState(state), at);
    return reason;
  }
  if (!isKnown && verification.state.balance === 0n && base !== "0") return MISMATCH;
  const identity = identityOf(agreed.network, channelId, payment.payload.channelConfig);
  return channels.open(identity, toChainState(verification.state), at);
}

/** The reasons against a voucher whose signature is right: it is for an old state of the channel. */
const OLD: ReadonlySet<Reason> = new Set<Reason>([
  "invalid_batch_settlement_evm_cumulative_below_claimed",
  "invalid_batch_settlement_evm_cumulative_exceeds_balance",
]);

/**
 * The channel, if this payment may see its newest voucher: its signature is enough for a refund, so the payment must be
 * the payer's.
 */
export async function shownTo(paidRoute: PaidRoute, offer: ChannelOffer, channel: Channel): Promise<Asked> {
  if (!isCheckedByChain(offer)) return channel;
  const asked = await askChain(paidRoute, offer);
  return typeof asked === "string" && OLD.has(asked) ? channel : asked;
}
