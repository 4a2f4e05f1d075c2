import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";

/** A token and its amount in atomic units. Symbol and decimals are absent if the gateway does not know the token. */
const sold = {
  network: z.string(),
  asset: z.string(),
  decimals: z.number().optional(),
  symbol: z.string().optional(),
  amount: z.string(),
};
const soldOnDay = z.object({
  day: z.string().describe("In UTC, as 2026-11-22"),
  route: z.string(),
  ...sold,
  payments: z.number(),
});
const recentPayment = z
  .object({
    id: z.string().describe("Its nonce"),
    route: z.string(),
    state: z.string(),
    delivered: z.boolean(),
    ...sold,
    due: z.string().optional().describe("What a deferred payment owes so far; its amount is the most"),
    refunded: z.string().describe("Atomic units that were refunded, or are reserved for refunds"),
    payer: z.string(),
    transaction: z.string(),
    time_ms: z.number().describe("Of the first request with the payment"),
  })
  .openapi("Payment", { description: "A payment without its signature" });

export const refund = z
  .object({
    id: z.string(),
    sequence: z.number().describe("Its number among the refunds of its payment"),
    payment: z.string().describe("The payment's nonce"),
    state: z.enum(["pending", "settled", "recorded", "failed"]),
    amount: z.string().describe("Atomic units"),
    decimals: z.number().optional(),
    symbol: z.string().optional(),
    transaction: z.string(),
    reason: z.string().describe("Why it is still pending, or has failed"),
    by: z.string(),
    time_ms: z.number(),
    changed_ms: z.number(),
  })
  .openapi("Refund");

const paymentDetail = recentPayment
  .extend({
    explorer: z.string().optional().describe("Page of the transaction in the network's block explorer"),
    scheme: z.string(),
    contract: z.string().describe("The contract that records the nonce as spent"),
    consumer: z.string(),
    pay_to: z.string(),
    reason: z.string().describe("Code of the failure or release, or empty"),
    valid_before_s: z.number().describe("Unix seconds; the payment cannot be used later"),
    attempts: z.number().describe("Requests that have worked on the payment"),
    cuts: z.number().describe("Responses that were started, but not sent completely"),
    repeats: z.number().describe("Times that the response was sent again"),
    updated_ms: z.number(),
    refunds: z.array(refund),
  })
  .openapi("PaymentDetail");

/** The response of `GET /v1/payments/{id}`. Payers choose nonces, so several payments can have the same one. */
export const foundPayments = z.object({ payments: z.array(paymentDetail) });

/** The response of `GET /v1/payments/search`, newest first. */
export const paymentPage = z.object({
  payments: z.array(recentPayment),
  next: z.string().optional().describe("For `before`, if there may be more payments"),
  searched_to_ms: z
    .number()
    .optional()
    .describe("The time that the search has reached, if it took too long for all payments"),
});

/** The response of `GET /v1/payments/payers`. */
export const topPayers = z.object({
  since_ms: z.number().describe("The start of the range; later if the ledger has too many payments"),
  payers: z
    .array(z.object({ payer: z.string(), ...sold, payments: z.number() }))
    .describe("Of each token the payers with the largest amounts, largest first"),
});

/** The response of `GET /v1/payments`: sales and unfinished payments, or the reason why the ledger cannot be read. */
export const payments = z
  .discriminatedUnion("available", [
    z.object({ available: z.literal(false), reason: z.string() }),
    z.object({
      available: z.literal(true),
      days: z.array(soldOnDay),
      open: z.number().describe("Payments with an unknown outcome: money may have moved"),
      unknown: z.number().describe("Those that the facilitator could not resolve"),
      deferred: z.number().describe("Payments whose charge is made later"),
      owed: z.number().describe("Settled payments whose responses were not delivered completely"),
      oldest_open_ms: z.number().optional(),
      recent: z.array(recentPayment),
    }),
  ])
  .openapi("Payments");

export type PaymentSummary = DeepReadonly<z.output<typeof payments>>;
export type SoldOnDay = DeepReadonly<z.output<typeof soldOnDay>>;
export type RecentPayment = DeepReadonly<z.output<typeof recentPayment>>;
/** The same, with everything that the ledger knows of it. */
export type PaymentDetail = DeepReadonly<z.output<typeof paymentDetail>>;
export type PaymentPage = DeepReadonly<z.output<typeof paymentPage>>;
export type TopPayers = DeepReadonly<z.output<typeof topPayers>>;
export type ShownRefund = DeepReadonly<z.output<typeof refund>>;
