import { z } from "@hono/zod-openapi";

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
    balance: z.string().openapi({ description: "All deposits without refunds, in atomic units" }),
    charged: z.string().openapi({ description: "The sum of all charges" }),
    claimed: z.string().openapi({ description: "The part of it that is claimed on the chain" }),
    lost: z.string().openapi({ description: "The part of it that is written off: the chain refuses to claim it" }),
    reserved: z.string().openapi({ description: "What requests that are being served may cost" }),
    withdraw_at_s: z.number().openapi({ description: "When the payer asked for its money; 0: it has not" }),
    synced_ms: z.number().openapi({ description: "When the chain was asked" }),
    used_ms: z.number(),
  })
  .openapi("Channel", { description: "A payer's channel, without its vouchers" });
