import { faultOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/fields.ts";
import { isChargedFailure, isFreeOfCharge, parseCharge } from "../../../payments/x402/charge.ts";
import { type Settlement } from "../../../payments/facilitator/facilitator.ts";
import { type PaymentPayload, type PaymentRequirements, type Receipt } from "../../../payments/x402/messages.ts";
import { type Reason } from "../../../payments/x402/reasons.ts";
import { fromStored } from "../../../payments/settlement/stored-payment.ts";
import { voidReason } from "../../../payments/settlement/void-reason.ts";
import { type Payment } from "../../../store/ledger.ts";
import { type Exchange } from "../../exchange.ts";
import { type Decision } from "../policy.ts";
import { type PaidResponse } from "./responses/response-store.ts";
import { findOnce, settleOnce, verifyOnce } from "./ask-facilitator.ts";
import { deliver, type Delivery } from "./responses/deliver.ts";
import { FirstLook } from "./responses/first-look.ts";
import { BufferedResponse } from "./responses/buffered-response.ts";
import { Lease } from "./lease.ts";
import { withReceipt } from "./responses/inline-receipt.ts";
import { keptResponse } from "./responses/kept-response.ts";
import { uncarried } from "./responses/unsellable.ts";
import { PassingResponse } from "./responses/passing-response.ts";
import { receiptFields, receiptOf, refusalOf } from "./receipt.ts";
import {
  respondBroken,
  respondLost,
  respondPending,
  respondRefused,
  respondSpent,
  respondUnsettled,
  respondUnverified,
  respondUnwritten,
} from "./refusals.ts";
import { OTHER_BODY, RequestDigest } from "./request-digest.ts";
import { paymentError } from "./respond.ts";
import { type PaidRoute } from "./paid-route.ts";

/** One payment with the payment requirements that it accepts. */
export interface AcceptedPayment {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  /** The x402 version that the client uses. */
  readonly version: 1 | 2;
  /** The client's own id for the payment. */
  readonly id: string | undefined;
}

/**
 * One request that holds its payment in the ledger, to the end:
 *
 *   reserved ── verify ──▶ upstream ── settle ──▶ release      settle: after
 *   reserved ── verify ──▶ settle ──▶ upstream, passed through  settle: before
 *   unknown  ── find, settle ──▶ as below
 *   settled  ──▶ the kept response, or the upstream again, free of charge: it is paid and owed
 */
export class Attempt {
  readonly #paidRoute: PaidRoute;
  readonly #exchange: Exchange;
  readonly #accepted: AcceptedPayment;
  readonly #payment: Payment;
  readonly #request: RequestDigest;
  readonly #lease: Lease;
  #held: BufferedResponse | undefined;
  #passing: PassingResponse | undefined;
  #look: FirstLook | undefined;
  /** Those of the exchange before the request is sent to the upstream. */
  #addedFields: Fields = "";
  /**
   * Resolves once the response is stored where every worker can find it. Until then no other request may take over the
   * payment.
   */
  #kept: Promise<void> = Promise.resolve();
  /** True: the payment is processed to its end even if the client's connection closes. */
  #settling = false;

  constructor(paidRoute: PaidRoute, exchange: Exchange, accepted: AcceptedPayment, payment: Payment) {
    this.#paidRoute = paidRoute;
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#payment = payment;
    this.#request = new RequestDigest(exchange, payment.bodyDigest);
    this.#lease = new Lease(paidRoute, payment, accepted.id);
    exchange.onGone = () => this.#onGone();
  }

  async run(): Promise<Decision> {
    try {
      return await this.#begin();
    } catch (error) {
      await this.#fail(error);
      return "responded";
    }
  }

  async #begin(): Promise<Decision> {
    const { state } = this.#payment;
    if (state === "unknown") return this.#reconcile();
    return state === "settled" ? this.#owe() : this.#verify();
  }

  async #verify(): Promise<Decision> {
    const { log, route } = this.#paidRoute;
    const verification = await verifyOnce(this.#paidRoute, this.#exchange, this.#accepted);
    if (verification.kind === "valid" && !this.#exchange.gone) return this.#admit(verification.payer);
    await this.#lease.move({ state: "released", lease: false });
    if (verification.kind === "refused") {
      respondRefused(this.#exchange, this.#paidRoute, verification.reason);
    } else if (verification.kind !== "valid") {
      log(`payment: cannot verify on ${route}: the facilitator ${verification.kind}: ${verification.cause}`);
      respondUnverified(this.#exchange, verification.kind);
    }
    return "responded";
  }

  /** The payment is valid: asks the upstream, or settles first. */
  async #admit(payer: string): Promise<Decision> {
    if (!(await this.#lease.move({ state: "verified", lease: true, payer }))) return this.#lose();
    if (!(await this.#lease.tieId())) {
      this.#release();
      const detail = "The id of this payment belongs to another payment. Use another id for another request.";
      respondSpent(this.#exchange, this.#paidRoute, paymentError("payment-conflict", detail));
      return "responded";
    }
    if (this.#paidRoute.settle === "after") return this.#sell();
    return (await this.#charge(this.#accepted.requirements.amount)) ? this.#owe() : "responded";
  }

  /** Buffers the response, and sends the request to the upstream. */
  #sell(): Decision {
    const exchange = this.#exchange;
    if (exchange.gone) {
      this.#release();
      return "responded";
    }
    this.#addedFields = exchange.addedFields;
    this.#held = new BufferedResponse(
      {
        exchange,
        responses: this.#paidRoute.responses,
        isFree: (status) => this.#isFree(status, this.#look?.overrides ?? []),
        receipt: this.#lease.paid === undefined ? "" : this.#receiptFields(),
      },
      {
        complete: (response) => this.#inBackground(this.#complete(response)),
        unpaid: () => this.#release(),
        broken: (error) => this.#broken(error),
      },
    );
    this.#look = new FirstLook(exchange);
    this.#request.watch();
    return "continue";
  }

  /** Sends the request to the upstream for a payment that is settled, and passes the response on as it arrives. */
  async #stream(): Promise<Decision> {
    const request = this.#request;
    const bodyError = await request.gather(this.#paidRoute.responses);
    if (bodyError !== undefined) {
      this.#broken(bodyError);
      return "responded";
    }
    if (!request.mustRead) request.watch(() => this.#inBackground(this.#noteBody()));
    // Recorded before the upstream works: a client that disconnects, or outlives the lease, counts as served.
    if (!(await this.#lease.move({ state: "settled", lease: true, delivered: false, ...this.#request.spentOn })))
      return this.#lose();
    if (this.#exchange.gone) {
      this.#release();
      return "responded";
    }
    this.#passing = new PassingResponse(this.#exchange, this.#receiptFields(), {
      over: (delivered, partial) =>
        this.#inBackground(
          this.#lease.record({
            state: "settled",
            lease: false,
            ...(delivered ? { delivered } : {}),
            partial,
            ...this.#request.spentOn,
          }),
        ),
      broken: (error) => this.#broken(error),
      isFree: (status, overrides) => this.#isFree(status, overrides),
    });
    return "continue";
  }

  /** The response is complete: settle, then send it. */
  async #complete(response: PaidResponse): Promise<void> {
    // The rest of this method releases the lease. A client that leaves now must not release it earlier, while the
    // response is being stored.
    this.#held = undefined;
    const exchange = this.#exchange;
    // A refusal has no field that was added on the way to this response, such as Cache-Status.
    const { addedFields } = exchange;
    exchange.addedFields = this.#addedFields;
    try {
      if (this.#lease.paid === undefined) {
        const amount = this.#amountFor();
        if (amount === undefined) {
          this.#broken(paymentError("upstream-failed", "The upstream's charge for this request is invalid"));
          return;
        }
        if (!(await this.#charge(amount, response))) return;
      } else if (!this.#request.fits) {
        await this.#refuseBody();
        return;
      } else {
        this.#keep(response);
      }
      exchange.addedFields = addedFields;
      await this.#send(response, true);
    } finally {
      this.#paidRoute.responses.release(response);
    }
  }

  /** Whether a response with this status and these Settlement-Overrides fields is free. */
  #isFree(status: number, overrides: readonly string[]): boolean {
    const { requirements } = this.#accepted;
    if (status < 400) return isFreeOfCharge(overrides, requirements);
    return !(this.#paidRoute.chargesFailures && isChargedFailure(overrides, requirements));
  }

  /** The price of the response; undefined if the upstream's charge is not valid. */
  #amountFor(): string | undefined {
    const { requirements } = this.#accepted;
    if (requirements.scheme !== "upto") return requirements.amount;
    return parseCharge(this.#look?.overrides ?? [], requirements);
  }

  /**
   * Settles the payment and records the result. False: not settled, or the result is unknown; a response has been sent.
   */
  async #charge(amount: string, response?: PaidResponse): Promise<boolean> {
    const going = await this.#lease.move({ state: "settling", lease: true, amount, ...this.#request.spentOn });
    if (!going || this.#exchange.gone) {
      this.#release();
      if (!going) respondLost(this.#exchange);
      return false;
    }
    const settlement = await this.#settle({ ...this.#accepted.requirements, amount });
    if (settlement.kind === "refused") {
      await this.#giveUp(settlement.reason);
      return false;
    }
    if (response !== undefined) this.#keep(response);
    if (settlement.kind === "unknown") {
      await this.#pend(settlement.cause, settlement.transaction);
      return false;
    }
    return this.#book(settlement, amount);
  }

  /** False: the lease was lost meanwhile, and this request sends nothing of the response. */
  async #book(settlement: Settlement & { kind: "settled" }, amount: string): Promise<boolean> {
    if (await this.#lease.book(settlement, amount)) return true;
    this.#lose();
    return false;
  }

  /**
   * The result of an earlier settlement is unknown: looks it up, and repeats the same settlement if it did not happen.
   */
  async #reconcile(): Promise<Decision> {
    const { amount } = this.#payment;
    const requirements = fromStored(this.#payment)?.requirements ?? { ...this.#accepted.requirements, amount };
    this.#settling = true;
    const outcome = await findOnce(this.#paidRoute, this.#exchange, { ...this.#accepted, requirements });
    if (outcome.kind === "void") {
      await this.#giveUp(
        voidReason(this.#accepted.payload, this.#payment.validBefore > this.#paidRoute.clock() / 1000),
      );
      return "responded";
    }
    const settlement = outcome.kind === "settled" ? outcome : await this.#settle(requirements);
    if (settlement.kind === "settled") {
      return (await this.#book(settlement, amount)) ? this.#owe() : "responded";
    }
    // A rejection now can be a consequence of the first settlement's success: the nonce is spent, or the balance is
    // gone. So it proves nothing.
    await this.#pend(settlement.kind === "unknown" ? settlement.cause : settlement.reason, "");
    return "responded";
  }

  /** Delivers what is paid for: the stored response, or a new one. */
  async #owe(): Promise<Decision> {
    this.#settling = false;
    const response = await keptResponse(this.#paidRoute, this.#payment.fingerprint, this.#request);
    if (response instanceof TurnpikeError) {
      this.#broken(response);
      return "responded";
    }
    if (response === undefined) return this.#paidRoute.settle === "before" ? this.#stream() : this.#sell();
    try {
      // It may have been requested over another protocol before.
      const reason = uncarried(this.#exchange, response.head);
      if (reason === undefined) await this.#send(response, false);
      else this.#broken(paymentError("upstream-failed", reason));
    } finally {
      this.#paidRoute.responses.release(response);
    }
    return "responded";
  }

  #settle(requirements: PaymentRequirements): Promise<Settlement> {
    this.#settling = true;
    return settleOnce(this.#paidRoute, this.#exchange, { ...this.#accepted, requirements });
  }

  #keep(response: PaidResponse): void {
    const { responses, clock } = this.#paidRoute;
    const until = clock() + this.#accepted.requirements.maxTimeoutSeconds * 1000;
    this.#kept = responses.keep(this.#payment.fingerprint, response, until);
  }

  /** `isNew`: the upstream has just produced it. A stored response is identical byte for byte. */
  async #send(response: PaidResponse, isNew: boolean): Promise<void> {
    const { inlineReceipt } = this.#paidRoute;
    const whole = inlineReceipt ? await withReceipt(response, this.#receipt()) : response;
    // Stored first: a client that has seen a part can then get the whole response, even if this process dies.
    await this.#kept;
    const delivery = await deliver(this.#exchange, whole, this.#receiptFields());
    this.#inBackground(this.#close(delivery, isNew));
  }

  /**
   * Records the delivery, and ends the lease with the same write, so that no other request asks the upstream meanwhile.
   */
  async #close({ taken }: Delivery, isNew: boolean): Promise<void> {
    const delivered = await taken;
    const begun = this.#exchange.started;
    await this.#lease.record({
      state: "settled",
      lease: false,
      ...(begun ? { delivered, partial: isNew && !delivered && this.#exchange.bytesSent > 0 } : {}),
      ...this.#request.spentOn,
    });
  }

  #receipt(): Receipt {
    return receiptOf(this.#paidRoute.target, this.#lease.paid ?? this.#payment);
  }

  #receiptFields(): Fields {
    return receiptFields(this.#receipt(), this.#accepted.version);
  }

  async #pend(cause: string, transaction: string): Promise<void> {
    const { log, route } = this.#paidRoute;
    log(`payment: settlement on ${route} is open: ${cause}`);
    await this.#kept;
    respondPending(this.#exchange);
    await this.#lease.move({ state: "unknown", lease: false, ...(transaction === "" ? {} : { transaction }) });
  }

  /** The settlement certainly did not happen: the payment is finished, and the client can make another payment. */
  async #giveUp(reason: Reason): Promise<void> {
    if (!(await this.#lease.move({ state: "failed", lease: false, reason }))) {
      this.#lose();
      return;
    }
    const { version } = this.#accepted;
    respondUnsettled(this.#exchange, this.#paidRoute, { receipt: refusalOf(this.#payment, reason), version });
    await this.#lease.untieId();
  }

  /** Written at once, and not at the end of the response: some responses take longer than a lease lasts. */
  async #noteBody(): Promise<void> {
    await this.#lease.record({ state: "settled", lease: true, ...this.#request.spentOn });
  }

  /**
   * The upstream has worked for a different body than was paid for. The response is not sent, and the attempt counts.
   */
  async #refuseBody(): Promise<void> {
    respondSpent(this.#exchange, this.#paidRoute, OTHER_BODY);
    await this.#lease.record({ state: "settled", lease: false, delivered: false });
  }

  #broken(error: TurnpikeError): void {
    this.#request.release();
    this.#release();
    if (this.#exchange.gone) return;
    if (error.code === "payment-conflict") respondSpent(this.#exchange, this.#paidRoute, error);
    else respondBroken(this.#exchange, error, this.#lease.paid === undefined ? "" : this.#receiptFields());
  }

  #onGone(): void {
    this.#passing?.leave();
    if (this.#held === undefined || this.#settling) return;
    this.#held.drop();
    this.#release();
  }

  #release(): void {
    this.#inBackground(this.#lease.release(this.#passing === undefined ? {} : this.#request.spentOn));
  }

  #lose(): Decision {
    respondLost(this.#exchange);
    return "responded";
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#fail(error));
  }

  /** The only handler for a failing ledger. The process must not end, and nothing is released. */
  async #fail(cause: unknown): Promise<void> {
    this.#paidRoute.log(`payment: the ledger failed on ${this.#paidRoute.route}: ${faultOf(cause)}`);
    const spent = this.#settling || this.#lease.paid !== undefined;
    if (!this.#exchange.started) respondUnwritten(this.#exchange, spent);
    await this.#lease.salvage(spent);
  }
}
