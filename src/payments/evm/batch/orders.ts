import { BATCH_SETTLEMENT_CONTRACT, channelId } from "../../signatures/batch-settlement.ts";
import { type Address, type Hex, sameAddress, isZero } from "../../x402/address.ts";
import { type ChannelSettlement } from "../../x402/channel-facilitator.ts";
import { type Claim, type ClaimOrder, type SettleOrder } from "../../x402/channel-messages.ts";
import { type Reason } from "../../x402/reasons.ts";
import { toWord, wordAt } from "../node/abi.ts";
import { type EvmNode } from "../node/node.ts";
import { callRequest, type Log } from "../node/requests.ts";
import { isRpcError, type RpcError } from "../node/rpc.ts";
import { type Chain, type PayerShare, type Sending, type Sent } from "../node/scheme.ts";
import { refused, unknown, unsent } from "../node/settlements.ts";
import { countedBlock } from "./state.ts";
import { channelCall, CLAIMED, claimCall, receiverCall, SETTLED, settleCall, signedClaimCall } from "./calls.ts";

/** The gas of a payment to a receiver, rounded up. A node that does not know the claim yet estimates a third of it. */
const SETTLE_GAS = 120_000n;

/** The limits on failures count a seller's transactions for its own account. They move no money of that account. */
export function shareOf(account: Address, asset: Address): PayerShare {
  return { payer: account, asset, value: 0n, isContract: false, funds: async () => 0n };
}

/**
 * The account whose failures a claim counts as. A payer without an authorizer may be a contract that denies in the block what
 * it signed in the simulation: it must not keep the seller from other claims.
 */
export function claimShare(claims: readonly [Claim, ...Claim[]]): PayerShare {
  const { payer, payerAuthorizer, receiverAuthorizer, token } = claims[0].voucher.channel;
  const isPayers = claims.length === 1 && isZero(payerAuthorizer);
  return isPayers ? { ...shareOf(payer, token), isContract: true } : shareOf(receiverAuthorizer, token);
}

/** The events of the channels' contract in a transaction, by their first topic. */
export function eventsOf(logs: readonly Log[], event: Hex): readonly Log[] {
  return logs.filter(({ address, topics }) => sameAddress(address, BATCH_SETTLEMENT_CONTRACT) && topics[0] === event);
}

/** Sends a seller's order. `settled` tells what a mined one has moved; `failed`: the reason of one that changed nothing. */
export async function sendOrder(
  { sender }: Chain,
  sending: Omit<Sending, "to">,
  conclude: {
    readonly settled: (transaction: Hex, logs: readonly Log[]) => Promise<ChannelSettlement>;
    readonly reverted: Reason;
    readonly rejected: () => Promise<ChannelSettlement>;
  },
): Promise<ChannelSettlement> {
  const sent: Sent = await (sender.resume(sending.tag) ?? sender.send({ ...sending, to: BATCH_SETTLEMENT_CONTRACT }));
  switch (sent.kind) {
    case "mined":
      return await conclude.settled(sent.transaction, sent.logs);
    case "reverted":
      return refused(conclude.reverted);
    case "rejected":
      return await conclude.rejected();
    case "open":
      return unknown(sent.cause, sent.transaction);
    case "withheld":
    default:
      return unsent(sent.cause);
  }
}

/** True if the chain has all of these claims at a block. */
async function isClaimed(
  node: EvmNode,
  claims: readonly Claim[],
  block: bigint | "latest",
): Promise<boolean | RpcError> {
  const ids = claims.map(({ voucher }) => channelId(node.network, voucher.channel));
  const distinct = [...new Set(ids)];
  const results = await node.readAll<Hex[]>(
    ...distinct.map((id) => callRequest(BATCH_SETTLEMENT_CONTRACT, channelCall(id), { block })),
  );
  const totals = new Map<Hex, bigint>();
  for (const [i, id] of distinct.entries()) {
    const result = results[i];
    if (result !== undefined && isRpcError(result)) return result;
    totals.set(id, wordAt(result ?? "0x", 1) ?? 0n);
  }
  return claims.every(({ totalClaimed }, i) => BigInt(totalClaimed) <= (totals.get(ids[i] ?? "0x") ?? 0n));
}

/** Claims vouchers. An order of which all is claimed already sends nothing, so that it may be repeated. */
export async function settleClaims(chain: Chain, order: ClaimOrder): Promise<ChannelSettlement> {
  const { claims, claimAuthorizerSignature: signature } = order;
  const { node, sender } = chain;
  const [first, ...others] = claims;
  if (signature === undefined || first === undefined) {
    return refused("invalid_batch_settlement_evm_authorizer_not_configured");
  }
  const tag = `claim ${signedClaimCall(claims, signature)}`;
  const resumed = sender.resume(tag);
  if (resumed === undefined) {
    const isDone = await isClaimed(node, claims, "latest");
    if (isRpcError(isDone)) return unsent(`${isDone.cause}: nothing was sent`);
    if (isDone) return await concludeClaimed(node, claims);
  }
  const sending = {
    tag,
    data: signedClaimCall(claims, signature),
    share: claimShare([first, ...others]),
    settlements: claims.length,
  };
  return await sendOrder(chain, sending, {
    settled: async (transaction, logs) => {
      const moved = eventsOf(logs, CLAIMED).reduce((sum, { data }) => sum + (wordAt(data, 0) ?? 0n), 0n);
      return { kind: "settled", transaction, amount: String(moved) };
    },
    reverted: "invalid_batch_settlement_evm_claim_transaction_failed",
    rejected: async () => {
      const reverting = await findReverting(chain, claims);
      if (isRpcError(reverting)) return unsent(`${reverting.cause}: nothing was sent`);
      return { kind: "refused", reason: "invalid_batch_settlement_evm_claim_simulation_failed", reverting };
    },
  });
}

/** The newest block has the claims of an order. */
async function concludeClaimed(node: EvmNode, claims: readonly Claim[]): Promise<ChannelSettlement> {
  const block = await countedBlock(node);
  const counts = isRpcError(block) || block === "latest" ? block : await isClaimed(node, claims, block);
  if (isRpcError(counts)) return unsent(`${counts.cause}: nothing was sent`);
  if (counts === false) return unsent("the claims are in a block that does not count yet: nothing was sent");
  return { kind: "settled", transaction: "", amount: "0" };
}

/**
 * The ids of the channels whose vouchers cannot be claimed now. One of them would make a whole claim fail. Each is
 * simulated alone, in the name of its authorizer, which needs no signature.
 */
async function findReverting({ node, sender }: Chain, claims: readonly Claim[]): Promise<readonly Hex[] | RpcError> {
  const runs = await node.readAll<Hex[]>(
    ...claims.map((claim) =>
      callRequest(BATCH_SETTLEMENT_CONTRACT, claimCall([claim]), {
        from: claim.voucher.channel.receiverAuthorizer,
        gas: sender.maxGas,
      }),
    ),
  );
  const fault = runs.find((run): run is RpcError => isRpcError(run) && run.refusal !== "reverted");
  if (fault !== undefined) return fault;
  const bad = claims.filter((_, i) => isRpcError(runs[i]));
  return [...new Set(bad.map(({ voucher }) => channelId(node.network, voucher.channel)))];
}

/** Pays a receiver all that it has claimed. */
export async function settleReceiver(chain: Chain, { receiver, token }: SettleOrder): Promise<ChannelSettlement> {
  const { node, sender } = chain;
  const tag = `settle ${receiver} ${token}`.toLowerCase();
  if (sender.resume(tag) === undefined) {
    const due = await node.read(callRequest(BATCH_SETTLEMENT_CONTRACT, receiverCall(receiver, token)));
    if (isRpcError(due)) return unsent(`${due.cause}: nothing was sent`);
    const [claimed, settled] = [wordAt(due, 0), wordAt(due, 1)];
    if (claimed === undefined || settled === undefined) return refused("invalid_batch_settlement_evm_rpc_read_failed");
    if (claimed <= settled) return refused("invalid_batch_settlement_evm_nothing_to_settle");
  }
  const share = shareOf(receiver, token);
  return await sendOrder(
    chain,
    { tag, data: settleCall(receiver, token), share, leastGas: SETTLE_GAS },
    {
      settled: async (transaction, logs) => {
        const own = eventsOf(logs, SETTLED).find(
          ({ topics }) => topics[1] === toWord(receiver) && topics[2] === toWord(token),
        );
        return { kind: "settled", transaction, amount: String(own === undefined ? 0n : (wordAt(own.data, 0) ?? 0n)) };
      },
      reverted: "invalid_batch_settlement_evm_settle_transaction_failed",
      rejected: async () => refused("invalid_batch_settlement_evm_settle_simulation_failed"),
    },
  );
}
