import { type EvmNode } from "../node/node.ts";
import { blockRequest, feeHistoryRequest } from "../node/requests.ts";
import { type RpcError, isRpcError } from "../node/rpc.ts";
import { largest, smallest } from "../../../lib/extremes.ts";

/** Wei per unit of gas. */
export interface Fees {
  readonly tip: bigint;
  /** Highest sum of base fee and tip. */
  readonly maxFee: bigint;
}

/** Blocks whose tips are read. */
const HISTORY_BLOCKS = 4n;
/** The tip for chains on which no transaction pays one: 0.001 gwei. Some nodes refuse a transaction without a tip. */
const MIN_TIP = 1_000_000n;

/** Fees for the next blocks: the median tip of the last ones, and room for the base fee to double. */
async function askFees(node: EvmNode): Promise<{ readonly base: bigint; readonly tip: bigint } | RpcError> {
  const history = await node.read(feeHistoryRequest(HISTORY_BLOCKS));
  if (!isRpcError(history)) {
    const tips = (history.reward ?? []).map(([middle]) => middle ?? 0n);
    const tip = tips.reduce(largest, MIN_TIP);
    return { base: history.baseFeePerGas.at(-1) ?? 0n, tip };
  }
  if (history.error !== "refused") return history;
  const block = await node.read(blockRequest("latest"));
  if (isRpcError(block)) return block;
  if (block?.baseFeePerGas === undefined) return { error: "failed", cause: "the chain has no base fee (EIP-1559)" };
  return { base: block.baseFeePerGas, tip: MIN_TIP };
}

/** The current fees, at most `bound`. The result is `"too dear"` if the base fee alone is above it. */
export async function currentFees(node: EvmNode, bound: bigint): Promise<Fees | "too dear" | RpcError> {
  const asked = await askFees(node);
  if (isRpcError(asked)) return asked;
  const { base, tip } = asked;
  if (base + MIN_TIP > bound) return "too dear";
  const room = bound - base;
  const ownTip = smallest(tip, room);
  return { tip: ownTip, maxFee: smallest(2n * base + ownTip, bound) };
}

function risen(fee: bigint): bigint {
  // Nodes replace a transaction if the fees are 10 % higher. An eighth is customary.
  return fee + fee / 8n + 1n;
}

/** Fees with which nodes replace a transaction with `before`; undefined if they would be above `bound`. */
export function raisedFees(before: Fees, now: Fees, bound: bigint): Fees | undefined {
  const maxFee = largest(now.maxFee, risen(before.maxFee));
  const tip = largest(now.tip, risen(before.tip));
  return maxFee > bound || tip > maxFee ? undefined : { tip, maxFee };
}
