import { setTimeout as pause } from "node:timers/promises";
import { type TurnpikeError } from "../../../../lib/errors.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { type Channel, channelNonce } from "../../../../store/channels.ts";
import { UNCOVERED } from "../../../../store/credits.ts";
import { isOwed, type Payment, type Reservation } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type Decision } from "../../policy.ts";
import { type AcceptedPayment, type Refusal } from "../offer/offer.ts";
import { type PresentedChannel } from "../offer/presented.ts";
import { paymentError, respondError } from "../protocol/respond.ts";
import { lossOf } from "../route/loss.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { respondRefused, respondUnverified } from "../route/refusals.ts";
import { BEGUN, hasRoom, isBegun, refusalLoss, refuse, respondNoRoom } from "../sale/begin.ts";
import { isFurther, respondTakenBefore, sellMetered } from "../metered/sell-metered.ts";
import { respondRepeat } from "../sale/repeat.ts";
import { Sale } from "../sale/sale.ts";
import { type ChannelDesk } from "./desk/channel-desk.ts";
import { askChain, type Asked, LATER, shownTo } from "./ask-chain.ts";
import {
  balanceError,
  channelOffer,
  type ChannelOffer,
  channelReservation,
  isCheckedByChain,
  MISMATCH,
} from "./channel-offer.ts";
import { refundChannel } from "./refund-channel.ts";
import { respondCorrected } from "./respond-corrected.ts";

/** Milliseconds between two looks at a channel that another process uses. */
const LOOK_MS = 50;
/** Seconds after which a client can retry if its channel was in use, or its risk was too high. */
const SOON_S = 1;

/** The payer takes its money back. */
const WITHDRAWING: Reason = "invalid_batch_settlement_evm_insufficient_balance";
/** The payer has denied a voucher. */
const BARRED: Reason = "invalid_batch_settlement_evm_voucher_signature";

/** A channel has not enough money, or is empty. */
const EXCEEDED: Reason = "invalid_batch_settlement_evm_cumulative_exceeds_balance";
const EMPTY: Reason = "invalid_batch_settlement_evm_channel_not_found";

const BUSY = paymentError(
  "overloaded",
  "Another request of this channel is being served; nothing was charged. Send the same payment again.",
);
const RISKY = paymentError(
  "overloaded",
  "The charges of this channel are being claimed; nothing was charged. Send the same payment again.",
);

type Result =
  /** The client's state of the channel is old. */
  | { readonly kind: "corrected"; readonly channel: Channel }
  | { readonly kind: "refused"; readonly reason: Reason }
  /** No work has begun for the payment, and the route begins none. */
  | { readonly kind: "unsold"; readonly refusal: Refusal }
  | { readonly kind: "later"; readonly error: TurnpikeError }
  | { readonly kind: "no-room" | "unasked" }
  /** The same request was served with this payment, or is being served. */
  | { readonly kind: "again"; readonly payment: Payment }
  | { readonly kind: "leased"; readonly payment: Payment; readonly channel: Channel }
  /** The channel is in use, or has changed. */
  | { readonly kind: "busy" };

/** Handles or rejects a request with a payment from a channel. Rejects if the ledger fails. */
export async function admitChannel(
  paidRoute: PaidRoute,
  exchange: Exchange,
  presented: PresentedChannel,
): Promise<Decision> {
  const client = paidRoute.funnel.of(exchange.head);
  const offer = channelOffer(paidRoute, exchange, presented);
  if (typeof offer === "string") {
    client.lose(exchange, lossOf(offer, presented.payment.accepted, paidRoute.accepts.current()?.required.accepts));
    respondRefused(exchange, paidRoute, offer);
    return "responded";
  }
  const { refusal } = offer;
  if (offer.payment.payload.type === "refund") {
    await refundChannel(paidRoute, exchange, offer);
    return "responded";
  }
  const reservation = channelReservation(paidRoute, exchange, offer);
  // Work that has begun is finished, even if the terms have changed.
  if (refusal !== undefined && !(await isBegun(paidRoute, reservation))) {
    client.lose(exchange, refusalLoss(paidRoute, refusal, offer.agreed));
    refuse(paidRoute, exchange, refusal);
    return "responded";
  }
  return new ChannelRequest(paidRoute, exchange, offer, reservation).run();
}

/** One request with a voucher. It waits for the earlier ones of its channel. */
class ChannelRequest {
  readonly #paidRoute: PaidRoute;
  readonly #exchange: Exchange;
  readonly #desk: ChannelDesk;
  readonly #offer: ChannelOffer;
  readonly #reservation: Reservation;
  #hasAsked = false;
  /** It waits no longer. */
  #isLate = false;

  constructor(paidRoute: PaidRoute, exchange: Exchange, offer: ChannelOffer, reservation: Reservation) {
    this.#paidRoute = paidRoute;
    this.#exchange = exchange;
    this.#desk = offer.desk;
    this.#offer = offer;
    this.#reservation = reservation;
  }

  async run(): Promise<Decision> {
    const { channelId, key } = this.#offer;
    const { turns, settings } = this.#desk;
    const { wait_ms: waitMs } = settings.keys;
    const timer = setTimeout(() => (this.#isLate = true), waitMs);
    if (!(await turns.enter(channelId, key.nonce, waitMs))) {
      clearTimeout(timer);
      return this.#respond({ kind: "later", error: BUSY });
    }
    let result: Result = { kind: "busy" };
    try {
      result = await this.#result();
      return await this.#respond(result);
    } finally {
      clearTimeout(timer);
      if (result.kind === "corrected") turns.expect(channelId, key.nonce, channelNonce(channelId, result.channel.base));
      else if (result.kind !== "leased") turns.leave(channelId, key.nonce);
    }
  }

  async #result(): Promise<Result> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each look waits for the one before
      const result = await this.#look();
      if (result.kind !== "busy" || this.#exchange.gone || this.#isLate) return result;
      // oxlint-disable-next-line no-await-in-loop -- another process uses the channel
      await pause(LOOK_MS);
    }
  }

  async #look(): Promise<Result> {
    const { channelId, base, key, refusal, isOld } = this.#offer;
    const { ledger } = this.#paidRoute;
    const channel = (await this.#desk.channels.find(channelId)) ?? (await this.#ask("new"));
    if (typeof channel !== "object") return resultOf(channel);
    if (base === undefined && !isOld) return await this.#correct(channel);
    if (base !== channel.base || channel.holder === key.nonce) {
      const standing = await ledger.find(key);
      const known = standing && (await this.#known(standing, channel));
      if (known !== undefined) return known;
    }
    // The earlier use has ended without a result since it was looked up.
    if (refusal !== undefined && isOld) return { kind: "unsold", refusal };
    if (channel.holder !== "") return await this.#free(channel);
    if (base !== channel.base) return await this.#correct(channel);
    if (refusal !== undefined) return { kind: "unsold", refusal };
    return this.#reserve(channel);
  }

  async #correct(known: Channel): Promise<Result> {
    const channel = this.#hasAsked ? known : await shownTo(this.#paidRoute, this.#offer, known);
    return typeof channel === "object" ? { kind: "corrected", channel } : resultOf(channel);
  }

  /** The result of a payment that the ledger has; undefined if it is of another request, or if no work has begun for it. */
  async #known(standing: Payment, channel: Channel): Promise<Result | undefined> {
    const { responses, clock, max_partial_answers: maxPartials, ledger } = this.#paidRoute;
    if (standing.fingerprint !== this.#reservation.fingerprint) return undefined;
    const { state, delivered, nonce } = standing;
    // Before that, the channel must be looked at again: its process may have died, and its payer may withdraw since.
    if (!BEGUN.has(state)) return undefined;
    const isSold = state === "settled" || state === "deferred";
    if (isSold && isFurther(this.#offer, this.#exchange)) return { kind: "again", payment: standing };
    if (isSold && (delivered || (state === "settled" && !isOwed(standing)))) {
      // A client that has lost its state sends an old voucher: a stored response is only for the newest one.
      const isRepeat = channel.tail === nonce && (await responses.isKept(standing.fingerprint, clock()));
      return isRepeat ? { kind: "again", payment: standing } : undefined;
    }
    const { leased, payment } = await ledger.reserve(this.#reservation, maxPartials);
    return leased ? { kind: "leased", payment, channel } : { kind: "again", payment };
  }

  async #reserve(channel: Channel): Promise<Result> {
    const { ledger, max_partial_answers: maxPartials } = this.#paidRoute;
    const offer = this.#offer;
    if (channel.standing === "withdrawing") return this.#withdrawing(channel);
    if (channel.standing !== "open") return { kind: "busy" };
    const reason = balanceError(offer, channel);
    const isCurrent =
      this.#hasAsked || (reason === undefined && this.#desk.isFresh(channel) && !isCheckedByChain(offer));
    if (!isCurrent) {
      const asked = await this.#ask(reason === undefined && !isCheckedByChain(offer) ? "fresh" : "known");
      if (typeof asked === "string") return this.#lacking(asked);
      return typeof asked === "object" ? this.#look() : resultOf(asked);
    }
    if (reason !== undefined) return this.#lacking(reason);
    if (isCheckedByChain(offer) && (await this.#desk.channels.isBarred(channel.payer)))
      return { kind: "refused", reason: BARRED };
    if (await this.#desk.isTooRisky(channel, offer.agreed.amount)) return { kind: "later", error: RISKY };
    if (offer.meter === undefined && !hasRoom(this.#paidRoute, this.#reservation.fingerprint))
      return { kind: "no-room" };
    const { leased, payment } = await ledger.reserve(this.#reservation, maxPartials);
    if (leased) return { kind: "leased", payment, channel };
    const isOther = payment.reason === UNCOVERED || payment.fingerprint !== this.#reservation.fingerprint;
    return isOther ? { kind: "busy" } : { kind: "again", payment };
  }

  /** The payer takes its money. When it can have it, the chain is asked: the channel may have money again. */
  async #withdrawing(channel: Channel): Promise<Result> {
    const isOver = this.#paidRoute.clock() >= (channel.withdrawAt + channel.withdrawDelay) * 1000;
    if (!isOver || this.#hasAsked || this.#desk.isFresh(channel)) return { kind: "refused", reason: WITHDRAWING };
    const asked = await this.#ask("known");
    return typeof asked === "object" ? this.#look() : resultOf(asked);
  }

  /**
   * The chain refuses a voucher at the base. After a refund that the client did not ask for, its balance is old: the client
   * reads its channel again if the challenge says that its state is old, and for no other reason.
   */
  async #lacking(reason: Reason): Promise<Result> {
    const channel = await this.#desk.channels.find(this.#offer.channelId);
    // The signature of a voucher for an empty channel was perhaps not checked.
    const isOwn = reason === EXCEEDED || (reason === EMPTY && !isCheckedByChain(this.#offer));
    const isRefunded = channel !== undefined && channel.refundNonce !== "0";
    return isOwn && isRefunded ? { kind: "corrected", channel } : { kind: "refused", reason };
  }

  /** Frees a channel whose request has died with its process. */
  async #free({ holder: nonce }: Channel): Promise<Result> {
    const { ledger } = this.#paidRoute;
    const holder = await ledger.find({ ...this.#offer.key, nonce });
    if (holder?.state === "reserved" || holder?.state === "verified") {
      const { leased, payment } = await ledger.reserve(holder);
      if (leased && (await ledger.move(payment, { state: "released", lease: false }))) return this.#look();
    }
    return { kind: "busy" };
  }

  async #ask(about: Parameters<typeof askChain>[2]): Promise<Asked> {
    this.#hasAsked = true;
    return askChain(this.#paidRoute, this.#offer, about);
  }

  async #respond(result: Result): Promise<Decision> {
    const [paidRoute, exchange, offer] = [this.#paidRoute, this.#exchange, this.#offer];
    const client = paidRoute.funnel.of(exchange.head);
    switch (result.kind) {
      case "leased":
        return await new Sale(paidRoute, exchange, accepted(offer, result.channel), result.payment).run(
          // Work that has begun is finished as it was sold, although its route is sold on other terms since.
          offer.meter && sellMetered(offer.meter, this.#desk, result.channel),
        );
      case "again":
        client.lose(exchange, "used");
        if (isFurther(offer, exchange) && respondTakenBefore(paidRoute, exchange, result.payment)) break;
        await respondRepeat({ paidRoute, exchange, form: { version: 2 } }, result.payment, result.payment.fingerprint);
        break;
      case "refused":
        client.lose(exchange, lossOf(result.reason));
        respondRefused(exchange, paidRoute, result.reason);
        break;
      case "unsold":
        client.lose(exchange, refusalLoss(paidRoute, result.refusal, offer.agreed));
        refuse(paidRoute, exchange, result.refusal);
        break;
      case "unasked":
        client.lose(exchange, "facilitator");
        respondUnverified(exchange, "unavailable");
        break;
      case "corrected":
        client.lose(exchange, "terms");
        respondCorrected(paidRoute, exchange, { offer, channel: result.channel, error: MISMATCH });
        break;
      case "no-room":
        client.lose(exchange, "overloaded");
        respondNoRoom(exchange);
        break;
      case "later":
      case "busy":
      default:
        client.lose(exchange, "overloaded");
        respondError(exchange, result.kind === "later" ? result.error : BUSY, SOON_S);
    }
    return "responded";
  }
}

/** The result of a question to the chain that gave no channel. */
function resultOf(asked: Exclude<Asked, Channel>): Result {
  if (asked === undefined) return { kind: "unasked" };
  return typeof asked === "symbol" ? { kind: "later", error: LATER[asked] } : { kind: "refused", reason: asked };
}

/** A voucher is a charge that needs no facilitator. A deposit is settled on the chain. */
function accepted(offer: ChannelOffer, row: Channel): AcceptedPayment {
  const { payload, requirements, version, id, payment, agreed, key, desk } = offer;
  const shared = { payload, requirements, version, id };
  if (payment.payload.type === "deposit") {
    const deposit = { ...payment, payload: payment.payload };
    return {
      ...shared,
      channel: { row, deposit: { payment: deposit, requirements: agreed, channels: desk.channels } },
    };
  }
  return { ...shared, prepaid: key, channel: { row } };
}
