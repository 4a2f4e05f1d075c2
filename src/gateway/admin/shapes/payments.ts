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
  day: z.string().openapi({ description: "In UTC, as 2026-11-22" }),
  route: z.string(),
  ...sold,
  payments: z.number(),
});
const recentPayment = z.object({
  id: z.string().openapi({ description: "Its nonce" }),
  route: z.string(),
  state: z.string(),
  delivered: z.boolean(),
  ...sold,
  payer: z.string(),
  transaction: z.string(),
  time_ms: z.number(),
});

/** The response of `GET /v1/payments`: sales and unfinished payments, or the reason why the ledger cannot be read. */
export const payments = z
  .discriminatedUnion("available", [
    z.object({ available: z.literal(false), reason: z.string() }),
    z.object({
      available: z.literal(true),
      days: z.array(soldOnDay),
      open: z.number().openapi({ description: "Payments with an unknown outcome: money may have moved" }),
      unknown: z.number().openapi({ description: "Those that the facilitator could not resolve" }),
      owed: z.number().openapi({ description: "Settled payments whose responses were not delivered completely" }),
      oldest_open_ms: z.number().optional(),
      recent: z.array(recentPayment),
    }),
  ])
  .openapi("Payments");

/** The parsed `payments`. */
export type PaymentSummary = DeepReadonly<z.output<typeof payments>>;
/** The sales of a route on one day. */
export type SoldOnDay = DeepReadonly<z.output<typeof soldOnDay>>;
/** A payment without its signature. */
export type RecentPayment = DeepReadonly<z.output<typeof recentPayment>>;
