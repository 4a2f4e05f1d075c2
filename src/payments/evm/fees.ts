import { type EvmNode } from "./node.ts";
import { blockRequest, feeHistoryRequest } from "./requests.ts";
import { type Fault, isFault } from "./rpc.ts";

/** Wei per unit of gas. */
export interface Fees {
  readonly tip: bigint;
  /** Base fee and tip together cost no more. */
  readonly maxFee: bigint;
}

/** Blocks whose tips are looked at. */
const HISTORY_BLOCKS = 4n;
/** A tip for chains where nobody tips, 0.001 gwei: some nodes take no transaction without. */
const MIN_TIP = 1_000_000n;

/** What the next blocks ask for: tips of the last ones in the middle, and room for the base fee to double. */
async function askFees(node: EvmNode): Promise<{ readonly base: bigint; readonly tip: bigint } | Fault> {
  const history = await node.read(feeHistoryRequest(HISTORY_BLOCKS));
  if (!isFault(history)) {
    const tips = (history.reward ?? []).map(([middle]) => middle ?? 0n);
    const tip = tips.reduce((most, one) => (one > most ? one : most), MIN_TIP);
    return { base: history.baseFeePerGas.at(-1) ?? 0n, tip };
  }
  if (history.fault !== "refused") return history;
  const block = await node.read(blockRequest("latest"));
  if (isFault(block)) return block;
  if (block?.baseFeePerGas === undefined) return { fault: "failed", cause: "the chain has no base fee (EIP-1559)" };
  return { base: block.baseFeePerGas, tip: MIN_TIP };
}

/** The fees of now within `bound`; "too dear" where the base fee alone is above it. */
export async function currentFees(node: EvmNode, bound: bigint): Promise<Fees | "too dear" | Fault> {
  const asked = await askFees(node);
  if (isFault(asked)) return asked;
  const { base, tip } = asked;
  if (base + MIN_TIP > bound) return "too dear";
  const room = bound - base;
  const ownTip = tip < room ? tip : room;
  const maxFee = 2n * base + ownTip;
  return { tip: ownTip, maxFee: maxFee < bound ? maxFee : bound };
}

function risen(fee: bigint): bigint {
  // Nodes replace a transaction for 10 % more; an eighth is what is customary.
  return fee + fee / 8n + 1n;
}

/** Fees by which nodes take another transaction in the place of one with `before`; undefined where `bound` forbids it. */
export function raisedFees(before: Fees, now: Fees, bound: bigint): Fees | undefined {
  const maxFee = now.maxFee > risen(before.maxFee) ? now.maxFee : risen(before.maxFee);
  const tip = now.tip > risen(before.tip) ? now.tip : risen(before.tip);
  return maxFee > bound || tip > maxFee ? undefined : { tip, maxFee };
}
