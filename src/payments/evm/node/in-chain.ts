import { type EvmNode } from "./node.ts";
import { type Block, blockRequest, type Receipt } from "./requests.ts";
import { isRpcError } from "./rpc.ts";

/**
 * For each receipt, why its block is not known to be in the chain of the node's newest blocks; undefined if it is. Several nodes may
 * share one address, and a receipt and the number of the newest block may be of two forks: the block is asked for again. With one
 * confirmation, every receipt counts.
 */
export async function whyNotInChain(
  node: EvmNode,
  receipts: readonly Receipt[],
): Promise<readonly (string | undefined)[]> {
  if (node.confirmations === 1 || receipts.length === 0) return receipts.map(() => undefined);
  const blocks = await node.readAll<(Block | null)[]>(...receipts.map(({ blockNumber }) => blockRequest(blockNumber)));
  return receipts.map(({ blockHash }, i) => {
    const block = blocks[i];
    if (isRpcError(block)) return block.cause;
    if (block === undefined || block === null) return "the node does not have the block of the transaction";
    const isSame = blockHash === undefined || (block.hash ?? blockHash).toLowerCase() === blockHash.toLowerCase();
    return isSame ? undefined : "the block of the transaction is of another fork than the newest one";
  });
}
