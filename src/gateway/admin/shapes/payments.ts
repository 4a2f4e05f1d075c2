import {
  array,
  boolean,
  discriminatedUnion,
  literal,
  number,
  object,
  oneOf,
  type Output,
  string,
} from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";

/** A token and its amount in atomic units. Symbol and decimals are absent if the gateway does not know the token. */
const sold = {
  network: string(),
  asset: string(),
  decimals: number().optional(),
  symbol: string().optional(),
  amount: string(),
};
const soldOnDay = object({
  day: string().describe("In UTC, as 2026-11-22"),
  route: string(),
  ...sold,
  payments: number(),
});
const recentPayment = object({
  id: string().describe("Its nonce"),
  route: string(),
  state: string(),
  delivered: boolean(),
  ...sold,
  due: string().optional().describe("What a deferred payment owes so far; its amount is the most"),
  refunded: string().describe("Atomic units that were refunded, or are reserved for refunds"),
  payer: string(),
  transaction: string(),
  time_ms: number().describe("Of the first request with the payment"),
}).openapi("Payment", { description: "A payment without its signature" });

export const refund = object({
  id: string(),
  sequence: number().describe("Its number among the refunds of its payment"),
  payment: string().describe("The payment's nonce"),
  state: oneOf(["pending", "settled", "recorded", "failed"]),
  amount: string().describe("Atomic units"),
  decimals: number().optional(),
  symbol: string().optional(),
  transaction: string(),
  reason: string().describe("Why it is still pending, or has failed"),
  by: string(),
  time_ms: number(),
  changed_ms: number(),
}).openapi("Refund");

const paymentDetail = recentPayment
  .extend({
    explorer: string().optional().describe("Page of the transaction in the network's block explorer"),
    scheme: string(),
    contract: string().describe("The contract that records the nonce as spent"),
    consumer: string(),
    pay_to: string(),
    reason: string().describe("Code of the failure or release, or empty"),
    valid_before_s: number().describe("Unix seconds; the payment cannot be used later"),
    attempts: number().describe("Requests that have worked on the payment"),
    cuts: number().describe("Responses that were started, but not sent completely"),
    repeats: number().describe("Times that the response was sent again"),
    updated_ms: number(),
    refunds: array(refund),
  })
  .openapi("PaymentDetail");

/** The response of `GET /v1/payments/{id}`. Payers choose nonces, so several payments can have the same one. */
export const foundPayments = object({ payments: array(paymentDetail) });

/** The response of `GET /v1/payments/search`, newest first. */
export const paymentPage = object({
  payments: array(recentPayment),
  next: string().optional().describe("For `before`, if there may be more payments"),
  searched_to_ms: number()
    .optional()
    .describe("The time that the search has reached, if it took too long for all payments"),
});

/** The response of `GET /v1/payments/payers`. */
export const topPayers = object({
  since_ms: number().describe("The start of the range; later if the ledger has too many payments"),
  payers: array(object({ payer: string(), ...sold, payments: number() })).describe(
    "Of each token the payers with the largest amounts, largest first",
  ),
});

/** The response of `GET /v1/payments`: sales and unfinished payments, or the reason why the ledger cannot be read. */
export const payments = discriminatedUnion("available", [
  object({ available: literal(false), reason: string() }),
  object({
    available: literal(true),
    days: array(soldOnDay),
    open: number().describe("Payments with an unknown outcome: money may have moved"),
    unknown: number().describe("Those that the facilitator could not resolve"),
    deferred: number().describe("Payments whose charge is made later"),
    owed: number().describe("Settled payments whose responses were not delivered completely"),
    oldest_open_ms: number().optional(),
    recent: array(recentPayment),
  }),
]).openapi("Payments");

export type PaymentSummary = DeepReadonly<Output<typeof payments>>;
export type SoldOnDay = DeepReadonly<Output<typeof soldOnDay>>;
export type RecentPayment = DeepReadonly<Output<typeof recentPayment>>;
/** The same, with everything that the ledger knows of it. */
export type PaymentDetail = DeepReadonly<Output<typeof paymentDetail>>;
export type PaymentPage = DeepReadonly<Output<typeof paymentPage>>;
export type TopPayers = DeepReadonly<Output<typeof topPayers>>;
export type ShownRefund = DeepReadonly<Output<typeof refund>>;
