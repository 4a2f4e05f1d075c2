import { faultOf } from "../../../../lib/caught.ts";
import { fieldLine, type Fields, withoutFields } from "../../../../lib/http/fields.ts";
import { type MeterTerms } from "../../../../payments/x402/meter.ts";
import { baseOf, type Channel, channelNonce, channelOf } from "../../../../store/channels.ts";
import { type Payment, type PaymentState } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type ChannelDesk } from "../channels/desk/channel-desk.ts";
import { receiptFields } from "../protocol/receipt.ts";
import { paymentError, respondError, respondValue } from "../protocol/respond.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { respondBroken } from "../route/refusals.ts";
import { Lease } from "../sale/lease.ts";
import { type MeteredSale, type SaleParts } from "../sale/sale-parts.ts";
import { over, type SaleState } from "../sale/sale-state.ts";
import { signedReceipt } from "../sale/signed-receipt.ts";
import { Cover, MAX_COVER_MS } from "./cover.ts";
import { ENDED as TAKEN_NO_MORE, handover, HANDOVER_MS } from "./handover.ts";
import { isFor, paidStream, readStreamName, streamName } from "./meter.ts";
import { MeteredResponse } from "./metered-response.ts";
import { MeteredStream, streamKey } from "./metered-stream.ts";

/** Seconds after which a client can pay further, if a payment waits already. */
const SOON_S = 1;

const ENDED = paymentError(
  "payment-conflict",
  "The response that the payment is for has ended, or has another price; nothing was charged.",
);
const BY_CONNECT = paymentError(
  "not-implemented",
  "A further payment cannot come by CONNECT; nothing was charged. Send the same payment by GET.",
);
const FULL = paymentError(
  "overloaded",
  "A payment for this response waits already; nothing was charged. Send the same payment again.",
);

/** The states of a payment that covers units, or has covered some. */
const TAKEN: ReadonlySet<PaymentState> = new Set(["deferred", "settled"]);

/** The metered responses of a process that flow now, by their channel and name. There are at most as many as exchanges. */
const flowing = new WeakMap<ChannelDesk, Map<string, MeteredStream>>();

function streamsOf(desk: ChannelDesk): Map<string, MeteredStream> {
  return flowing.getOrInsert(desk, new Map<string, MeteredStream>());
}

/** Sells responses of a route by `meter`, to clients with channels of `desk`. */
export function sellMetered(
  meter: MeterTerms,
  desk: ChannelDesk,
  channel: Pick<Channel, "withdrawDelay">,
): MeteredSale {
  // Payments that are not used up are charged before their payer can withdraw.
  const lastsMs = Math.min(MAX_COVER_MS, (channel.withdrawDelay * 1000) / 4);
  return (parts) => new MeteredPayment(parts, meter, desk, lastsMs).use();
}

/** A payment from a channel that covers units: of a new response, or of one that flows already. */
class MeteredPayment {
  readonly #parts: SaleParts;
  readonly #meter: MeterTerms;
  readonly #desk: ChannelDesk;
  /** Milliseconds until a payment is charged whole. */
  readonly #lastsMs: number;
  /** The transaction of the deposit, or empty. */
  #transaction = "";

  constructor(parts: SaleParts, meter: MeterTerms, desk: ChannelDesk, lastsMs: number) {
    this.#parts = parts;
    this.#meter = meter;
    this.#desk = desk;
    this.#lastsMs = lastsMs;
  }

  async use(): Promise<SaleState> {
    const { held, lost } = this.#parts;
    const { exchange, lease, accepted, request } = held;
    if (exchange.gone) {
      await lease.release({}, { isReturned: true, reason: "gone" });
      return over("gone");
    }
    const isNew = lease.paid === undefined && !lease.isDeferred;
    if (isNew && accepted.channel?.deposit !== undefined) {
      const made = await this.#parts.facilitator.settle(accepted.requirements);
      if (made.kind === "refused") return lost.unsettled(made.reason);
      if (made.kind === "unknown") return lost.pending(made.cause, made.transaction, request.spentOn);
      this.#transaction = made.transaction;
    }
    const name = isNew ? paidStream(exchange.head) : undefined;
    return name === undefined ? this.#begin() : this.#payFurther(name);
  }

  /** Asks the upstream for a new response. This payment covers its first units. */
  async #begin(): Promise<SaleState> {
    const { held, delivery, lost } = this.#parts;
    const { exchange, paidRoute, request, payment, lease, client } = held;
    const bodyError = await request.gather(paidRoute.responses);
    if (bodyError === undefined && !request.mustRead) request.watch();
    // A payment that is owed its units stays bound to the body that it was made for.
    const cover = this.#coverOf(payment, lease, bodyError === undefined);
    if (!(await cover.wait())) return lost.taken();
    if (bodyError !== undefined || exchange.gone) {
      await cover.close();
      if (exchange.gone || bodyError === undefined) return over("gone");
      return lost.over("upstream", () => respondBroken(exchange, bodyError, ""));
    }
    const stream = new MeteredStream(paidRoute, cover, {
      name: streamName(baseOf(payment.nonce), payment.attempt),
      units: this.#meter.units,
      pauseMs: this.#meter.pause_s * 1000,
      coverOf: (next, nextLease) => this.#coverOf(next, nextLease),
    });
    const streams = streamsOf(this.#desk);
    streams.set(stream.key, stream);
    exchange.head.fields =
      withoutFields(exchange.head.fields, ["accept-encoding"]) + fieldLine("Accept-Encoding", "identity");
    let isFree = false;
    exchange.onTaken = (taken) => {
      if (isFree) return;
      if (taken) client.delivered(payment.from);
      else client.lose(exchange, exchange.gone ? "gone" : "upstream");
    };
    const streamed = new MeteredResponse(exchange, stream, {
      meter: this.#meter,
      receipts: { sold: this.#receipt(payment.amount), free: this.#transaction === "" ? "" : this.#receipt("0") },
      events: {
        over: () => {
          streams.delete(stream.key);
          request.release();
          this.#parts.end(over(isFree ? "free" : undefined));
        },
        broken: (error) => {
          streams.delete(stream.key);
          request.release();
          this.#parts.end(
            lost.over("upstream", () => {
              if (!exchange.gone) respondBroken(exchange, error, "");
            }),
          );
        },
        isFree: (status, overrides) => {
          isFree = this.#parts.isFree(status, overrides);
          if (!isFree) client.count("settled");
          return isFree;
        },
        failed: (error) => paidRoute.log(`payment: the ledger failed on ${paidRoute.route}: ${faultOf(error)}`),
      },
    });
    delivery.tellUpstream();
    return { at: "streaming", streamed };
  }

  /** Adds this payment to a response that flows, in this process or in another one. */
  async #payFurther(name: string): Promise<SaleState> {
    const { exchange, payment, client } = this.#parts.held;
    // The client would not see its receipt.
    const isSeen = exchange.whyNotCarried?.({ status: 200, fields: "" }) === undefined;
    const taken = isSeen ? await this.#takeFor(name) : "unseen";
    if (taken === "lost") return this.#parts.lost.taken();
    if (taken !== "taken") {
      await this.#parts.held.lease.release({}, { isReturned: true, reason: "used" });
      return this.#parts.lost.over("used", () => {
        if (taken === "full") respondError(exchange, FULL, SOON_S);
        else respondError(exchange, taken === "unseen" ? BY_CONNECT : ENDED);
      });
    }
    client.count("settled");
    client.delivered(payment.from);
    respondValue(exchange, 200, { stream: name }, this.#receipt(payment.amount));
    return over();
  }

  #takeFor(name: string): Promise<"taken" | "full" | "over" | "lost"> {
    const { payment, lease } = this.#parts.held;
    const stream = streamsOf(this.#desk).get(streamKey(channelOf(payment.nonce), name));
    return stream === undefined ? this.#handOver(name) : stream.take(payment, lease);
  }

  /** Leaves the payment for the process that has the response. */
  async #handOver(name: string): Promise<"taken" | "full" | "over" | "lost"> {
    const { paidRoute, payment, lease } = this.#parts.held;
    const { ledger, paymentIds, clock } = paidRoute;
    const parts = readStreamName(name);
    if (parts === undefined) return "over";
    const nonce = channelNonce(channelOf(payment.nonce), parts.base);
    const first = await ledger.find({ ...payment, nonce });
    const isKnown = first !== undefined && isFor(payment, first) && first.attempt === parts.attempt;
    if (!isKnown || (first.state !== "deferred" && first.state !== "settled")) return "over";
    if (!(await this.#coverOf(payment, lease).wait(false))) return "lost";
    const tied = await paymentIds.tie(handover(nonce, name), payment.nonce, clock() + HANDOVER_MS);
    if (tied === payment.nonce) return "taken";
    return (await this.#takeBack()) ? (tied === TAKEN_NO_MORE ? "over" : "full") : "lost";
  }

  async #takeBack(): Promise<boolean> {
    const { paidRoute, payment: before } = this.#parts.held;
    const { leased, payment } = await paidRoute.ledger.reserve(before);
    if (leased) await new Lease(paidRoute, payment, undefined).release({}, { isReturned: true });
    return leased;
  }

  #coverOf(payment: Payment, lease: Lease, fits = true): Cover {
    const { paidRoute, request } = this.#parts.held;
    return new Cover({
      paidRoute,
      payment,
      lease,
      units: this.#meter.units,
      lastsMs: this.#lastsMs,
      transaction: this.#transaction,
      spentOn: () => (fits ? request.spentOn : {}),
    });
  }

  #receipt(amount: string): Fields {
    const { paidRoute, exchange, payment, accepted } = this.#parts.held;
    const paid = { ...payment, amount, payer: payment.from, transaction: this.#transaction };
    return receiptFields(signedReceipt(paidRoute, exchange, paid, accepted.channel?.row), accepted, paidRoute.clock());
  }
}

/** True if a request pays further for a metered response. */
export function isFurther(
  { meter }: { readonly meter: MeterTerms | undefined },
  { head }: Pick<Exchange, "head">,
): boolean {
  return meter !== undefined && paidStream(head) !== undefined;
}

/** Responds to a further payment that is sent again. False: it was not taken. */
export function respondTakenBefore(paidRoute: PaidRoute, exchange: Exchange, payment: Payment): boolean {
  const stream = paidStream(exchange.head);
  if (stream === undefined || !TAKEN.has(payment.state)) return false;
  const receipt = signedReceipt(paidRoute, exchange, { ...payment, payer: payment.from });
  respondValue(exchange, 200, { stream }, receiptFields(receipt, { version: 2 }));
  return true;
}
