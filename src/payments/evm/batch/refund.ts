import { BATCH_SETTLEMENT_CONTRACT, channelId } from "../../signatures/batch-settlement.ts";
import { type Hex } from "../../x402/address.ts";
import { type ChannelSettlement, type ChannelState } from "../../x402/channel-facilitator.ts";
import { type RefundOrder } from "../../x402/channel-messages.ts";
import { wordAt } from "../node/abi.ts";
import { whyNotCounted } from "../node/counted.ts";
import { findEvent } from "../node/log-search.ts";
import { type Block, blockRequest } from "../node/requests.ts";
import { isRpcError } from "../node/rpc.ts";
import { type Chain } from "../node/scheme.ts";
import { refused, unknown, unsent } from "../node/settlements.ts";
import { multicall, REFUNDED, refundCall, signedClaimCall } from "./calls.ts";
import { claimShare, eventsOf, sendOrder, shareOf } from "./orders.ts";
import { readChannel } from "./state.ts";
import { largest, smallest } from "../../../lib/extremes.ts";

const FAILED = "invalid_batch_settlement_evm_refund_simulation_failed";

/** Claims what is due and gives the rest, at most the order's amount, back to the payer, in one transaction. */
export async function settleRefund(chain: Chain, order: RefundOrder): Promise<ChannelSettlement> {
  const { node, sender } = chain;
  const { channelConfig, amount, refundNonce, claims } = order;
  const { refundAuthorizerSignature: signature, claimAuthorizerSignature: claimSignature } = order;
  if (signature === undefined || (claims.length > 0 && claimSignature === undefined)) {
    return refused("invalid_batch_settlement_evm_authorizer_not_configured");
  }
  const id = channelId(node.network, channelConfig);
  const refund = refundCall(channelConfig, { amount, nonce: refundNonce, signature });
  const data =
    claimSignature === undefined || claims.length === 0
      ? refund
      : multicall([signedClaimCall(claims, claimSignature), refund]);
  const tag = `refund ${data}`;
  if (sender.resume(tag) === undefined) {
    const before = await readChannel(node, id);
    if (isRpcError(before)) return unsent(`${before.cause}: nothing was sent`);
    if (before.refundNonce !== BigInt(refundNonce)) return await concludeUsed(chain, id, order, before);
    if (refundable(chain, id, order, before) === 0n) return refused("invalid_batch_settlement_evm_refund_no_balance");
  }
  const [first, ...others] = claims;
  const { receiverAuthorizer, token } = channelConfig;
  const share = first === undefined ? shareOf(receiverAuthorizer, token) : claimShare([first, ...others]);
  return await sendOrder(
    chain,
    { tag, data, share, settlements: 1 + claims.length },
    {
      settled: async (transaction, logs) => {
        const own = eventsOf(logs, REFUNDED).find(({ topics }) => topics[1] === id);
        const moved = own === undefined ? 0n : (wordAt(own.data, 0) ?? 0n);
        const after = await readChannel(node, id, own?.blockNumber ?? "latest");
        return { kind: "settled", transaction, amount: String(moved), ...(isRpcError(after) ? {} : { state: after }) };
      },
      reverted: "invalid_batch_settlement_evm_refund_transaction_failed",
      rejected: async () => {
        const now = await readChannel(node, id);
        if (isRpcError(now)) return unsent(`${now.cause}: nothing was sent`);
        return now.refundNonce === BigInt(refundNonce) ? refused(FAILED) : await concludeUsed(chain, id, order, now);
      },
    },
  );
}

/** The amount that the refund would move, after the claims that come with it. Undefined if only a simulation can tell. */
function refundable(
  { node }: Chain,
  id: Hex,
  { claims, amount }: RefundOrder,
  { balance, totalClaimed }: ChannelState,
): bigint | undefined {
  const own = claims.filter(({ voucher }) => channelId(node.network, voucher.channel) === id);
  const claimed = own.reduce((most, claim) => largest(most, BigInt(claim.totalClaimed)), totalClaimed);
  if (claimed > balance) return undefined;
  return smallest(BigInt(amount), balance - claimed);
}

/**
 * Finds what used the order's nonce: the channel has another nonce now. If the channel's nonce is the next one, one refund
 * has used the order's nonce: this order, or a refund that the seller sent without the gateway.
 */
async function concludeUsed(
  { node }: Chain,
  id: Hex,
  { refundNonce, amount }: RefundOrder,
  state: ChannelState,
): Promise<ChannelSettlement> {
  if (state.refundNonce !== BigInt(refundNonce) + 1n) return refused(FAILED);
  const newest = await node.read<Block | null>(blockRequest("latest"));
  if (isRpcError(newest)) return unknown(newest.cause);
  if (newest === null) return unknown("the node has no block");
  const event = await findEvent(
    node,
    { address: BATCH_SETTLEMENT_CONTRACT, topics: [REFUNDED, id], since: 0n },
    newest,
  );
  if (isRpcError(event)) return unknown(event.cause);
  const moved = event === undefined ? undefined : wordAt(event.data, 0);
  if (event === undefined || moved === undefined) return unknown("the event of the refund was not found");
  const [problem] = await whyNotCounted(node, [event], newest.number);
  if (problem !== undefined) return unknown(problem);
  if (moved > BigInt(amount)) return refused(FAILED);
  return { kind: "settled", transaction: event.transactionHash, amount: String(moved), state };
}
