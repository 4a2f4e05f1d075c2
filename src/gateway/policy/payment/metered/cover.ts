import { settlementNotice } from "../../../../payments/settlement/settlement-record.ts";
import { deferralOf, deferralText } from "../../../../payments/settlement/deferral.ts";
import { type Change, type Payment } from "../../../../store/ledger.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { type Lease } from "../sale/lease.ts";
import { chargeFor } from "./meter.ts";

/** Milliseconds after which a payment that is not used up is charged whole; at most a quarter of its channel's delay for withdrawals. */
export const MAX_COVER_MS = 600_000;

/** The parts of a payment that covers units of a response. */
export interface Covering {
  readonly paidRoute: Pick<PaidRoute, "clock" | "target">;
  readonly payment: Payment;
  readonly lease: Lease;
  readonly units: number;
  /** Milliseconds until the payment is charged whole. */
  readonly lastsMs: number;
  /** The transaction of the deposit that the payment brought, or empty. */
  readonly transaction: string;
  /** For the ledger: the request that the payment is spent on. */
  readonly spentOn: () => Pick<Change, "bodyDigest">;
}

/**
 * A payment that covers the next units of a response (decision 0822). Its charge is deferred: nothing is due until the first unit is
 * about to leave, then the whole amount, and at the end what was used. One that a dead process has opened is charged whole.
 *
 *   new ──▶ waiting, nothing is due ──▶ open, all is due ─┬─ used up, or the response has ended ─▶ settled, for what was used
 *                └── not needed ─▶ released                └─ after `lastsMs` ─▶ settled whole
 */
export class Cover {
  readonly payment: Payment;
  readonly #parts: Covering;
  /** The charge so far in the ledger. */
  #due: "nothing" | "all" | "charged";
  /** Another process has opened it: its units may have left. */
  readonly #wasOpen: boolean;
  #used = 0;
  #isClosed = false;
  /** Puts the time off at which the charge is recorded as nothing. */
  #waiting: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Covering) {
    this.#parts = parts;
    this.payment = parts.payment;
    const known = deferralOf(parts.payment)?.due ?? "0";
    this.#due = parts.lease.paid !== undefined ? "charged" : known === "0" ? "nothing" : "all";
    this.#wasOpen = this.#due !== "nothing";
  }

  /** The charge is recorded, so that units may leave. */
  get isOpen(): boolean {
    return this.#due !== "nothing";
  }

  /** Units that it still covers. */
  get room(): number {
    return this.#parts.units - this.#used;
  }

  use(units: number): void {
    this.#used += units;
  }

  /**
   * Records that the payment waits for its first unit. `isHere`: in this process, which keeps the lease. False: another request has
   * it. Rejects if the ledger fails.
   */
  async wait(isHere = true): Promise<boolean> {
    if (isHere) this.#later();
    return this.#due !== "nothing" || this.#defer("0", isHere);
  }

  /** Records the charge before its first unit leaves. Returns and rejects as `wait`. */
  async open(): Promise<boolean> {
    // Otherwise its write could come after this one.
    if (this.#waiting !== undefined) await this.#waiting;
    if (this.#isClosed) return false;
    if (this.#due === "nothing") {
      if (!(await this.#defer(this.payment.amount))) return false;
      this.#due = "all";
    }
    this.#later();
    return true;
  }

  /** Charges what was used. The rest is not taken from the channel. A payment of which nothing was used is released, or still owed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { lease, units } = this.#parts;
    const delivered = this.#used > 0 ? { delivered: true } : {};
    if (this.#due === "charged") {
      if (lease.paid !== undefined) await lease.record({ state: "settled", lease: false, ...delivered });
    } else if (this.#wasOpen) await this.#charge(this.payment.amount, delivered);
    else if (this.#used === 0) await this.#release();
    else await this.#charge(chargeFor(this.payment.amount, this.#used, units), delivered);
  }

  /** Insists: a charge that stays open is made whole later. */
  async #release(): Promise<void> {
    const { lease, spentOn } = this.#parts;
    await lease.release(spentOn(), { isReturned: true }).catch(() => lease.record({ state: "released", lease: false }));
  }

  #defer(due: string, isHere = true): Promise<boolean> {
    const { paidRoute, lease, lastsMs, spentOn } = this.#parts;
    const until = Math.floor((paidRoute.clock() + lastsMs) / 1000);
    const deferral = deferralText({ path: "", quote: this.payment.amount, due, until, failures: 0, isMetered: true });
    return lease.move({ state: "deferred", lease: isHere, deferral, dueInMs: lastsMs, ...spentOn() });
  }

  async #charge(amount: string, delivered: Pick<Change, "delivered">): Promise<void> {
    this.#due = "charged";
    const { paidRoute, lease, transaction, spentOn } = this.#parts;
    const payer = this.payment.from;
    const settled = { transaction, payer, amount, at: paidRoute.clock() };
    const notice = settlementNotice(paidRoute.target, this.payment, settled);
    const facts = { transaction, payer, amount, ...delivered, notice };
    await lease.record({ state: "settled", lease: false, dueInMs: "never", ...facts, ...spentOn() });
  }

  #later(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#due === "charged") return;
    this.#timer = setTimeout(() => void this.#expire(), this.#parts.lastsMs);
  }

  /** Records the charge before the lease expires, and before a payer that withdraws could take an open charge back. */
  async #expire(): Promise<void> {
    if (this.#due === "all") await this.#charge(this.payment.amount, { delivered: true });
    else {
      // A failure is found when the payment is opened.
      const waiting = this.#defer("0").catch(() => false);
      this.#waiting = waiting;
      if (await waiting) this.#later();
    }
  }
}
