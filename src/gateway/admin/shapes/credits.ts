import { array, boolean, int, number, object, oneOf, type Output, strictObject, string } from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";
import { refund } from "./payments.ts";

export const credit = object({
  id: string(),
  owner: string().describe("The wallet that bought it"),
  unit: oneOf(["money", "calls", "time"]).describe("`time`: requests are free until it expires"),
  name: string().describe("The name of the pass; empty for money"),
  network: string(),
  asset: string(),
  symbol: string().optional(),
  decimals: int().optional(),
  routes: array(string()).describe("The routes that it pays for; empty: all"),
  balance: string().describe("Atomic units of the asset, or calls"),
  state: oneOf(["active", "revoked", "expired"]),
  created_ms: number(),
  expires_ms: number().describe("0: never"),
  revoked_ms: number().describe("0: it is not revoked"),
}).openapi("Credit", { description: "A prepaid balance, without its token" });

export type ShownCredit = DeepReadonly<Output<typeof credit>>;

/** A new credit, with the token that is shown once. */
export const issuedCredit = object({
  token: string().describe("It is not stored, and not shown again"),
  credit,
}).openapi("IssuedCredit", { description: "A new prepaid balance and its token" });

/** A credit with its newest changes. */
export const creditWithHistory = object({
  credit,
  grants: array(
    object({
      kind: oneOf(["bought", "issued", "refunded", "sent"]),
      amount: string(),
      payment: string().describe("The nonce of the payment that bought it, or empty"),
      time_ms: number(),
    }),
  ),
  charges: array(
    object({
      id: string(),
      route: string(),
      state: string(),
      amount: string(),
      delivered: boolean(),
      time_ms: number(),
    }),
  ),
}).openapi("CreditHistory", { description: "A prepaid balance with its newest changes" });

/** The body of `POST /v1/credits/{id}/refunds`. */
export const creditRefund = strictObject({
  transaction: string()
    .regex(/^[\x21-\x7e]{1,128}$/, "expected 1 to 128 visible ASCII characters")
    .optional()
    .describe("Nothing is sent: the money was given back by this transaction or other reference"),
  amount: string().max(100).optional().describe("Atomic units, or dollars; without it all the rest"),
  id: string()
    .max(64)
    .optional()
    .describe("Names what is sent: the same id again is the same. By default it is the amount, or `rest`"),
}).openapi("CreditRefund", { description: "Money to give back from a prepaid balance" });

/** The response of `POST /v1/credits/{id}/refunds`. */
export const refundedCredit = object({
  credit,
  refunds: array(refund).describe("Those of its purchases that were sent"),
}).openapi("RefundedCredit", { description: "A prepaid balance after money was given back" });

/** The body of `POST /v1/credits`. */
export const newCredit = strictObject({
  owner: string()
    .regex(/^0x[0-9a-fA-F]{40}$/, "expected an address")
    .describe("The wallet"),
  network: string().optional().describe("Chain of the money; by default that of `x402.credit`"),
  asset: string()
    .optional()
    .describe("Token of the money; by default that of `x402.credit`, or `USDC` of the named chain"),
  amount: string().optional().describe('Money: atomic units, or dollars ("$5")'),
  calls: int().min(1).max(1_000_000_000).optional().describe("Number of requests, in place of money"),
  seconds: int()
    .min(1)
    .max(315_360_000)
    .optional()
    .describe("Seconds until it expires; without amount and calls, a pass for all requests until then"),
  name: string().max(64).default(""),
  routes: array(string().min(1)).max(256).default([]),
}).openapi("NewCredit", { description: "A prepaid balance to issue without a payment" });
