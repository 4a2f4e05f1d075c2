import { toChainState } from "../../../../payments/channels/chain-state.ts";
import { refundOrder } from "../../../../payments/channels/orders.ts";
import { type ChannelSettlement } from "../../../../payments/x402/channel-facilitator.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { type Channel } from "../../../../store/channels.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type FunnelLoss } from "../../../telemetry/metrics/funnel-steps.ts";
import { channelStateOf, receiptFields } from "../protocol/receipt.ts";
import { paymentError, respondError, respondValue } from "../protocol/respond.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { respondRefused, respondUnverified } from "../route/refusals.ts";
import { askChain, type Asked, LATER, shownTo } from "./ask-chain.ts";
import { type ChannelOffer, MISMATCH } from "./channel-offer.ts";
import { type ChannelDesk } from "./desk/channel-desk.ts";
import { respondCorrected } from "./respond-corrected.ts";

const RETRY_S = 5;
const REVERTED: Reason = "invalid_batch_settlement_evm_refund_transaction_failed";
const BUSY = paymentError("overloaded", "The channel is in use. Send the same refund again.");
const PENDING = paymentError("settlement-pending", "It is not known yet whether the refund went through.");

/** Pays back a channel's money to its payer, and claims what is charged, without a response of the upstream. */
export async function refundChannel(paidRoute: PaidRoute, exchange: Exchange, offer: ChannelOffer): Promise<void> {
  const { channelId, key, desk } = offer;
  const found = await desk.channels.find(channelId);
  const known = found === undefined ? await askChain(paidRoute, offer, "new") : await shownTo(paidRoute, offer, found);
  if (typeof known !== "object") return respondUnknown(paidRoute, exchange, known);
  if (known.base !== offer.base) {
    lose(paidRoute, exchange, "terms");
    return respondCorrected(paidRoute, exchange, { offer, channel: known, error: MISMATCH });
  }
  if (!(await desk.turns.enter(channelId, key.nonce, desk.settings.keys.wait_ms))) {
    lose(paidRoute, exchange, "overloaded");
    return respondError(exchange, BUSY, RETRY_S);
  }
  try {
    await refundOpen(paidRoute, exchange, offer);
  } finally {
    desk.turns.leave(channelId, key.nonce);
  }
}

async function refundOpen(paidRoute: PaidRoute, exchange: Exchange, offer: ChannelOffer): Promise<void> {
  const { channelId, desk } = offer;
  const leased = await desk.channels.refund(channelId);
  if (leased === undefined) {
    lose(paidRoute, exchange, "overloaded");
    return respondError(exchange, BUSY, RETRY_S);
  }
  const at = paidRoute.clock();
  const asked = await askChain(paidRoute, offer).catch(() => undefined);
  if (typeof asked !== "object") {
    await desk.channels.done(channelId, leased, leased.syncedAt);
    return respondUnknown(paidRoute, exchange, asked);
  }
  const amount = asked.base === offer.base ? amountOf(asked, offer) : MISMATCH;
  if (typeof amount !== "bigint") {
    await desk.channels.done(channelId, asked, at);
    lose(paidRoute, exchange, "refused");
    return respondRefused(exchange, paidRoute, amount);
  }
  const made = await send(paidRoute, asked, { amount, desk });
  if (made.kind !== "settled") {
    // One that can still come keeps the channel closed: the payer can send the signed order of a failed transaction itself.
    const isOver = made.kind === "refused" ? made.reason !== REVERTED : made.isUnsent === true;
    await desk.channels.done(channelId, isOver ? asked : undefined, at);
    lose(paidRoute, exchange, made.kind === "refused" ? "refused" : "unknown");
    if (made.kind === "refused") return respondRefused(exchange, paidRoute, made.reason);
    return respondError(exchange, PENDING, RETRY_S);
  }
  await desk.channels.done(channelId, made.state && toChainState(made.state), at);
  const now = (await desk.channels.find(channelId)) ?? asked;
  const receipt = {
    success: true,
    transaction: made.transaction,
    network: asked.network,
    payer: asked.payer,
    amount: made.amount,
    extra: { channelState: channelStateOf(now) },
  };
  const acknowledged = { message: "Refund acknowledged", channelId };
  paidRoute.funnel.of(exchange.head).count("free");
  respondValue(exchange, 200, acknowledged, receiptFields(receipt, { version: 2 }));
}

function lose({ funnel }: PaidRoute, exchange: Exchange, loss: FunnelLoss): void {
  funnel.of(exchange.head).lose(exchange, loss);
}

/** The chain gave no channel: nothing was sent. */
function respondUnknown(paidRoute: PaidRoute, exchange: Exchange, asked: Exclude<Asked, Channel>): void {
  if (typeof asked === "symbol") {
    lose(paidRoute, exchange, "overloaded");
    return respondError(exchange, LATER[asked], RETRY_S);
  }
  if (asked === undefined) {
    lose(paidRoute, exchange, "facilitator");
    return respondUnverified(exchange, "unavailable");
  }
  lose(paidRoute, exchange, "refused");
  respondRefused(exchange, paidRoute, asked);
}

/** The amount that is paid back, or the reason why nothing is. */
function amountOf({ balance, base }: Channel, { payment: { payload } }: ChannelOffer): bigint | Reason {
  const rest = BigInt(balance) - BigInt(base);
  if (rest <= 0n) return "invalid_batch_settlement_evm_refund_no_balance";
  if (payload.type !== "refund" || payload.amount === undefined) return rest;
  const amount = BigInt(payload.amount);
  return amount > 0n && amount <= rest ? amount : "invalid_batch_settlement_evm_refund_amount_invalid";
}

async function send(
  { facilitator, log, route }: PaidRoute,
  channel: Channel,
  { amount, desk }: { readonly amount: bigint; readonly desk: ChannelDesk },
): Promise<ChannelSettlement> {
  const order = refundOrder(channel, String(amount), desk.settings.authorizer);
  try {
    const made = await facilitator.channels?.settle(order, order.accepted);
    if (made?.kind === "unknown") log(`payment: a refund of a channel on ${route} is open: ${made.cause}`);
    return made ?? { kind: "unknown", cause: "the facilitator knows no channels", transaction: "" };
  } catch {
    return { kind: "unknown", cause: "defect", transaction: "" };
  }
}
