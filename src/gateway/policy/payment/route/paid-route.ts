import { type Facilitator } from "../../../../payments/x402/facilitator.ts";
import { type SettlementTarget } from "../../../../payments/settlement/settlement-record.ts";
import { type LateWrites } from "../../../../store/late-writes.ts";
import { type Credits } from "../../../../store/credits.ts";
import { type Ledger, type PaymentKey } from "../../../../store/ledger.ts";
import { type PaymentIds } from "../../../../store/payment-ids.ts";
import { type RouteFunnel } from "../../../telemetry/funnel.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type Policy } from "../../policy.ts";
import { type GiveBack } from "../../rate-limit/rate-limit.ts";
import { type ChannelDesk } from "../channels/desk/channel-desk.ts";
import { type PaymentFields, type ToldPayment } from "./payment-fields.ts";
import { type PaymentAuth } from "../mpp/payment-auth.ts";
import { type TermsSigner } from "../protocol/signed-terms.ts";
import { type Screening } from "../screening/screening.ts";
import { type ResponseStore } from "../responses/response-store.ts";
import { type SaleTerms } from "../challenge/create-requirements.ts";
import { type RouteRequirements } from "../challenge/route-requirements.ts";

/** Requests that are not charged. */
export interface Gift {
  /** Undefined: this request is charged. Call the result if the upstream fails: the request then does not count. */
  take(exchange: Exchange): GiveBack | undefined | Promise<GiveBack | undefined>;
}

export interface PaidRouteServices {
  readonly ledger: Ledger;
  /** One per process, as `responses`. */
  readonly lateWrites: LateWrites;
  readonly paymentIds: PaymentIds;
  readonly facilitator: Facilitator;
  /** One per process: it outlives the policies of a configuration. */
  readonly responses: ResponseStore;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
  /** True when the process stops. */
  readonly draining: () => boolean;
  readonly fields: PaymentFields;
  /** Counts how far requests come. */
  readonly funnel: RouteFunnel;
  readonly screening?: Pick<Screening, "listed" | "asked"> | undefined;
  /** Called with a payment before its request goes to the upstream. */
  readonly onPaid?: ((exchange: Exchange, payment: ToldPayment & PaymentKey) => void) | undefined;
  /** The prepaid balances; undefined if no credit is sold. */
  readonly credits?: Credits | undefined;
  /** The channels of clients; undefined if the route takes no payments from them. */
  readonly channels?: ChannelDesk | undefined;
  /** The upstream can be asked later what is due. */
  readonly mayDefer: boolean;
  /** Called when a payment was recorded that is charged later. */
  readonly onDeferred?: (() => void) | undefined;
  /** Limits the paid requests of each payer. */
  readonly limit?: Policy | undefined;
}

/** A paid route with the services that it uses. Created once and shared by all its requests. */
export interface PaidRoute extends PaidRouteServices, SaleTerms {
  readonly route: string;
  readonly accepts: RouteRequirements;
  /** The upstream is trusted to charge for failures, which are otherwise free. */
  readonly chargesFailures: boolean;
  /** False: no upstream of the route has servers, and payments are refused. */
  readonly isServed: boolean;
  /** True: a rule refuses the request. Only work that has begun for a payment is finished. */
  readonly isRefused: boolean;
  /** The requests whose form the upstream checks before the challenge. `posted`: all but a POST to this path, whose body is checked already. */
  readonly checksForm: "none" | "all" | { readonly posted: string };
  /** Requests with a valid payment that are not charged. */
  readonly gift?: Gift | undefined;
  /** Every payment must have an id from the client. */
  readonly requiresId: boolean;
  readonly target: SettlementTarget;
  readonly signer: TermsSigner | undefined;
  /** Issues challenges of the `Payment` scheme beside those of x402; undefined if it is off. */
  readonly auth: PaymentAuth | undefined;
}
