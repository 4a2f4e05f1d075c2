import { type Settlement } from "../../../../payments/x402/facilitator.ts";
import { settlementNotice } from "../../../../payments/settlement/settlement-record.ts";
import { type Change, type Payment, type PaymentState } from "../../../../store/ledger.ts";
import { ID_KEEP_MS } from "../protocol/payment-identifier.ts";
import { type Paid } from "../protocol/receipt.ts";
import { type PaidRoute } from "../route/paid-route.ts";

/** The interfaces that record a lease. */
type Books = Pick<PaidRoute, "ledger" | "lateWrites" | "paymentIds" | "target" | "clock" | "log" | "route">;

/**
 * The lease of one request on its payment: the state of the money, and how much of that is recorded. Methods reject if
 * the ledger fails, except `record` and `salvage`.
 */
export class Lease {
  readonly #paidRoute: Books;
  readonly #payment: Payment;
  readonly #id: string | undefined;
  /** The payer whose id it is. On an unknown network only the facilitator names the payer. */
  #owner: string;
  #state: PaymentState;
  #isDeferred: boolean;
  /** The lease was released or lost. */
  #isOver = false;
  #paid: Paid | undefined;
  /** The result of the settlement. It is recorded again if the first write failed. */
  #settled: Pick<Change, "transaction" | "payer" | "notice" | "amount" | "bodyDigest"> = {};
  /** The last change, if its write failed. */
  #unwritten: Change | undefined;

  /** `id`: the client's own id for the payment. */
  constructor(paidRoute: Books, payment: Payment, id: string | undefined) {
    this.#paidRoute = paidRoute;
    this.#payment = payment;
    this.#id = id;
    this.#owner = payment.from || payment.payer;
    this.#state = payment.state;
    this.#isDeferred = payment.state === "deferred";
    if (payment.state === "settled") this.#paid = payment;
  }

  /** The settled amount and transaction, for the receipt. */
  get paid(): Paid | undefined {
    return this.#paid;
  }

  /** The ledger has the payment as one that is charged later. */
  get isDeferred(): boolean {
    return this.#isDeferred;
  }

  /** The ledger has the payment as one whose money is being transferred. */
  get isSettling(): boolean {
    return this.#state === "settling";
  }

  /** Records the payment's state. False: another request has the lease, nothing was written, this one must stop. */
  async move(change: Change): Promise<boolean> {
    this.#unwritten = change;
    const moved = await this.#paidRoute.ledger.move(this.#payment, change);
    this.#unwritten = undefined;
    if (moved) {
      this.#state = change.state;
      this.#isDeferred = change.state === "deferred";
    } else if (!this.#isOver)
      this.#paidRoute.log(`payment: a lease on ${this.#paidRoute.route} was lost while it was ${this.#state}`);
    if (!moved || !change.lease) this.#isOver = true;
    return moved;
  }

  /**
   * The settlement succeeded. Recorded before the response is sent: until the delivery is recorded too, it is an
   * undelivered settlement. False: another request has the lease now; it looks up the settlement itself and delivers.
   * `spentOn`: the payment was not recorded as settling, with its amount and body.
   */
  async book(
    { transaction, payer }: Settlement & { kind: "settled" },
    amount: string,
    spentOn?: Pick<Change, "bodyDigest">,
  ): Promise<boolean> {
    const { target, clock } = this.#paidRoute;
    const { network, scheme, nonce } = this.#payment;
    this.#paid = { network, scheme, nonce, amount, transaction, payer };
    const notice = settlementNotice(target, this.#payment, { transaction, payer, amount, at: clock() });
    const facts = { transaction, payer, ...(spentOn === undefined ? {} : { amount, ...spentOn }) };
    this.#settled = { ...facts, notice };
    const moved = await this.move({ state: "settled", lease: true, ...this.#settled });
    this.#settled = facts;
    return moved;
  }

  /** As `move`, for facts: repeated until the ledger takes it. An unrecorded delivery would be a debt. */
  async record(change: Change): Promise<void> {
    const { ledger, lateWrites } = this.#paidRoute;
    await lateWrites.insist(this.#payment, async () => {
      const moved = await this.move(change);
      // The client has the response, although the lease has ended meanwhile.
      if (!moved && change.delivered === true) await ledger.deliver(this.#payment);
    });
  }

  /**
   * Releases the payment: it can be used again or, if it is settled, asked for again. `spentOn` is for the ledger.
   * `isReturned`: the amount goes back to its prepaid credit. `reason`: why a payment that can be used again was not taken.
   */
  async release(spentOn: Pick<Change, "bodyDigest">, { isReturned = false, reason = "" } = {}): Promise<void> {
    const isFree = this.#paid === undefined || isReturned;
    const unpaid = this.#isDeferred && !isReturned ? "deferred" : "released";
    const state = isFree ? unpaid : "settled";
    const moved = await this.move({ state, lease: false, ...spentOn, ...(state === "released" ? { reason } : {}) });
    // The id now belongs to the next request with the lease.
    if (state === "released" && moved) await this.untieId();
  }

  /** False: the id belongs to another payment. Bound after verification, which names `payer`, so that no payer takes another's id. */
  async tieId(payer: string): Promise<boolean> {
    if (this.#id === undefined) return true;
    const { from, fingerprint } = this.#payment;
    this.#owner = from || payer;
    const until = this.#paidRoute.clock() + ID_KEEP_MS;
    const id = { payer: this.#owner, id: this.#id };
    return (await this.#paidRoute.paymentIds.tie(id, fingerprint, until)) === fingerprint;
  }

  async untieId(): Promise<void> {
    const { fingerprint } = this.#payment;
    if (this.#id === undefined) return;
    await this.#paidRoute.paymentIds.untie({ payer: this.#owner, id: this.#id }, fingerprint);
  }

  /**
   * The ledger has failed: records the known state and ends the lease, as soon as the ledger takes it. `isSpent`: the
   * settlement may have happened, so nothing is released. `isReturned`: as in `release`.
   */
  async salvage(isSpent: boolean, isReturned = false): Promise<void> {
    const spent = this.#unwritten ?? { state: this.#state };
    const unpaid: Change = { ...(isSpent ? spent : { state: "released" }), lease: false };
    const paid: Change = { ...this.#settled, state: "settled", lease: false };
    const end = this.#paid === undefined || isReturned ? unpaid : paid;
    await this.record(end);
  }
}
