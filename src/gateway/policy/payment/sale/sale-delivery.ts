import { type Fields } from "../../../../lib/http/fields.ts";
import { deferralOf } from "../../../../payments/settlement/deferral.ts";
import { type Receipt } from "../../../../payments/x402/messages.ts";
import { appendFields } from "../../../exchange/head-fields.ts";
import { type HeldPayment } from "./held-payment.ts";
import { deferralField } from "./deferred-charge.ts";
import { receiptFields } from "../protocol/receipt.ts";
import { deliver } from "../responses/deliver.ts";
import { withReceipt } from "../responses/inline-receipt.ts";
import { type PaidResponse } from "../responses/response-store.ts";
import { type SaleState } from "./sale-state.ts";
import { signedReceipt } from "./signed-receipt.ts";

/** The result of a response that was passed through. */
interface Streamed {
  readonly delivered: boolean;
  readonly partial: boolean;
  /** The response is free of charge. */
  readonly isFree: boolean;
}

/** Gives the response with its receipt for the payment, and records whether the client received it. */
export class SaleDelivery {
  readonly #held: HeldPayment;

  constructor(held: HeldPayment) {
    this.#held = held;
  }

  /** The charge can go back to its credit: no earlier request may have had a response for it. */
  get isReturnable(): boolean {
    const { accepted, payment } = this.#held;
    return accepted.prepaid !== undefined && payment.state === "reserved";
  }

  receiptFields(): Fields {
    const { accepted, paidRoute } = this.#held;
    return receiptFields(this.#receipt(), accepted, paidRoute.clock());
  }

  /** The receipt fields of a payment that is settled, for an error; else empty. The `Payment` scheme forbids them on errors. */
  owedFields(): Fields {
    if (this.#held.accepted.version === "mpp") return "";
    return this.#held.lease.paid === undefined ? "" : this.receiptFields();
  }

  #receipt(): Receipt {
    const { paidRoute, exchange, lease, payment, accepted } = this.#held;
    return signedReceipt(paidRoute, exchange, lease.paid ?? payment, accepted.channel?.row);
  }

  /** Tells the upstream of the payment, in the fields of its request. `until`: it may be charged later, until then. */
  tellUpstream(until?: number): void {
    const { paidRoute, exchange, payment, lease } = this.#held;
    const { amount: paid, transaction } = lease.paid ?? { amount: payment.amount, transaction: "" };
    // The upstream knows its work by the terms with which it was begun.
    const amount = until === undefined ? paid : (deferralOf(payment)?.quote ?? paid);
    const told = { ...payment, from: exchange.payer, amount, transaction };
    exchange.isPaid = true;
    paidRoute.onPaid?.(exchange, told);
    const deferral = until === undefined ? "" : deferralField(until);
    appendFields(exchange.head, paidRoute.fields.linesOf(told, paidRoute.clock()) + deferral);
  }

  /** Resolves when the response is stored where every worker finds it. Until then no other request may take the payment. */
  keep(response: PaidResponse): Promise<void> {
    const { paidRoute, accepted, payment } = this.#held;
    const until = paidRoute.clock() + accepted.requirements.maxTimeoutSeconds * 1000;
    return paidRoute.responses.keep(payment.fingerprint, response, until);
  }

  /** Sends a response. Resolves when it is not needed any more; `recorded` is settled later, with the delivery's result. */
  async send({ response, isNew, kept }: SaleState & { at: "delivering" }): Promise<{ recorded: Promise<void> }> {
    const { paidRoute, exchange, lease } = this.#held;
    const hasReceipt = !lease.isDeferred;
    const isInline = hasReceipt && paidRoute.inline_receipt;
    const whole = isInline ? await withReceipt(response, this.#receipt()) : response;
    // Stored first: a client that has seen a part can then get the whole response, even if this process dies.
    await kept;
    const { taken } = await deliver(exchange, whole, hasReceipt ? this.receiptFields() : "");
    return { recorded: this.#record(taken, isNew) };
  }

  /** Records the delivery, and ends the lease with the same write: no other request asks the upstream meanwhile. */
  async #record(taken: Promise<boolean>, isNew: boolean): Promise<void> {
    const { exchange, lease, request, payment } = this.#held;
    const delivered = await taken;
    this.#count(delivered);
    const begun = exchange.started;
    const isUndone = !begun && (this.isReturnable || (lease.isDeferred && payment.state === "reserved"));
    await lease.record({
      state: isUndone ? "released" : lease.isDeferred ? "deferred" : "settled",
      lease: false,
      ...(begun ? { delivered, partial: isNew && !delivered && exchange.bytesSent > 0 } : {}),
      ...request.spentOn,
    });
  }

  /** Records the result, and ends the lease. */
  async recordStreamed({ delivered, partial, isFree }: Streamed): Promise<void> {
    this.#count(delivered);
    await this.#held.lease.record({
      state: isFree && this.isReturnable ? "released" : "settled",
      lease: false,
      ...(delivered ? { delivered, uncut: true } : {}),
      partial,
      ...this.#held.request.spentOn,
    });
  }

  /** Written at once, and not at the end of the response: some responses take longer than a lease lasts. */
  async recordBody(): Promise<void> {
    await this.#held.lease.record({ state: "settled", lease: true, ...this.#held.request.spentOn });
  }

  #count(delivered: boolean): void {
    const { client, exchange } = this.#held;
    if (delivered) client.delivered(exchange.payer);
    else client.lose(exchange, exchange.gone ? "gone" : "upstream");
  }
}
