import { faultOf } from "../../../../lib/caught.ts";
import {
  type Assignment,
  type Outcome,
  type Settlement,
  type Verification,
} from "../../../../payments/x402/facilitator.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { isForeign } from "../../../../payments/x402/networks.ts";
import { payerIn } from "../../../../payments/x402/payment-key.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { findDeposit } from "../../../../payments/channels/find-deposit.ts";
import { type AcceptedPayment, type DepositUse } from "../offer/offer.ts";
import { makeDeposit, verifyDeposit } from "./deposit.ts";
import { asSpan, type PaymentWork } from "./payment-span.ts";
import { type PaidRoute } from "../route/paid-route.ts";

type Asked = Pick<PaidRoute, "facilitator" | "log" | "clock" | "paymentIds">;

/** Milliseconds for which a transaction on an unknown network pays for one payment only: 10 years. @bound */
const SPENT_MS = 10 * 365 * 86_400_000;

const NAMES: Readonly<Record<PaymentWork, string>> = {
  "payment.verify": "verification",
  "payment.settle": "settlement",
  "payment.find": "lookup of a settlement",
};

const NO_JUDGEMENT: Verification = { kind: "failed", cause: "defect" };
const NOT_KNOWN: Settlement = { kind: "unknown", cause: "defect", transaction: "" };

/** The facilitators of a route, as one sale asks them. Prepaid credit needs none. Methods do not reject. */
export class SaleFacilitator {
  readonly #asked: Asked;
  readonly #exchange: Exchange;
  readonly #accepted: AcceptedPayment;
  readonly #payment: Payment;
  /** The name of the facilitator that verified the payment, and later of the one that is asked to settle it. */
  #name: string;

  /** `payment`: as the ledger has it. */
  constructor(asked: Asked, exchange: Exchange, accepted: AcceptedPayment, payment: Payment) {
    this.#asked = asked;
    this.#exchange = exchange;
    this.#accepted = accepted;
    this.#payment = payment;
    this.#name = payment.facilitator;
  }

  /** Asks whether the payment is valid. An exception counts as a failure, so the client gets nothing. */
  async verify(): Promise<Verification> {
    const { payload, requirements, prepaid, channel } = this.#accepted;
    if (channel?.deposit !== undefined) {
      const { deposit } = channel;
      return this.#ask<Verification>("payment.verify", () => verifyDeposit(this.#asked, deposit), NO_JUDGEMENT);
    }
    if (prepaid !== undefined) return { kind: "valid", payer: payerIn(payload) };
    const verification = await this.#ask<Verification>(
      "payment.verify",
      (facilitator) => facilitator.verify(payload, requirements),
      NO_JUDGEMENT,
    );
    if (verification.kind === "valid") this.#name = verification.by ?? "";
    return verification;
  }

  /** Selects the facilitator that settles. The ledger must have the result before `settle`. */
  assign(): string {
    const { payload, requirements } = this.#accepted;
    this.#name = this.#asked.facilitator.assign?.(payload, requirements, this.#name) ?? "";
    return this.#name;
  }

  /** Asks for the settlement. After an exception the outcome is unknown. */
  async settle(requirements: PaymentRequirements, to: Pick<Assignment, "reassign"> = {}): Promise<Settlement> {
    const { payload, prepaid, channel } = this.#accepted;
    if (channel?.deposit !== undefined) {
      const { deposit } = channel;
      return this.#ask<Settlement>("payment.settle", () => makeDeposit(this.#asked, channel, deposit), NOT_KNOWN);
    }
    // A charge of zero needs no transfer on a chain.
    if (prepaid !== undefined || requirements.amount === "0") {
      return { kind: "settled", transaction: "", payer: payerIn(payload) };
    }
    return this.#ask<Settlement>(
      "payment.settle",
      async (facilitator) =>
        await this.#once(await facilitator.settle(payload, requirements, { name: this.#name, ...to })),
      NOT_KNOWN,
    );
  }

  /** Looks up the outcome of the settlement that was asked for before. */
  async find(requirements: PaymentRequirements): Promise<Outcome> {
    if (requirements.amount === "0") return { kind: "unspent" };
    const { channel } = this.#accepted;
    if (channel?.deposit !== undefined) {
      const { deposit } = channel;
      return this.#ask<Outcome>("payment.find", () => this.#findDeposit(deposit), {
        kind: "unknown",
        cause: "defect",
      });
    }
    return this.#ask<Outcome>(
      "payment.find",
      (facilitator) => facilitator.find(this.#accepted.payload, requirements, this.#name),
      { kind: "unknown", cause: "defect" },
    );
  }

  /**
   * A settlement, unless its transaction is that of another payment. A sender can write a payment on an unknown network in
   * many ways, and chains execute it once but report success each time.
   */
  async #once(settlement: Settlement): Promise<Settlement> {
    const { network, nonce, createdAt } = this.#payment;
    if (settlement.kind !== "settled" || !isForeign(network)) return settlement;
    const { paymentIds, clock } = this.#asked;
    const id = { payer: network, id: `transaction:${settlement.transaction}` };
    // The same payment has a row of another time after the ledger has deleted the first one.
    const own = `${nonce} ${createdAt}`;
    const isOwn = (await paymentIds.tie(id, own, clock() + SPENT_MS)) === own;
    return isOwn ? settlement : { kind: "refused", reason: "duplicate_settlement" };
  }

  async #findDeposit({ payment, channels }: DepositUse): Promise<Outcome> {
    const { facilitator, clock } = this.#asked;
    return facilitator.channels === undefined
      ? { kind: "unknown", cause: "the facilitator knows no channels" }
      : findDeposit(facilitator.channels, payment, { channels, now: clock() });
  }

  async #ask<Answer extends { readonly kind: string }>(
    work: PaymentWork,
    ask: (facilitator: PaidRoute["facilitator"]) => Promise<Answer>,
    defect: Answer,
  ): Promise<Answer> {
    return asSpan(this.#exchange, work, async () => {
      try {
        return await ask(this.#asked.facilitator);
      } catch (error) {
        this.#asked.log(`payment: the ${NAMES[work]} failed unexpectedly: ${faultOf(error)}`);
        return defect;
      }
    });
  }
}
