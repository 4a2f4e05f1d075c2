import { z } from "@hono/zod-openapi";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";

export const channel = z
  .object({
    id: z.string(),
    network: z.string(),
    payer: z.string(),
    receiver: z.string(),
    asset: z.string(),
    symbol: z.string().optional(),
    decimals: z.int().optional(),
    standing: z.enum(["open", "refunding", "closing", "withdrawing"]),
    balance: z.string().describe("All deposits without refunds, in atomic units"),
    charged: z.string().describe("The sum of all charges"),
    claimed: z.string().describe("The part of it that is claimed on the chain"),
    lost: z.string().describe("The part of it that is written off: the chain refuses to claim it"),
    reserved: z.string().describe("What requests that are being served may cost"),
    withdraw_at_s: z.number().describe("When the payer asked for its money; 0: it has not"),
    synced_ms: z.number().describe("When the chain was asked"),
    used_ms: z.number(),
  })
  .openapi("Channel", { description: "A payer's channel, without its vouchers" });

export type ShownChannel = DeepReadonly<z.output<typeof channel>>;
