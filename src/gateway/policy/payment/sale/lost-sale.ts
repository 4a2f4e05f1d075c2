import { type TurnpikeError } from "../../../../lib/errors.ts";
import { type Verification } from "../../../../payments/x402/facilitator.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { type Change } from "../../../../store/ledger.ts";
import { type FunnelLoss } from "../../../telemetry/metrics/funnel-steps.ts";
import { lossOf } from "../route/loss.ts";
import { paymentError, respondError } from "../protocol/respond.ts";
import { refusalOf } from "../protocol/receipt.ts";
import {
  respondLost,
  respondPending,
  respondRefused,
  respondSpent,
  respondUnsettled,
  respondUnverified,
} from "../route/refusals.ts";
import { OTHER_BODY } from "./request-digest.ts";
import { type HeldPayment } from "./held-payment.ts";
import { over, type SaleEnd } from "./sale-state.ts";

/** Seconds after which a client can retry if its payer could not be screened. */
const SCREENING_RETRY_S = 5;

/** The ends of a sale without a response of the upstream: each tells the client, the ledger and the funnel. */
export class LostSale {
  readonly #held: HeldPayment;

  constructor(held: HeldPayment) {
    this.#held = held;
  }

  /** The payment is not valid, or no facilitator could verify it. `valid`: the client has gone away meanwhile. */
  async unverified(verification: Verification): Promise<SaleEnd> {
    const { exchange, lease, paidRoute } = this.#held;
    await lease.move({ state: "released", lease: false });
    if (verification.kind === "valid") return this.over("gone");
    if (verification.kind === "refused") {
      const { reason } = verification;
      return this.over(lossOf(reason), () => respondRefused(exchange, paidRoute, reason));
    }
    const { kind, cause } = verification;
    paidRoute.log(`payment: cannot verify on ${paidRoute.route} (facilitator ${kind}): ${cause}`);
    return this.over("facilitator", () => respondUnverified(exchange, kind));
  }

  /** The payer may not buy, or could not be screened. The caller releases the payment. */
  denied(denial: TurnpikeError): SaleEnd {
    const retryS = denial.status === 503 ? SCREENING_RETRY_S : undefined;
    return this.over("screening", () => respondError(this.#held.exchange, denial, retryS));
  }

  /** The id of the payment is another payment's. The caller releases the payment. */
  idTaken(): SaleEnd {
    const detail = "The id of this payment belongs to another payment. Use another id for another request.";
    return this.spent(paymentError("payment-conflict", detail));
  }

  /** The result of the settlement is unknown. `spentOn`: the request that the payment is spent on, if it is not recorded yet. */
  async pending(cause: string, transaction: string, spentOn: Pick<Change, "bodyDigest"> = {}): Promise<SaleEnd> {
    const { exchange, lease, paidRoute } = this.#held;
    paidRoute.log(`payment: settlement on ${paidRoute.route} is open: ${cause}`);
    const end = this.over("unknown", () => respondPending(exchange));
    await lease.move({ state: "unknown", lease: false, ...(transaction === "" ? {} : { transaction }), ...spentOn });
    return end;
  }

  /** The settlement certainly did not happen: the payment is finished, and the client can make another payment. */
  async unsettled(reason: Reason): Promise<SaleEnd> {
    const { accepted, exchange, lease, paidRoute, payment } = this.#held;
    if (!(await lease.move({ state: "failed", lease: false, reason }))) return this.taken();
    const refused = { receipt: refusalOf(payment, reason), form: accepted };
    const end = this.over(lossOf(reason), () => respondUnsettled(exchange, paidRoute, refused));
    await lease.untieId();
    return end;
  }

  /** The upstream worked for a different body than was paid for. The response is not sent, and the attempt counts. */
  async otherBody(): Promise<SaleEnd> {
    const end = this.spent(OTHER_BODY);
    const { lease } = this.#held;
    await lease.record({ state: lease.isDeferred ? "deferred" : "settled", lease: false, delivered: false });
    return end;
  }

  /** Another request has the lease now. */
  taken(): SaleEnd {
    return this.over("used", () => respondLost(this.#held.exchange));
  }

  /** The payment is spent on another request. */
  spent(error: TurnpikeError): SaleEnd {
    return this.over("used", () => respondSpent(this.#held.exchange, this.#held.paidRoute, error));
  }

  /** Names the loss before the response, whose end writes the log line. */
  over(loss: FunnelLoss, respond?: () => void): SaleEnd {
    this.#held.exchange.loss = loss;
    respond?.();
    return over(loss);
  }
}
