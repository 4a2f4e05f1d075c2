import { type Payment } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type ClientFunnel } from "../../../telemetry/funnel.ts";
import { type AcceptedPayment } from "../offer/offer.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { type Lease } from "./lease.ts";
import { type RequestDigest } from "./request-digest.ts";

export interface HeldPayment {
  readonly paidRoute: PaidRoute;
  readonly exchange: Exchange;
  readonly accepted: AcceptedPayment;
  /** As it was when the request acquired the lease. */
  readonly payment: Payment;
  readonly lease: Lease;
  readonly request: RequestDigest;
  readonly client: ClientFunnel;
}

/** Gives the exchange its verified payer, for logs, usage and traces. */
export function namePayer(exchange: Exchange, { from, payer }: Payment): void {
  const name = from || payer;
  exchange.payer = name;
  if (exchange.consumer === "") exchange.consumer = name;
}
