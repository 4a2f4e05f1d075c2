import { faultOf } from "../../../lib/caught.ts";
import { type Ledger, type Payment } from "../../../store/ledger.ts";
import { type NewNotice } from "../../../store/outbox.ts";
import { type Refund, type RefundEnd, type Refunds } from "../../../store/refunds.ts";
import { type Facilitator } from "../../x402/facilitator.ts";
import { type RefundTransfer } from "./refund-transfer.ts";

/** Refunds that are worked on at the same time. @bound */
const AT_ONCE = 8;
/** Milliseconds until a refund is tried again. */
const RETRY_MS = 5000;
/** Seconds that a transfer must still be valid for when it is sent. */
const LEAST_VALID_S = 30;

const LATE = "it was not sent in time";
/** The ledger is from a backup: refunds of the payment were made after it. */
const MADE = "another refund of this number was made, which the ledger does not have";

export interface Way extends RefundTransfer {
  readonly facilitator: Facilitator;
  /** The facilitator is in this program: a refused transfer has not left it. */
  readonly isOwn: boolean;
}

/** Why a refund is not sent. `final`: not at all; otherwise not now. */
export interface Objection {
  readonly isFinal: boolean;
  readonly reason: string;
}

/** The seller by the configuration that is served now. */
export interface RefundSeller {
  /** Throws the reason why the refund cannot be signed or sent. */
  way(refund: Refund, payment: Payment): Way;
  /** Asked once, before the transfer leaves. */
  objection(payment: Payment): Promise<Objection | undefined>;
  /** The record of a refund; undefined if its route reports to no endpoint. */
  notice(refund: Refund, payment: Payment, transaction: string): NewNotice | undefined;
  close(): void;
}

export interface RefunderOptions {
  readonly refunds: Refunds;
  readonly ledger: Pick<Ledger, "find">;
  /** Opened for each round with work. */
  readonly open: () => Promise<RefundSeller>;
  readonly onEnd: (refund: Refund, payment: Payment, end: RefundEnd) => void;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
}

/**
 * Sends refunds. A refund is looked up on the chain first: it can have been interrupted, or made before the backup that the
 * ledger is from. A repeated refund is the same transfer. It fails only if its transfer has not left this program, or can no
 * longer be made.
 */
export class Refunder {
  readonly #options: RefunderOptions;

  constructor(options: RefunderOptions) {
    this.#options = options;
  }

  /** Works once on each refund that is due. Returns their number. Rejects if the store or the seller fails. */
  async round(): Promise<number> {
    const { refunds, open } = this.#options;
    const claimed = await refunds.claim(AT_ONCE);
    if (claimed.length === 0) return 0;
    const seller = await open();
    try {
      await Promise.all(claimed.map((refund) => this.#attempt(seller, refund)));
    } finally {
      seller.close();
    }
    return claimed.length;
  }

  async #attempt(seller: RefundSeller, refund: Refund): Promise<void> {
    const { ledger, log } = this.#options;
    try {
      const payment = await ledger.find(refund);
      if (payment !== undefined) await this.#send(seller, refund, payment);
    } catch (error) {
      log(`refund: an attempt failed unexpectedly: ${faultOf(error)}`);
    }
  }

  async #send(seller: RefundSeller, refund: Refund, payment: Payment): Promise<void> {
    const { refunds, clock } = this.#options;
    const give = (end: RefundEnd): Promise<void> => this.#end(refund, payment, end);
    const fail = (reason: string): Promise<void> => give({ state: "failed", transaction: "", reason });
    const wait = (reason: string): Promise<void> => refunds.postpone(refund, clock() + RETRY_MS, reason.slice(0, 200));
    const settle = (transaction: string): Promise<void> =>
      give({ state: "settled", transaction, reason: "", notice: seller.notice(refund, payment, transaction) });

    let way: Way;
    try {
      way = seller.way(refund, payment);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "it cannot be signed";
      return await (refund.sent ? wait(reason) : fail(reason));
    }
    const { facilitator, payment: transfer, requirements } = way;
    const isLate = refund.validBefore - clock() / 1000 < LEAST_VALID_S;
    const outcome = await facilitator.find(transfer, requirements);
    if (outcome.kind === "settled") return await settle(outcome.transaction);
    // The end of this refund would let a further one exceed the payment.
    if (!refund.sent && (refund.reason === MADE || (outcome.kind === "void" && !isLate))) return await wait(MADE);
    if (outcome.kind === "void") return await fail(refund.reason || LATE);
    if (outcome.kind === "unknown") return await wait(outcome.cause);
    if (isLate) return await (refund.sent ? wait : fail)(refund.reason || LATE);
    if (!refund.sent) {
      const objection = (await seller.objection(payment)) ?? (await refusal(way));
      if (objection !== undefined) return await (objection.isFinal ? fail : wait)(objection.reason);
      if (!(await refunds.sending(refund))) return;
    }
    const settlement = await facilitator.settle(transfer, requirements);
    if (settlement.kind === "settled" && way.isOwn) return await settle(settlement.transaction);
    // The signed transfer may have left this program, and is valid for a while. Then only the chain tells what happened.
    if (settlement.kind === "settled") return await wait("the chain does not show it yet");
    await wait(settlement.kind === "refused" ? settlement.reason : settlement.cause);
  }

  async #end(refund: Refund, payment: Payment, end: RefundEnd): Promise<void> {
    const { refunds, onEnd } = this.#options;
    if (await refunds.end(refund, end)) onEnd(refund, payment, end);
  }
}

/** Asks a facilitator of this program before the transfer leaves. Another one would have the signature then. */
async function refusal({ facilitator, isOwn, payment, requirements }: Way): Promise<Objection | undefined> {
  if (!isOwn) return undefined;
  const verification = await facilitator.verify(payment, requirements);
  if (verification.kind === "valid") return undefined;
  if (verification.kind === "refused") return { isFinal: true, reason: verification.reason };
  return { isFinal: false, reason: verification.cause };
}
