import { faultOf } from "../../../../lib/caught.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields } from "../../../../lib/http/fields.ts";
import { isChargedFailure, isFreeOfCharge, parseCharge } from "../../../../payments/x402/charge.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type ClientFunnel } from "../../../telemetry/funnel.ts";
import { type FunnelLoss } from "../../../telemetry/metrics/funnel-steps.ts";
import { type Decision } from "../../policy.ts";
import { type GiveBack } from "../../rate-limit/rate-limit.ts";
import { chargePath, deferrableUntil, isForWork } from "./deferred-charge.ts";
import { namePayer } from "./held-payment.ts";
import { Lease } from "./lease.ts";
import { type AcceptedPayment } from "../offer/offer.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { respondBroken, respondUnwritten } from "../route/refusals.ts";
import { RequestDigest } from "./request-digest.ts";
import { paymentError } from "../protocol/respond.ts";
import { BufferedResponse } from "../responses/buffered-response.ts";
import { keptResponse } from "./kept-response.ts";
import { type PaidResponse } from "../responses/response-store.ts";
import { LostSale } from "./lost-sale.ts";
import { deliverNew, NOT_KEPT, SaleCharge } from "./sale-charge.ts";
import { SaleDelivery } from "./sale-delivery.ts";
import { SaleFacilitator } from "./sale-facilitator.ts";
import { type MeteredSale, type SaleParts } from "./sale-parts.ts";
import { StreamedResponse } from "../responses/streamed-response.ts";
import {
  beginOf,
  type Claims,
  mayBeSettled,
  over,
  type SaleEnd,
  type SaleState,
  type SaleStep,
  type SoldResponse,
} from "./sale-state.ts";

/** Characters of a charge that the log shows. */
const MAX_SHOWN = 100;

/** One request that holds its payment in the ledger. A method that returns a state is a step of `SaleState`. */
export class Sale {
  readonly #paidRoute: PaidRoute;
  readonly #exchange: Exchange;
  readonly #accepted: AcceptedPayment;
  readonly #payment: Payment;
  readonly #request: RequestDigest;
  readonly #lease: Lease;
  readonly #client: ClientFunnel;
  readonly #charges: SaleCharge;
  readonly #parts: SaleParts;
  /** Defined if the payer has a free request. The payment is then not settled. */
  #giveBack: GiveBack | undefined;
  /** Unix seconds until which the charge may be made later, according to the upstream. */
  #deferrableUntil: number | undefined;
  #state: SaleState;
  #metered: MeteredSale | undefined;

  constructor(paidRoute: PaidRoute, exchange: Exchange, accepted: AcceptedPayment, payment: Payment) {
    this.#paidRoute = paidRoute;
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#payment = payment;
    const request = new RequestDigest(exchange, payment.bodyDigest);
    const lease = new Lease(paidRoute, payment, accepted.id);
    const client = paidRoute.funnel.of(exchange.head);
    const held = { paidRoute, exchange, accepted, payment, request, lease, client };
    this.#request = request;
    this.#lease = lease;
    this.#client = client;
    this.#parts = {
      held,
      delivery: new SaleDelivery(held),
      facilitator: new SaleFacilitator(paidRoute, exchange, accepted, payment),
      lost: new LostSale(held),
      isFree: (status, overrides) => this.#isFree(status, overrides),
      leave: () => this.#leave(),
      end: (end) => this.#end(end),
    };
    this.#charges = new SaleCharge(this.#parts);
    this.#state = beginOf(payment);
    if (payment.state !== "reserved") namePayer(exchange, payment);
    exchange.onGone = () => this.#onGone();
  }

  /** Resolves when the client has a response, or when the upstream is to work. `metered`: the response is paid for as it flows. */
  async run(metered?: MeteredSale): Promise<Decision> {
    this.#metered = metered;
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
    const { end } = state;
    if (end === "free") this.#client.count(end);
    else if (end !== undefined) this.#client.lose(this.#exchange, end);
  }

  async #step(state: SaleStep): Promise<SaleState> {
    switch (state.at) {
      case "reserved":
        return this.#verify();
      case "verified":
        return this.#begin();
      case "unknown":
        return this.#charges.find();
      case "priced":
        return this.#charges.charge(state);
      case "settling":
        return this.#charges.settle(state);
      case "owed":
        return this.#deliverOwed();
      case "complete":
        return this.#price(state.sold, state.claims);
      case "deferring":
        return this.#charges.defer(state, this.#deferrableUntil ?? 0);
      case "delivering":
      default:
        return this.#deliver(state);
    }
  }

  async #verify(): Promise<SaleState> {
    const { screening } = this.#paidRoute;
    const listed = screening?.listed(this.#payment);
    if (listed !== undefined) return this.#deny(listed);
    const verification = await this.#parts.facilitator.verify();
    if (verification.kind !== "valid" || this.#exchange.gone) return this.#parts.lost.unverified(verification);
    const { payer } = verification;
    // Of an unknown network, only the facilitator knows who pays.
    const from = this.#payment.from || payer;
    const late = this.#payment.from === "" ? screening?.listed({ ...this.#payment, from }) : undefined;
    // The service is not asked about addresses that anyone can invent.
    const denial = late ?? (await screening?.asked({ ...this.#payment, from }));
    return denial === undefined ? this.#admit(payer) : this.#deny(denial);
  }

  #deny(denial: TurnpikeError): SaleState {
    this.#release("screening");
    return this.#parts.lost.denied(denial);
  }

  async #admit(payer: string): Promise<SaleState> {
    const { prepaid } = this.#accepted;
    // A reservation has taken the amount from the credit already.
    if (!prepaid && !(await this.#lease.move({ state: "verified", lease: true, payer })))
      return this.#parts.lost.taken();
    if (await this.#lease.tieId(payer)) {
      namePayer(this.#exchange, { ...this.#payment, payer });
      this.#client.count("verified");
      return { at: "verified" };
    }
    this.#release("used");
    return this.#parts.lost.idTaken();
  }

  /** Limits the payer's requests before there is work or a charge. */
  async #begin(): Promise<SaleState> {
    const { limit, settle, gift } = this.#paidRoute;
    // The limit itself responds.
    this.#exchange.loss = "limited";
    if ((await limit?.request(this.#exchange)) === "responded") {
      this.#release("limited");
      return over("limited");
    }
    this.#exchange.loss = undefined;
    this.#giveBack = await gift?.take(this.#exchange);
    if (this.#metered !== undefined) return this.#metered(this.#parts);
    return settle === "after"
      ? this.#hold()
      : { at: "priced", amount: this.#accepted.requirements.amount, sold: undefined };
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
        receipt: this.#parts.delivery.owedFields(),
      },
      {
        complete: (response) => this.#inBackground(this.#completed(response, addedFields, held)),
        unpaid: (failure) => {
          if (failure === "server") this.#giveBack?.();
          const end = failure === "none" ? "free" : "upstream";
          this.#release(end);
          this.#end(over(end));
        },
        broken: (error) => this.#end(this.#broken(error)),
      },
    );
    this.#request.watch();
    if (this.#giveBack === undefined && (this.#lease.paid === undefined || this.#isChargedLater)) {
      this.#deferrableUntil = deferrableUntil(this.#paidRoute, this.#accepted, this.#payment);
    }
    this.#parts.delivery.tellUpstream(this.#deferrableUntil);
    return { at: "holding", held };
  }

  /** `addedFields`: those of the exchange before the upstream worked. Only they are in a refusal. */
  async #completed(
    response: PaidResponse,
    addedFields: Fields,
    { overrides, deferral }: BufferedResponse,
  ): Promise<void> {
    const sold = { response, addedFields: this.#exchange.addedFields };
    this.#exchange.addedFields = addedFields;
    try {
      await this.#advance({ at: "complete", sold, claims: { overrides, deferral } });
    } finally {
      this.#paidRoute.responses.release(response);
    }
  }

  async #price(sold: SoldResponse, { overrides, deferral }: Claims): Promise<SaleState> {
    const { isDeferred } = this.#lease;
    const isPaid = this.#lease.paid !== undefined;
    if ((isPaid || isDeferred) && !this.#request.fits) return this.#parts.lost.otherBody();
    const path = this.#deferrableUntil === undefined ? undefined : chargePath(deferral);
    // Without a path it is other work than was charged.
    if (path === "" || (path === undefined && (isDeferred || (isPaid && this.#isChargedLater)))) {
      return this.#broken(paymentError("upstream-failed", "The upstream's later charge for this request is invalid"));
    }
    if (isPaid) return deliverNew(this.#exchange, sold, this.#parts.delivery.keep(sold.response));
    if (path !== undefined) return { at: "deferring", sold, path };
    const { requirements } = this.#accepted;
    const amount = requirements.scheme === "exact" ? requirements.amount : parseCharge(overrides, requirements);
    if (amount !== undefined) return { at: "priced", amount, sold };
    const said = overrides.join(", ").slice(0, MAX_SHOWN);
    this.#paidRoute.log(
      `payment: the upstream of ${this.#paidRoute.route} asks for a charge that is not valid, or above the price of ${requirements.amount} atomic units: Settlement-Overrides: ${said}`,
    );
    return this.#broken(paymentError("upstream-failed", "The upstream's charge for this request is invalid"));
  }

  /** The kept response, or a new one of the upstream. */
  async #deliverOwed(): Promise<SaleState> {
    if (this.#metered !== undefined) return this.#metered(this.#parts);
    const response = await keptResponse(this.#paidRoute, this.#payment.fingerprint, this.#request);
    if (response instanceof TurnpikeError) return this.#broken(response);
    if (response === undefined) {
      return this.#paidRoute.settle === "before" && !this.#isChargedLater ? this.#stream() : this.#hold();
    }
    try {
      // It may have been requested over another protocol before.
      const reason = this.#exchange.whyNotCarried?.(response.head);
      if (reason !== undefined) return this.#broken(reason);
      return await this.#deliver({ at: "delivering", response, isNew: false, kept: NOT_KEPT });
    } finally {
      this.#paidRoute.responses.release(response);
    }
  }

  /** Sends the request to the upstream for a settled payment. The response goes to the client as it arrives. */
  async #stream(): Promise<SaleState> {
    const request = this.#request;
    const bodyError = await request.gather(this.#paidRoute.responses);
    if (bodyError !== undefined) return this.#broken(bodyError);
    if (!request.mustRead) request.watch(() => this.#inBackground(this.#parts.delivery.recordBody()));
    // Recorded before the upstream works: a client that disconnects, or outlives the lease, counts as served.
    if (!(await this.#lease.move({ state: "settled", lease: true, delivered: false, ...request.spentOn }))) {
      return this.#parts.lost.taken();
    }
    if (this.#exchange.gone) return this.#leave();
    let isFree = false;
    const streamed = new StreamedResponse(this.#exchange, this.#parts.delivery.receiptFields(), {
      over: (delivered, partial) => {
        this.#inBackground(this.#parts.delivery.recordStreamed({ delivered, partial, isFree }));
        this.#end(over());
      },
      broken: (error) => this.#end(this.#broken(error)),
      isFree: (status, overrides) => (isFree = this.#isFree(status, overrides)),
    });
    this.#parts.delivery.tellUpstream();
    return { at: "streaming", streamed };
  }

  async #deliver(state: SaleState & { at: "delivering" }): Promise<SaleState> {
    const { recorded } = await this.#parts.delivery.send(state);
    const { onDeferred } = this.#paidRoute;
    this.#inBackground(this.#lease.isDeferred ? recorded.then(onDeferred) : recorded);
    return over();
  }

  /** The payment pays for work that was, or is, charged as far as it went. */
  get #isChargedLater(): boolean {
    return isForWork(this.#payment);
  }

  /** Whether a response with this status and these Settlement-Overrides fields is free. */
  #isFree(status: number, overrides: readonly string[]): boolean {
    const { requirements } = this.#accepted;
    if (this.#giveBack !== undefined) return true;
    if (status < 400) return isFreeOfCharge(overrides, requirements);
    return !(this.#paidRoute.chargesFailures && isChargedFailure(overrides, requirements));
  }

  #broken(error: TurnpikeError): SaleEnd {
    this.#request.release();
    const isSpent = error.code === "payment-conflict";
    if (this.#exchange.gone) return this.#leave();
    this.#release(isSpent ? "used" : "upstream");
    // The client can go away while it gets the error.
    this.#state = over();
    this.#giveBack?.();
    if (isSpent) return this.#parts.lost.spent(error);
    return this.#parts.lost.over("upstream", () =>
      respondBroken(this.#exchange, error, this.#parts.delivery.owedFields()),
    );
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
    this.#release("gone");
    return over("gone");
  }

  /** `reason`: why the payment was not taken, if it was not. */
  #release(reason: FunnelLoss | "free"): void {
    const spentOn = this.#state.at === "streaming" ? this.#request.spentOn : {};
    const isReturned = !this.#exchange.started && this.#parts.delivery.isReturnable;
    this.#inBackground(this.#lease.release(spentOn, { isReturned, reason }));
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#fail(error));
  }

  /** The only handler for a failing ledger. The process must not end, and nothing is released. */
  async #fail(cause: unknown): Promise<void> {
    this.#paidRoute.log(`payment: the ledger failed on ${this.#paidRoute.route}: ${faultOf(cause)}`);
    const isReturned = !this.#exchange.started && this.#parts.delivery.isReturnable;
    const { isDeferred, isSettling, paid } = this.#lease;
    const spent = !isReturned && (mayBeSettled(this.#state) || paid !== undefined || isDeferred || isSettling);
    if (this.#state.at !== "over") this.#end(over("overloaded"));
    if (!this.#exchange.started) respondUnwritten(this.#exchange, spent);
    await this.#lease.salvage(spent, isReturned);
  }
}
