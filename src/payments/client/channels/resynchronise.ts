import { z } from "zod";
import { largest } from "../../../lib/extremes.ts";
import { voucherSchema } from "../../x402/channel-messages.ts";
import { atomicSchema, type PaymentRequired, type PaymentRequirements } from "../../x402/messages.ts";
import { agrees } from "../../x402/terms.ts";
import { type Account } from "../../signatures/signature.ts";
import { type Channel } from "./channel-file.ts";
import { isOwnVoucher } from "./sign-channel.ts";

/** The 402 errors after which the server tells its state of the channel. */
const CORRECTIVE = new Set([
  "invalid_batch_settlement_evm_cumulative_amount_mismatch",
  "invalid_batch_settlement_evm_cumulative_below_claimed",
]);

const channelSchema = z.object({
  channelState: z.object({ channelId: z.string(), balance: atomicSchema, chargedCumulativeAmount: atomicSchema }),
});
const stateSchema = channelSchema.extend({
  voucherState: z.object({ signedMaxClaimable: voucherSchema.shape.maxClaimableAmount, signature: z.string() }),
});

/** Why the server's state was not adopted. A dispute: it claims money that it cannot be owed. */
export interface Refusal {
  readonly fault: string;
  readonly isDispute: boolean;
}

function refusal(fault: string, isDispute = false): Refusal {
  return { fault, isDispute };
}

/** True if the server refused a voucher because it has another sum of charges. */
export function isCorrective({ error }: PaymentRequired): boolean {
  return CORRECTIVE.has(error ?? "");
}

/** The balance of a channel that a corrective 402 tells. */
export function toldBalance({ accepts }: PaymentRequired, id: string): string | undefined {
  const states = accepts.flatMap(({ extra }) => channelSchema.safeParse(extra).data?.channelState ?? []);
  return states.find(({ channelId }) => channelId.toLowerCase() === id.toLowerCase())?.balance;
}

/**
 * The channel with the sum of charges that the server tells in a corrective 402, or why it cannot be true. `channel` is the
 * record before the refused request, whose voucher was for `sent`. The server proves the sum by a voucher of this wallet. The
 * sum may be above that of the responses that arrived by two things: requests whose outcome is unknown, and vouchers that a
 * lost record had. The voucher of the refused request proves nothing: the server has just got it.
 */
export function resynchronised(
  { channel, sent }: { readonly channel: Channel; readonly sent: bigint },
  required: PaymentRequired,
  requirements: PaymentRequirements,
  account: Account,
): Channel | Refusal {
  const accept = required.accepts.find((candidate) => agrees(candidate, requirements));
  const told = stateSchema.safeParse(accept?.extra);
  if (!told.success) return refusal("the server does not say what it has charged");
  const { channelState, voucherState } = told.data;
  if (channelState.channelId.toLowerCase() !== channel.id.toLowerCase())
    return refusal("the server speaks of another channel");
  const voucher = voucherSchema.safeParse({
    channelId: channel.id,
    maxClaimableAmount: voucherState.signedMaxClaimable,
    signature: voucherState.signature,
  });
  if (!voucher.success || !isOwnVoucher(channel.network, voucher.data, account))
    return refusal("the server's voucher is not signed by this wallet");
  const [charged, signed] = [BigInt(channelState.chargedCumulativeAmount), BigInt(voucherState.signedMaxClaimable)];
  if (charged > signed) return refusal("the server claims more than the wallet has signed", true);
  const before = BigInt(channel.signed);
  const unknown = signed > sent ? largest(signed - before, 0n) : 0n;
  if (charged > BigInt(channel.charged) + BigInt(channel.open) + unknown)
    return refusal("the server claims to have charged for responses that it did not send", true);
  return {
    ...channel,
    ...balanceOf(channel, channelState.balance),
    charged: charged.toString(),
    signed: largest(signed, before).toString(),
    open: "0",
  };
}

/** The balance that the server tells, if the wallet's own deposits explain it, or if the wallet does not know any. */
export function balanceOf(channel: Channel, told: string): Pick<Channel, "balance" | "deposit"> {
  const { balance, deposit, signed } = channel;
  const most = BigInt(balance) + BigInt(deposit?.amount ?? "0");
  const isNew = balance === "0" && signed === "0";
  if (!isNew && (BigInt(told) > most || BigInt(told) < BigInt(balance))) return { balance, deposit };
  // A deposit that the balance does not contain may still come.
  return { balance: told, deposit: BigInt(told) === most ? undefined : deposit };
}
