import { type Channels } from "../../store/channels.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { type ChannelPayment } from "../x402/channel-messages.ts";
import { type Outcome } from "../x402/facilitator.ts";
import { toChainState } from "./chain-state.ts";

/** Seconds after its end at which a deposit that is not on the chain will never be. @bound */
const LATE_S = 600n;

/** Reasons that say that the channel has not enough money for the voucher of a deposit. */
const UNFUNDED: ReadonlySet<string> = new Set([
  "invalid_batch_settlement_evm_channel_not_found",
  "invalid_batch_settlement_evm_cumulative_exceeds_balance",
]);

/**
 * Finds out whether a deposit was made: then the channel has the money for its voucher, and `channels` records it. `now`: Unix
 * milliseconds.
 */
export async function findDeposit(
  facilitator: ChannelFacilitator,
  payment: ChannelPayment,
  { channels, now }: { readonly channels: Pick<Channels, "sync">; readonly now: number },
): Promise<Outcome> {
  const { payload, accepted } = payment;
  if (payload.type !== "deposit") return { kind: "unknown", cause: "it is no deposit" };
  const { channelConfig, voucher } = payload;
  const found = await facilitator.verify(
    { ...payment, payload: { type: "voucher", channelConfig, voucher } },
    accepted,
  );
  if (found.kind === "valid") {
    await channels.sync(voucher.channelId.toLowerCase(), toChainState(found.state), now);
    return { kind: "settled", transaction: "", payer: found.payer };
  }
  // It was made and its voucher claimed meanwhile.
  const isClaimed =
    found.kind === "refused" && found.reason === "invalid_batch_settlement_evm_cumulative_below_claimed";
  if (isClaimed) return { kind: "settled", transaction: "", payer: channelConfig.payer };
  if (found.kind !== "refused") return { kind: "unknown", cause: found.cause };
  if (!UNFUNDED.has(found.reason)) return { kind: "unknown", cause: found.reason };
  const { authorization } = payload.deposit;
  const end =
    "erc3009Authorization" in authorization
      ? authorization.erc3009Authorization.validBefore
      : authorization.permit2Authorization.deadline;
  return { kind: BigInt(end) + LATE_S < BigInt(Math.floor(now / 1000)) ? "void" : "unspent" };
}
