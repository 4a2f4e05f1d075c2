import { BATCH_SETTLEMENT_CONTRACT } from "../../signatures/batch-settlement.ts";
import { type Hex } from "../../x402/address.ts";
import { type ChannelState } from "../../x402/channel-facilitator.ts";
import { smallest, largest } from "../../../lib/extremes.ts";
import { wordAt } from "../node/abi.ts";
import { type EvmNode } from "../node/node.ts";
import { blockNumberRequest, callRequest, codeRequest } from "../node/requests.ts";
import { type Request, type RpcError, isRpcError } from "../node/rpc.ts";
import { channelCall, refundNonceCall, withdrawalCall } from "./calls.ts";

/** Time after which a chain without the contract is asked for it again, in milliseconds. @bound */
const ABSENT_MS = 60_000;

/** Returns a function that tells whether the chain has the contract of channels. A contract stays for ever. */
export function channelsCheck(node: EvmNode): () => Promise<boolean | RpcError> {
  let isThere = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (isThere || node.steady() - askedAt < ABSENT_MS) return isThere;
    const code = await node.read(codeRequest(BATCH_SETTLEMENT_CONTRACT));
    if (isRpcError(code)) return code;
    isThere = code !== "0x";
    askedAt = node.steady();
    return isThere;
  };
}

/** The calls that read a channel, for one batch with others. */
export function channelRequests(
  id: Hex,
  block: bigint | "latest" = "latest",
): [Request<Hex>, Request<Hex>, Request<Hex>] {
  const read = (data: Hex): Request<Hex> => callRequest(BATCH_SETTLEMENT_CONTRACT, data, { block });
  return [read(channelCall(id)), read(withdrawalCall(id)), read(refundNonceCall(id))];
}

/** The channel in the results of `channelRequests`. */
export function channelOf(results: readonly [Hex | RpcError, Hex | RpcError, Hex | RpcError]): ChannelState | RpcError {
  const error = results.find(isRpcError);
  if (error !== undefined) return error;
  const [channel, withdrawal, nonce] = results.map((result) => (isRpcError(result) ? "0x" : result));
  const [balance, totalClaimed] = [wordAt(channel ?? "", 0), wordAt(channel ?? "", 1)];
  const [requestedAt, refundNonce] = [wordAt(withdrawal ?? "", 1), wordAt(nonce ?? "", 0)];
  if (balance === undefined || totalClaimed === undefined || requestedAt === undefined || refundNonce === undefined) {
    return { error: "failed", cause: "there is no contract of channels on this chain" };
  }
  return { balance, totalClaimed, withdrawRequestedAt: Number(requestedAt), refundNonce };
}

/** Reads a channel. One that does not exist has only zeros. */
export async function readChannel(
  node: EvmNode,
  id: Hex,
  block: bigint | "latest" = "latest",
): Promise<ChannelState | RpcError> {
  return channelOf(await node.readAll<[Hex, Hex, Hex]>(...channelRequests(id, block)));
}

/** The newest block that counts. */
export async function countedBlock(node: EvmNode): Promise<bigint | "latest" | RpcError> {
  if (node.confirmations === 1) return "latest";
  const newest = await node.read(blockNumberRequest());
  return isRpcError(newest) ? newest : largest(newest - BigInt(node.confirmations - 1), 0n);
}

/** The part of a channel that no reorganization takes away: deposits and claims in blocks that count. `newest`: as it is now. */
export async function countedState(node: EvmNode, id: Hex, newest: ChannelState): Promise<ChannelState | RpcError> {
  const block = await countedBlock(node);
  if (block === "latest") return newest;
  const counted = isRpcError(block) ? block : await readChannel(node, id, block);
  if (isRpcError(counted)) return counted;
  return {
    ...newest,
    balance: smallest(newest.balance, counted.balance),
    totalClaimed: smallest(newest.totalClaimed, counted.totalClaimed),
  };
}
