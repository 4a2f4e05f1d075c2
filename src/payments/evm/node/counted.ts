import { type EvmNode } from "./node.ts";
import { type Block, blockRequest, type Receipt } from "./requests.ts";
import { isRpcError, type RpcError } from "./rpc.ts";

type InBlock = Pick<Receipt, "blockNumber" | "blockHash">;

/**
 * For each receipt or event, why its transaction does not count; undefined if it does: it has its confirmations in the chain with the block
 * `newest`. Several nodes may share one address, and a receipt and the number of the newest block may be of two forks: the block is
 * asked for again. With one confirmation, every receipt counts.
 */
export async function whyNotCounted(
  node: EvmNode,
  receipts: readonly InBlock[],
  newest: bigint,
): Promise<readonly (string | undefined)[]> {
  const least = BigInt(node.confirmations);
  const isDeep = ({ blockNumber }: InBlock): boolean => newest - blockNumber + 1n >= least;
  const asked = node.confirmations === 1 ? [] : receipts.filter(isDeep);
  const blocks = await node.readAll<(Block | null)[]>(...asked.map(({ blockNumber }) => blockRequest(blockNumber)));
  const problems = new Map(asked.map((receipt, i) => [receipt, whyOfAnotherFork(receipt, blocks[i])]));
  return receipts.map((receipt) =>
    isDeep(receipt) ? problems.get(receipt) : "the transaction of the payment does not count yet",
  );
}

function whyOfAnotherFork({ blockHash }: InBlock, block: Block | RpcError | null | undefined): string | undefined {
  if (isRpcError(block)) return block.cause;
  if (block === undefined || block === null) return "the node does not have the block of the transaction";
  const isSame = typeof blockHash !== "string" || (block.hash ?? blockHash).toLowerCase() === blockHash.toLowerCase();
  return isSame ? undefined : "the block of the transaction is of another fork than the newest one";
}
