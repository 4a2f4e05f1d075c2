import { type Settlement } from "../../../payments/facilitator/facilitator.ts";
import { settlementNotice } from "../../../payments/settlement/settlement-record.ts";
import { type Change, type Payment, type PaymentState } from "../../../store/ledger.ts";
import { ID_KEEP_MS } from "./identifier.ts";
import { type Paid } from "./receipt.ts";
import { type Sale } from "./sale.ts";

/** What a hold is written down with. */
type Books = Pick<Sale, "ledger" | "paymentIds" | "target" | "clock" | "log" | "route">;

/**
 * The hold that one request has on its payment: what it knows of the money, and what of that is written down. A ledger that
 * fails rejects, but for `salvage`.
 */
export class Hold {
  readonly #sale: Books;
  readonly #payment: Payment;
  readonly #id: string | undefined;
  #state: PaymentState;
  /** It was given back, or lost. */
  #isOver = false;
  #paid: Paid | undefined;
  /** What is known of the money, to be written down once more where that failed. */
  #settled: Pick<Change, "transaction" | "payer" | "notice"> = {};

  /** `id` is the client's own name for the payment. */
  constructor(sale: Books, payment: Payment, id: string | undefined) {
    this.#sale = sale;
    this.#payment = payment;
    this.#id = id;
    this.#state = payment.state;
    if (payment.state === "settled") this.#paid = payment;
  }

  /** What is paid already, for the receipt. */
  get paid(): Paid | undefined {
    return this.#paid;
  }

  /** Writes down where the payment is. False: another request has it by now, nothing was written, and this one must not act. */
  async move(change: Change): Promise<boolean> {
    const moved = await this.#sale.ledger.move(this.#payment, change);
    if (moved) this.#state = change.state;
    else if (!this.#isOver)
      this.#sale.log(`payment: a hold on ${this.#sale.route} was lost while it was ${this.#state}`);
    if (!moved || !change.hold) this.#isOver = true;
    return moved;
  }

  /**
   * The money has moved. Written before the answer goes out: until its delivery is written too, it is a debt. False: another request
   * has the payment by now, which looks for the settlement itself and delivers.
   */
  async book({ transaction, payer }: Settlement & { kind: "settled" }, amount: string): Promise<boolean> {
    const { target, clock } = this.#sale;
    const { network, scheme } = this.#payment;
    this.#paid = { network, scheme, amount, transaction, payer };
    const notice = settlementNotice(target, this.#payment, { transaction, payer, amount, at: clock() });
    this.#settled = { transaction, payer, ...(notice === undefined ? {} : { notice }) };
    const moved = await this.move({ state: "settled", hold: true, ...this.#settled });
    this.#settled = { transaction, payer };
    return moved;
  }

  /** Lets go of the payment: it may be used again, or, where it is paid already, be asked for again. `spentOn` is for the ledger. */
  async release(spentOn: Pick<Change, "bodyDigest">): Promise<void> {
    const isFree = this.#paid === undefined;
    const moved = await this.move({ state: isFree ? "released" : "settled", hold: false, ...spentOn });
    // The id is the next holder's by now.
    if (isFree && moved) await this.untieId();
  }

  /** False: the id stands for another payment. Only of a good payment is it sure whose id it is: nobody can take another's. */
  async tieId(): Promise<boolean> {
    if (this.#id === undefined) return true;
    const { from, fingerprint } = this.#payment;
    const until = this.#sale.clock() + ID_KEEP_MS;
    return (await this.#sale.paymentIds.tie({ payer: from, id: this.#id }, fingerprint, until)) === fingerprint;
  }

  async untieId(): Promise<void> {
    const { from, fingerprint } = this.#payment;
    if (this.#id !== undefined) await this.#sale.paymentIds.untie({ payer: from, id: this.#id }, fingerprint);
  }

  /** The ledger has failed: tells it once more what is known. `isSpent`: money may have moved, and then nothing is released. */
  async salvage(isSpent: boolean): Promise<void> {
    const { transaction, payer } = this.#settled;
    const known = payer === undefined || transaction === undefined ? {} : { transaction, payer };
    const end: Change = { state: isSpent ? this.#state : "released", hold: false, ...known };
    const paid: Change = this.#paid === undefined ? end : { ...end, ...this.#settled, state: "settled" };
    // Where all of this fails as well, the hold runs out by itself.
    await this.move(paid)
      .catch(() => this.move(end))
      .catch(() => false);
  }
}
