import { int, number, object, oneOf, type Output, string } from "../../../lib/schema.ts";
import { type DeepReadonly } from "../../../lib/deep-readonly.ts";

export const channel = object({
  id: string(),
  network: string(),
  payer: string(),
  receiver: string(),
  asset: string(),
  symbol: string().optional(),
  decimals: int().optional(),
  standing: oneOf(["open", "refunding", "closing", "withdrawing"]),
  balance: string().describe("All deposits without refunds, in atomic units"),
  charged: string().describe("The sum of all charges"),
  claimed: string().describe("The part of it that is claimed on the chain"),
  lost: string().describe("The part of it that is written off: the chain refuses to claim it"),
  reserved: string().describe("What requests that are being served may cost"),
  withdraw_at_s: number().describe("When the payer asked for its money; 0: it has not"),
  synced_ms: number().describe("When the chain was asked"),
  used_ms: number(),
}).openapi("Channel", { description: "A payer's channel, without its vouchers" });

export type ShownChannel = DeepReadonly<Output<typeof channel>>;
