import { z } from "zod";
import { isAddress, sameAddress } from "../x402/address.ts";
import { type EvmNode } from "./node/node.ts";
import { isRpcError, type Request } from "./node/rpc.ts";

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text));
const receipt = z.object({
  from: z.string().refine(isAddress),
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  /** The share of a rollup's data on its parent chain. */
  l1Fee: quantity.nullish(),
});
type GasReceipt = z.infer<typeof receipt>;

function receiptRequest(transaction: string): Request<GasReceipt | null> {
  return { method: "eth_getTransactionReceipt", params: [transaction], schema: receipt.nullable() };
}

/**
 * The gas in wei that `account` paid for each transaction; 0 if another account sent it. Throws if the node does not have
 * a transaction.
 */
export async function gasSpent(
  node: EvmNode,
  account: string,
  transactions: readonly string[],
): Promise<readonly bigint[]> {
  const receipts = await node.readAll<(GasReceipt | null)[]>(...transactions.map(receiptRequest));
  return receipts.map((found, i) => {
    if (found === null || isRpcError(found)) {
      const cause = found === null ? "the node does not have it" : found.cause;
      throw new Error(`Cannot read the gas of transaction ${transactions[i]}: ${cause}`);
    }
    return sameAddress(found.from, account) ? found.gasUsed * found.effectiveGasPrice + (found.l1Fee ?? 0n) : 0n;
  });
}
