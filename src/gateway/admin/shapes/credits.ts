import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { refund } from "./payments.ts";

export const credit = z
  .object({
    id: z.string(),
    owner: z.string().describe("The wallet that bought it"),
    unit: z.enum(["money", "calls", "time"]).describe("`time`: requests are free until it expires"),
    name: z.string().describe("The name of the pass; empty for money"),
    network: z.string(),
    asset: z.string(),
    symbol: z.string().optional(),
    decimals: z.int().optional(),
    routes: z.array(z.string()).describe("The routes that it pays for; empty: all"),
    balance: z.string().describe("Atomic units of the asset, or calls"),
    state: z.enum(["active", "revoked", "expired"]),
    created_ms: z.number(),
    expires_ms: z.number().describe("0: never"),
    revoked_ms: z.number().describe("0: it is not revoked"),
  })
  .openapi("Credit", { description: "A prepaid balance, without its token" });

export type ShownCredit = DeepReadonly<z.output<typeof credit>>;

/** A new credit, with the token that is shown once. */
export const issuedCredit = z
  .object({ token: z.string().describe("It is not stored, and not shown again"), credit })
  .openapi("IssuedCredit", { description: "A new prepaid balance and its token" });

/** A credit with its newest changes. */
export const creditWithHistory = z
  .object({
    credit,
    grants: z.array(
      z.object({
        kind: z.enum(["bought", "issued", "refunded", "sent"]),
        amount: z.string(),
        payment: z.string().describe("The nonce of the payment that bought it, or empty"),
        time_ms: z.number(),
      }),
    ),
    charges: z.array(
      z.object({
        id: z.string(),
        route: z.string(),
        state: z.string(),
        amount: z.string(),
        delivered: z.boolean(),
        time_ms: z.number(),
      }),
    ),
  })
  .openapi("CreditHistory", { description: "A prepaid balance with its newest changes" });

/** The body of `POST /v1/credits/{id}/refunds`. */
export const creditRefund = z
  .strictObject({
    transaction: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/, "expected 1 to 128 visible ASCII characters")
      .optional()
      .describe("Nothing is sent: the money was given back by this transaction or other reference"),
    amount: z.string().max(100).optional().describe("Atomic units, or dollars; without it all the rest"),
    id: z
      .string()
      .max(64)
      .optional()
      .describe("Names what is sent: the same id again is the same. By default it is the amount, or `rest`"),
  })
  .openapi("CreditRefund", { description: "Money to give back from a prepaid balance" });

/** The response of `POST /v1/credits/{id}/refunds`. */
export const refundedCredit = z
  .object({ credit, refunds: z.array(refund).describe("Those of its purchases that were sent") })
  .openapi("RefundedCredit", { description: "A prepaid balance after money was given back" });

/** The body of `POST /v1/credits`. */
export const newCredit = z
  .strictObject({
    owner: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, "expected an address")
      .describe("The wallet"),
    network: z.string().optional().describe("Chain of the money; by default that of `x402.credit`"),
    asset: z
      .string()
      .optional()
      .describe("Token of the money; by default that of `x402.credit`, or `USDC` of the named chain"),
    amount: z.string().optional().describe('Money: atomic units, or dollars ("$5")'),
    calls: z.int().min(1).max(1_000_000_000).optional().describe("Number of requests, in place of money"),
    seconds: z
      .int()
      .min(1)
      .max(315_360_000)
      .optional()
      .describe("Seconds until it expires; without amount and calls, a pass for all requests until then"),
    name: z.string().max(64).default(""),
    routes: z.array(z.string().min(1)).max(256).default([]),
  })
  .openapi("NewCredit", { description: "A prepaid balance to issue without a payment" });
