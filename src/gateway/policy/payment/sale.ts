import { faultOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { fromStored } from "../../../payments/settlement/stored-payment.ts";
import { voidReason } from "../../../payments/settlement/void-reason.ts";
import { isChargedFailure, isFreeOfCharge, parseCharge } from "../../../payments/x402/charge.ts";
import { type Receipt } from "../../../payments/x402/messages.ts";
import { type Settlement, type Verification } from "../../../payments/x402/facilitator.ts";
import { type Reason } from "../../../payments/x402/reasons.ts";
import { type Payment } from "../../../store/ledger.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { appendFields } from "../../exchange/head-fields.ts";
import { type ClientFunnel } from "../../telemetry/funnel.ts";
import { type Decision } from "../policy.ts";
import { type GiveBack } from "../rate-limit/rate-limit.ts";
import { Lease } from "./lease.ts";
import { lossOf } from "./loss.ts";
import { type AcceptedPayment } from "./offer.ts";
import { type PaidRoute } from "./paid-route.ts";
import { receiptFields, refusalOf } from "./protocol/receipt.ts";
import { signedReceipt } from "./signed-receipt.ts";
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
import { paymentError, respondError } from "./protocol/respond.ts";
import { BufferedResponse } from "./responses/buffered-response.ts";
import { deliver, type Delivery } from "./responses/deliver.ts";
import { withReceipt } from "./responses/inline-receipt.ts";
import { keptResponse } from "./kept-response.ts";
import { type PaidResponse } from "./responses/response-store.ts";
import { SaleFacilitator } from "./sale-facilitator.ts";
import { StreamedResponse } from "./responses/streamed-response.ts";
import { uncarried } from "./responses/unsellable.ts";
import {
  type Charge,
  mayBeSettled,
  over,
  type SaleEnd,
  type SaleState,
  type SaleStep,
  type SoldResponse,
} from "./sale-state.ts";

/** Seconds after which a client can retry if its payer could not be screened. */
const SCREENING_RETRY_S = 5;
/** The response is not stored, so its delivery waits for nothing. */
const NOT_KEPT = Promise.resolve();

/** One request that holds its payment in the ledger. A method that returns a state is a step of `SaleState`. */
export class Sale {
  readonly #paidRoute: PaidRoute;
  readonly #exchange: Exchange;
  readonly #accepted: AcceptedPayment;
  readonly #payment: Payment;
  readonly #request: RequestDigest;
  readonly #lease: Lease;
  readonly #client: ClientFunnel;
  readonly #facilitator: SaleFacilitator;
  /** Defined if the payer has a free request. The payment is then not settled. */
  #giveBack: GiveBack | undefined;
  #state: SaleState;

  constructor(paidRoute: PaidRoute, exchange: Exchange, accepted: AcceptedPayment, payment: Payment) {
    this.#paidRoute = paidRoute;
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#payment = payment;
    this.#request = new RequestDigest(exchange, payment.bodyDigest);
    this.#lease = new Lease(paidRoute, payment, accepted.id);
    this.#client = paidRoute.funnel.of(exchange.head);
    this.#facilitator = new SaleFacilitator(paidRoute, exchange, accepted, payment.facilitator);
    this.#state = beginOf(payment);
    if (payment.state !== "reserved") namePayer(exchange, payment);
    exchange.onGone = () => this.#onGone();
  }

  /** Resolves when the client has a response, or when the upstream is to work. */
  async run(): Promise<Decision> {
    try {
      return await this.#advance(this.#state);
    } catch (error) {
      await this.#fail(error);
      return "responded";
    }
  }

  async #advance(from: SaleState): Promise<Decision> {
    for (let state = from; ; state = await this.#step(state)) {
      if (state.at === "over") {
        this.#end(state);
        return "responded";
      }
      this.#state = state;
      if (state.at === "holding" || state.at === "streaming") return "continue";
    }
  }

  #end(state: SaleEnd): void {
    this.#state = state;
    if (state.end !== undefined) this.#client.count(state.end);
  }

  async #step(state: SaleStep): Promise<SaleState> {
    switch (state.at) {
      case "reserved":
        return this.#verify();
      case "verified":
        return this.#begin();
      case "unknown":
        return this.#find();
      case "priced":
        return this.#charge(state);
      case "settling":
        return this.#settle(state);
      case "owed":
        return this.#deliverOwed();
      case "complete":
        return this.#price(state.sold, state.overrides);
      case "delivering":
      default:
        return this.#deliver(state);
    }
  }

  async #verify(): Promise<SaleState> {
    const { log, route, screening } = this.#paidRoute;
    const listed = screening?.listed(this.#payment);
    if (listed !== undefined) return this.#deny(listed);
    const verification = await this.#facilitator.verify();
    if (verification.kind === "valid" && !this.#exchange.gone) {
      // The service is not asked about addresses that anyone can invent.
      const denial = await screening?.asked(this.#payment);
      return denial === undefined ? this.#admit(verification) : this.#deny(denial);
    }
    await this.#lease.move({ state: "released", lease: false });
    if (verification.kind === "refused") {
      respondRefused(this.#exchange, this.#paidRoute, verification.reason);
      return over(lossOf(verification.reason));
    }
    if (verification.kind === "valid") return over("gone");
    log(`payment: cannot verify on ${route}: the facilitator ${verification.kind}: ${verification.cause}`);
    respondUnverified(this.#exchange, verification.kind);
    return over("facilitator");
  }

  #deny(denial: TurnpikeError): SaleState {
    this.#release();
    respondError(this.#exchange, denial, denial.status === 503 ? SCREENING_RETRY_S : undefined);
    return over("screening");
  }

  async #admit({ payer }: Verification & { kind: "valid" }): Promise<SaleState> {
    const { prepaid } = this.#accepted;
    // A reservation has taken the amount from the credit already.
    if (!prepaid && !(await this.#lease.move({ state: "verified", lease: true, payer }))) return this.#lose();
    if (await this.#lease.tieId()) {
      namePayer(this.#exchange, this.#payment);
      this.#client.count("verified");
      return { at: "verified" };
    }
    this.#release();
    const detail = "The id of this payment belongs to another payment. Use another id for another request.";
    respondSpent(this.#exchange, this.#paidRoute, paymentError("payment-conflict", detail));
    return over("used");
  }

  /** Limits the payer's requests before there is work or a charge. */
  async #begin(): Promise<SaleState> {
    const { limit, settle, gift } = this.#paidRoute;
    if ((await limit?.request(this.#exchange)) === "responded") {
      this.#release();
      return over("limited");
    }
    this.#giveBack = await gift?.take(this.#exchange);
    return settle === "after" ? this.#hold() : this.#priced(this.#accepted.requirements.amount);
  }

  /** Sends the request to the upstream, whose response waits until it is complete and paid for. */
  #hold(): SaleState {
    const exchange = this.#exchange;
    if (exchange.gone) return this.#leave();
    const { addedFields } = exchange;
    const held = new BufferedResponse(
      {
        exchange,
        responses: this.#paidRoute.responses,
        isFree: (status, overrides) => this.#isFree(status, overrides),
        receipt: this.#lease.paid === undefined ? "" : this.#receiptFields(),
      },
      {
        complete: (response) => this.#inBackground(this.#completed(response, addedFields, held.overrides)),
        unpaid: (failure) => {
          if (failure === "server") this.#giveBack?.();
          this.#release();
          this.#end(over(failure === "none" ? "free" : "upstream"));
        },
        broken: (error) => this.#end(this.#broken(error)),
      },
    );
    this.#request.watch();
    this.#tellUpstream();
    return { at: "holding", held };
  }

  /** `addedFields`: those of the exchange before the upstream worked. Only they are in a refusal. */
  async #completed(response: PaidResponse, addedFields: Fields, overrides: readonly string[]): Promise<void> {
    const sold = { response, addedFields: this.#exchange.addedFields };
    this.#exchange.addedFields = addedFields;
    try {
      await this.#advance({ at: "complete", sold, overrides });
    } finally {
      this.#paidRoute.responses.release(response);
    }
  }

  async #price(sold: SoldResponse, overrides: readonly string[]): Promise<SaleState> {
    if (this.#lease.paid !== undefined) {
      return this.#request.fits ? this.#deliverNew(sold, this.#keep(sold.response)) : this.#refuseBody();
    }
    const { requirements } = this.#accepted;
    const amount = requirements.scheme === "upto" ? parseCharge(overrides, requirements) : requirements.amount;
    if (amount !== undefined) return this.#priced(amount, sold);
    return this.#broken(paymentError("upstream-failed", "The upstream's charge for this request is invalid"));
  }

  #priced(amount: string, sold?: SoldResponse): SaleState {
    return { at: "priced", amount, sold };
  }

  /** Records the charge before it is made. */
  async #charge({ amount, sold }: Charge): Promise<SaleState> {
    if (this.#accepted.prepaid === undefined) {
      const assigned = { amount, facilitator: this.#facilitator.assign(), ...this.#request.spentOn };
      if (!(await this.#lease.move({ state: "settling", lease: true, ...assigned }))) return this.#lose();
    }
    if (!this.#exchange.gone) return { at: "settling", amount, sold };
    return this.#leave();
  }

  async #settle({ amount, sold }: Charge): Promise<SaleState> {
    const settlement = await this.#facilitator.settle(
      { ...this.#accepted.requirements, amount },
      { reassign: (facilitator) => this.#lease.move({ state: "settling", lease: true, facilitator }) },
    );
    if (settlement.kind === "refused") return this.#giveUp(settlement.reason);
    const kept = sold === undefined ? NOT_KEPT : this.#keep(sold.response);
    if (settlement.kind === "unknown") {
      await kept;
      return this.#pend(settlement.cause, settlement.transaction);
    }
    if (!(await this.#book(settlement, amount))) return this.#lose();
    return sold === undefined ? { at: "owed" } : this.#deliverNew(sold, kept);
  }

  async #book(settlement: Settlement & { kind: "settled" }, amount: string): Promise<boolean> {
    const { prepaid } = this.#accepted;
    const booked = await this.#lease.book(settlement, amount, prepaid && this.#request.spentOn);
    if (booked) this.#client.count("settled");
    return booked;
  }

  /** Looks up the result of an earlier settlement, and repeats the same settlement if it did not happen. */
  async #find(): Promise<SaleState> {
    const { amount } = this.#payment;
    const requirements = fromStored(this.#payment)?.requirements ?? { ...this.#accepted.requirements, amount };
    const outcome = await this.#facilitator.find(requirements);
    if (outcome.kind === "void") {
      const isInTime = this.#payment.validBefore > this.#paidRoute.clock() / 1000;
      return this.#giveUp(voidReason(this.#accepted.payload, isInTime));
    }
    const settlement = outcome.kind === "settled" ? outcome : await this.#facilitator.settle(requirements);
    if (settlement.kind === "settled") {
      return (await this.#book(settlement, amount)) ? { at: "owed" } : this.#lose();
    }
    // A rejection now can be a consequence of the first settlement's success: the nonce is spent, or the balance is
    // gone. So it proves nothing.
    return this.#pend(settlement.kind === "unknown" ? settlement.cause : settlement.reason, "");
  }

  /** The kept response, or a new one of the upstream. */
  async #deliverOwed(): Promise<SaleState> {
    const response = await keptResponse(this.#paidRoute, this.#payment.fingerprint, this.#request);
    if (response instanceof TurnpikeError) return this.#broken(response);
    if (response === undefined) return this.#paidRoute.settle === "before" ? this.#stream() : this.#hold();
    try {
      // It may have been requested over another protocol before.
      const reason = uncarried(this.#exchange, response.head);
      if (reason !== undefined) return this.#broken(paymentError("upstream-failed", reason));
      await this.#advance({ at: "delivering", response, isNew: false, kept: NOT_KEPT });
      return over();
    } finally {
      this.#paidRoute.responses.release(response);
    }
  }

  /** Sends the request to the upstream for a settled payment. The response goes to the client as it arrives. */
  async #stream(): Promise<SaleState> {
    const request = this.#request;
    const bodyError = await request.gather(this.#paidRoute.responses);
    if (bodyError !== undefined) return this.#broken(bodyError);
    if (!request.mustRead) request.watch(() => this.#inBackground(this.#recordBody()));
    // Recorded before the upstream works: a client that disconnects, or outlives the lease, counts as served.
    if (!(await this.#lease.move({ state: "settled", lease: true, delivered: false, ...request.spentOn }))) {
      return this.#lose();
    }
    if (this.#exchange.gone) return this.#leave();
    let hasFailed = false;
    const streamed = new StreamedResponse(this.#exchange, this.#receiptFields(), {
      over: (delivered, partial) => {
        this.#countEnd(delivered);
        const result = { ...(delivered ? { delivered } : {}), partial, ...request.spentOn };
        const state = hasFailed && this.#isReturnable ? "released" : "settled";
        this.#inBackground(this.#lease.record({ state, lease: false, ...result }));
        this.#end(over());
      },
      broken: (error) => this.#end(this.#broken(error)),
      isFree: (status, overrides) => (hasFailed = this.#isFree(status, overrides)),
    });
    this.#tellUpstream();
    return { at: "streaming", streamed };
  }

  #tellUpstream(): void {
    const { amount, transaction } = this.#lease.paid ?? { ...this.#accepted.requirements, transaction: "" };
    const { fields, clock, onPaid } = this.#paidRoute;
    const told = { ...this.#payment, amount, transaction };
    onPaid?.(this.#exchange, told);
    appendFields(this.#exchange.head, fields.linesOf(told, clock()));
  }

  #deliverNew({ response, addedFields }: SoldResponse, kept: Promise<void>): SaleState {
    this.#exchange.addedFields = addedFields;
    return { at: "delivering", response, isNew: true, kept };
  }

  async #deliver({ response, isNew, kept }: SaleState & { at: "delivering" }): Promise<SaleState> {
    const { inlineReceipt } = this.#paidRoute;
    const whole = inlineReceipt ? await withReceipt(response, this.#receipt()) : response;
    // Stored first: a client that has seen a part can then get the whole response, even if this process dies.
    await kept;
    const delivery = await deliver(this.#exchange, whole, this.#receiptFields());
    this.#inBackground(this.#recordDelivery(delivery, isNew));
    return over();
  }

  /** Whether a response with this status and these Settlement-Overrides fields is free. */
  #isFree(status: number, overrides: readonly string[]): boolean {
    const { requirements } = this.#accepted;
    if (this.#giveBack !== undefined) return true;
    if (status < 400) return isFreeOfCharge(overrides, requirements);
    return !(this.#paidRoute.chargesFailures && isChargedFailure(overrides, requirements));
  }

  /** The charge can go back to its credit: no earlier request may have had a response for it. */
  get #isReturnable(): boolean {
    return this.#accepted.prepaid !== undefined && this.#payment.state === "reserved";
  }

  /** Resolves when the response is stored where every worker finds it. Until then no other request may take the payment. */
  #keep(response: PaidResponse): Promise<void> {
    const { responses, clock } = this.#paidRoute;
    const until = clock() + this.#accepted.requirements.maxTimeoutSeconds * 1000;
    return responses.keep(this.#payment.fingerprint, response, until);
  }

  #receipt(): Receipt {
    return signedReceipt(this.#paidRoute, this.#exchange, this.#lease.paid ?? this.#payment);
  }

  #receiptFields(): Fields {
    return receiptFields(this.#receipt(), this.#accepted.version);
  }

  /** Records the delivery, and ends the lease with the same write: no other request asks the upstream meanwhile. */
  async #recordDelivery({ taken }: Delivery, isNew: boolean): Promise<void> {
    const delivered = await taken;
    this.#countEnd(delivered);
    const begun = this.#exchange.started;
    await this.#lease.record({
      state: !begun && this.#isReturnable ? "released" : "settled",
      lease: false,
      ...(begun ? { delivered, partial: isNew && !delivered && this.#exchange.bytesSent > 0 } : {}),
      ...this.#request.spentOn,
    });
  }

  #countEnd(delivered: boolean): void {
    if (delivered) this.#client.delivered(this.#payment.from);
    else this.#client.count(this.#exchange.gone ? "gone" : "upstream");
  }

  /** Written at once, and not at the end of the response: some responses take longer than a lease lasts. */
  async #recordBody(): Promise<void> {
    await this.#lease.record({ state: "settled", lease: true, ...this.#request.spentOn });
  }

  /** The result of the settlement is unknown. */
  async #pend(cause: string, transaction: string): Promise<SaleState> {
    const { log, route } = this.#paidRoute;
    log(`payment: settlement on ${route} is open: ${cause}`);
    respondPending(this.#exchange);
    await this.#lease.move({ state: "unknown", lease: false, ...(transaction === "" ? {} : { transaction }) });
    return over("unknown");
  }

  /** The settlement certainly did not happen: the payment is finished, and the client can make another payment. */
  async #giveUp(reason: Reason): Promise<SaleState> {
    if (!(await this.#lease.move({ state: "failed", lease: false, reason }))) return this.#lose();
    const { version } = this.#accepted;
    respondUnsettled(this.#exchange, this.#paidRoute, { receipt: refusalOf(this.#payment, reason), version });
    await this.#lease.untieId();
    return over(lossOf(reason));
  }

  /** The upstream worked for a different body than was paid for. The response is not sent, and the attempt counts. */
  async #refuseBody(): Promise<SaleState> {
    respondSpent(this.#exchange, this.#paidRoute, OTHER_BODY);
    await this.#lease.record({ state: "settled", lease: false, delivered: false });
    return over("used");
  }

  /** There is no response to sell. */
  #broken(error: TurnpikeError): SaleEnd {
    this.#request.release();
    this.#release();
    // The client can go away while it gets the error.
    this.#state = over();
    if (this.#exchange.gone) return over("gone");
    this.#giveBack?.();
    if (error.code === "payment-conflict") {
      respondSpent(this.#exchange, this.#paidRoute, error);
      return over("used");
    }
    respondBroken(this.#exchange, error, this.#lease.paid === undefined ? "" : this.#receiptFields());
    return over("upstream");
  }

  #onGone(): void {
    const state = this.#state;
    if (state.at === "streaming") state.streamed.leave();
    if (state.at !== "holding") return;
    state.held.drop();
    this.#end(this.#leave());
  }

  /** The client has gone away before there is a response. */
  #leave(): SaleEnd {
    this.#release();
    return over("gone");
  }

  #release(): void {
    const spentOn = this.#state.at === "streaming" ? this.#request.spentOn : {};
    this.#inBackground(this.#lease.release(spentOn, !this.#exchange.started && this.#isReturnable));
  }

  /** Another request has the lease now. */
  #lose(): SaleState {
    respondLost(this.#exchange);
    return over("used");
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#fail(error));
  }

  /** The only handler for a failing ledger. The process must not end, and nothing is released. */
  async #fail(cause: unknown): Promise<void> {
    this.#paidRoute.log(`payment: the ledger failed on ${this.#paidRoute.route}: ${faultOf(cause)}`);
    const isReturned = !this.#exchange.started && this.#isReturnable;
    const spent = !isReturned && (mayBeSettled(this.#state) || this.#lease.paid !== undefined);
    if (this.#state.at !== "over") this.#end(over("overloaded"));
    if (!this.#exchange.started) respondUnwritten(this.#exchange, spent);
    await this.#lease.salvage(spent, isReturned);
  }
}

/** Gives the exchange its verified payer, for logs, usage and traces. */
function namePayer(exchange: Exchange, { from }: Payment): void {
  exchange.payer = from;
  if (exchange.consumer === "") exchange.consumer = from;
}

function beginOf({ state }: Payment): SaleState {
  if (state === "unknown") return { at: "unknown" };
  return state === "settled" ? { at: "owed" } : { at: "reserved" };
}
