import { gasApprovalOf } from "../../signatures/read-gas-approval.ts";
import { type Address } from "../../x402/address.ts";
import { type Settlement } from "../../x402/facilitator.ts";
import { type Permit2Payment } from "../../x402/messages.ts";
import { whyNotCounted } from "../node/counted.ts";
import { type EvmNode } from "../node/node.ts";
import {
  blockNumberRequest,
  type Receipt,
  receiptRequest,
  sendRequest,
  transactionCountRequest,
} from "../node/requests.ts";
import { isRpcError } from "../node/rpc.ts";
import { type Chain, type GasLender } from "../node/scheme.ts";
import { refused, unsent } from "../node/settlements.ts";
import { type ReadTransaction } from "../transactions/read-transaction.ts";
import { planApproval } from "./plan-approval.ts";
import { isAllowed } from "./state.ts";

/** Checks in which the approval's nonce is used while it is in no block: nodes behind one address may differ. */
const MAX_MISSES = 2;

/**
 * Sends the approval that the payment contains, if Permit2 may not move `charge` yet, and waits for its block. Its payer first
 * gets the gas that it lacks (decision 0823). The result is the failure; undefined: the settlement may follow.
 */
export async function approveFirst(
  { node, sender, lender }: Chain,
  payment: Permit2Payment,
  charge: bigint,
): Promise<Settlement | undefined> {
  const { from } = payment.payload.permit2Authorization;
  // A settlement of a barred payer is withheld.
  if (lender === undefined || gasApprovalOf(payment) === undefined || sender.bars(from)) return undefined;
  return await lender.inTurn(from, async () => {
    if (await isAllowed(node, payment, charge)) return undefined;
    const plan = await planApproval({ node, sender, lender }, payment, charge);
    if (isRpcError(plan)) return unsent(`${plan.cause}: nothing was sent`);
    if (typeof plan === "string") return refused(plan);
    const { approval, deficit } = plan;
    if (deficit > 0n) {
      const sent = await lender.lend(from, deficit);
      if (sent.kind !== "mined") return unsent("the payer has not got the gas for its approval");
    }
    return await broadcast(node, lender, from, approval);
  });
}

/** Sends a payer's approval, and waits until it counts. */
async function broadcast(
  node: EvmNode,
  { receiptTimeoutMs }: GasLender,
  from: Address,
  { raw, hash, transaction }: ReadTransaction,
): Promise<Settlement | undefined> {
  const response = await node.write(sendRequest(raw));
  const refusal = isRpcError(response) ? response.refusal : undefined;
  // After any other error, the node may have the transaction.
  const isRefused = refusal === "no funds" || refusal === "underpriced" || refusal === "reverted";
  if (isRefused) return refused("erc20_approval_broadcast_failed");
  let misses = 0;
  for (let waited = 0; waited < receiptTimeoutMs && misses < MAX_MISSES; waited += node.pollMs) {
    const [newest, count, receipt] = await node.readAll<[bigint, bigint, Receipt | null]>(
      blockNumberRequest(),
      transactionCountRequest(from, "latest"),
      receiptRequest(hash),
    );
    if (receipt !== null && !isRpcError(receipt)) {
      if (receipt.status !== 1n) return refused("erc20_approval_tx_failed");
      if (!isRpcError(newest) && (await whyNotCounted(node, [receipt], newest))[0] === undefined) return undefined;
    } else if (receipt === null && !isRpcError(count) && count > transaction.nonce) misses += 1;
    await Bun.sleep(node.pollMs);
  }
  return misses < MAX_MISSES
    ? unsent("the payer's approval is in no block that counts")
    : refused("erc20_approval_tx_failed");
}
