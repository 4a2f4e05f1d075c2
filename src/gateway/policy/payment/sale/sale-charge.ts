import { fromStored } from "../../../../payments/settlement/stored-payment.ts";
import { voidReason } from "../../../../payments/settlement/void-reason.ts";
import { type Settlement } from "../../../../payments/x402/facilitator.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { deferralChange, isForWork } from "./deferred-charge.ts";
import { type SaleParts } from "./sale-parts.ts";
import { type Charge, type SaleState, type SoldResponse } from "./sale-state.ts";

/** The response is not stored, so its delivery waits for nothing. */
export const NOT_KEPT = Promise.resolve();

const UNMADE: Reason = "invalid_batch_settlement_evm_payload_authorization_valid_before";

/** The steps of a sale that make its charge, record that it is made later, or find its outcome. */
export class SaleCharge {
  readonly #parts: SaleParts;

  constructor(parts: SaleParts) {
    this.#parts = parts;
  }

  /**
   * Records that the charge is made later, before the client has the response. Until then the upstream does not begin. `until`:
   * Unix seconds at which the charge ends.
   */
  async defer({ sold, path }: SaleState & { at: "deferring" }, until: number): Promise<SaleState> {
    if (this.#parts.held.exchange.gone) return this.#parts.leave();
    const { accepted, lease } = this.#parts.held;
    const isNew = !lease.isDeferred;
    const change = {
      ...deferralChange(this.#parts.held.payment, { path, until }),
      ...(isNew ? { facilitator: this.#parts.facilitator.assign() } : {}),
      ...this.#parts.held.request.spentOn,
    };
    if (isNew && accepted.channel?.deposit !== undefined) {
      if (!(await lease.move({ state: "settling", lease: true, ...change }))) return this.#parts.lost.taken();
      const made = await this.#parts.facilitator.settle(accepted.requirements);
      if (made.kind === "refused") return this.#parts.lost.unsettled(made.reason);
      if (made.kind === "unknown") return this.#parts.lost.pending(made.cause, made.transaction);
    }
    if (!(await lease.move({ state: "deferred", lease: true, ...change }))) return this.#parts.lost.taken();
    if (isNew) this.#parts.held.client.count("settled");
    return deliverNew(this.#parts.held.exchange, sold, this.#parts.delivery.keep(sold.response));
  }

  /** Records the charge before it is made. */
  async charge({ amount, sold }: Charge): Promise<SaleState> {
    if (this.#parts.held.accepted.prepaid === undefined) {
      const assigned = { amount, facilitator: this.#parts.facilitator.assign(), ...this.#parts.held.request.spentOn };
      if (!(await this.#parts.held.lease.move({ state: "settling", lease: true, ...assigned })))
        return this.#parts.lost.taken();
    }
    if (!this.#parts.held.exchange.gone) return { at: "settling", amount, sold };
    return this.#parts.leave();
  }

  async settle({ amount, sold }: Charge): Promise<SaleState> {
    const settlement = await this.#parts.facilitator.settle(
      { ...this.#parts.held.accepted.requirements, amount },
      { reassign: (facilitator) => this.#parts.held.lease.move({ state: "settling", lease: true, facilitator }) },
    );
    if (settlement.kind === "refused") return this.#parts.lost.unsettled(settlement.reason);
    const kept = sold === undefined ? NOT_KEPT : this.#parts.delivery.keep(sold.response);
    if (settlement.kind === "unknown") {
      await kept;
      return this.#parts.lost.pending(settlement.cause, settlement.transaction);
    }
    if (!(await this.#book(settlement, amount))) return this.#parts.lost.taken();
    return sold === undefined ? { at: "owed" } : deliverNew(this.#parts.held.exchange, sold, kept);
  }

  async #book(settlement: Settlement & { kind: "settled" }, amount: string): Promise<boolean> {
    const { prepaid } = this.#parts.held.accepted;
    const booked = await this.#parts.held.lease.book(settlement, amount, prepaid && this.#parts.held.request.spentOn);
    if (booked) this.#parts.held.client.count("settled");
    return booked;
  }

  /** Looks up the result of an earlier settlement, and repeats the same settlement if it did not happen. */
  async find(): Promise<SaleState> {
    const { accepted, client, lease, payment } = this.#parts.held;
    const { amount } = payment;
    const requirements = fromStored(payment)?.requirements ?? {
      ...accepted.requirements,
      amount,
    };
    const outcome = await this.#parts.facilitator.find(requirements);
    if (outcome.kind === "void") {
      const isInTime = payment.validBefore > this.#parts.held.paidRoute.clock() / 1000;
      const { payload, channel } = accepted;
      return this.#parts.lost.unsettled(channel === undefined ? voidReason(payload, isInTime) : UNMADE);
    }
    const settlement = outcome.kind === "settled" ? outcome : await this.#parts.facilitator.settle(requirements);
    if (settlement.kind === "settled" && accepted.channel !== undefined && isForWork(payment)) {
      // The deposit is made. Its work is charged as far as it goes.
      if (!(await lease.move({ state: "deferred", lease: true }))) return this.#parts.lost.taken();
      client.count("settled");
      return { at: "owed" };
    }
    if (settlement.kind === "settled") {
      return (await this.#book(settlement, amount)) ? { at: "owed" } : this.#parts.lost.taken();
    }
    // A rejection now can be a consequence of the first settlement's success: the nonce is spent, or the balance is
    // gone. So it proves nothing.
    return this.#parts.lost.pending(settlement.kind === "unknown" ? settlement.cause : settlement.reason, "");
  }
}

/** The next step delivers a new response. */
export function deliverNew(
  exchange: Pick<Exchange, "addedFields">,
  { response, addedFields }: SoldResponse,
  kept: Promise<void>,
): SaleState {
  exchange.addedFields = addedFields;
  return { at: "delivering", response, isNew: true, kept };
}
