import { z } from "zod";
import { type Hex, sameAddress } from "../../x402/address.ts";
import { type Outcome } from "../../x402/facilitator.ts";
import { type PaymentRequirements, type Permit2Payment } from "../../x402/messages.ts";
import { PERMIT2, PROXIES, transferOf } from "../../x402/transfer.ts";
import { toWord, TRANSFER, wordAt } from "../node/abi.ts";
import { earliestSettlement, findEvent, MAX_WINDOW_BLOCKS } from "../node/log-search.ts";
import { type EvmNode } from "../node/node.ts";
import { type Block, blockRequest, type Log, logsRequest } from "../node/requests.ts";
import { type RpcError, isRpcError, type Request } from "../node/rpc.ts";
import { chargeOf } from "./calldata.ts";
import { checkSigner } from "./signature.ts";
import { bitmapRequest, isSpent } from "./state.ts";
import { largest } from "../../../lib/extremes.ts";

/** Newest blocks with transfers from payer to payee that are read; beyond it the outcome is unknown. */
const MAX_CANDIDATE_BLOCKS = 64;
/** Longest transaction input that is read, in hex characters; a longer one is an error. */
const MAX_INPUT = 64 * 1024;

const transaction = z.object({
  to: z.string().max(42).nullable(),
  input: z.custom<Hex>(
    (value) => typeof value === "string" && value.length <= MAX_INPUT && /^0x[0-9a-f]*$/i.test(value),
  ),
});
type Transaction = z.infer<typeof transaction>;

function transactionRequest(hash: Hex): Request<Transaction | null> {
  return { method: "eth_getTransactionByHash", params: [hash], schema: transaction.nullable() };
}

function unknown(cause: string): Outcome {
  return { kind: "unknown", cause };
}

/**
 * Finds the outcome of a payment from its nonce in Permit2. Permit2 does not record transfers. They are read from the
 * token's events and the calls of the proxies.
 */
export async function findPermit2(
  node: EvmNode,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
): Promise<Outcome> {
  const [bitmap, newest] = await node.readAll<[Hex, Block | null]>(bitmapRequest(payment), blockRequest("latest"));
  if (isRpcError(newest)) return unknown(newest.cause);
  if (isRpcError(bitmap) && bitmap.refusal !== "reverted") return unknown(bitmap.cause);
  const spent = isSpent(payment, bitmap);
  if (newest === null || spent === undefined) return unknown("there is no Permit2 on this chain");
  const number = newest.number - BigInt(node.confirmations - 1);
  const counted = number === newest.number ? newest : await node.read(blockRequest(largest(number, 0n)));
  if (isRpcError(counted)) return unknown(counted.cause);
  if (counted === null) return unknown("the node has no such block");
  if (!spent && counted.timestamp <= BigInt(payment.payload.permit2Authorization.deadline)) return { kind: "unspent" };
  // The block is given by number, because several nodes may share one address, and their newest blocks may differ.
  const before = await node.read(bitmapRequest(payment, counted.number));
  if (isRpcError(before)) return unknown(before.cause);
  const counts = isSpent(payment, before);
  if (counts === undefined || (counts && !spent)) return unknown("the node contradicts itself");
  if (!spent) return { kind: "void" };
  if (!counts) return unknown("the nonce is spent in a block that does not count yet");
  const problem = await checkSigner(node, payment, requirements);
  if (problem !== undefined) return unknown(isRpcError(problem) ? problem.cause : "its signature does not hold");
  return await findSpending(node, payment, requirements, counted);
}

/**
 * Finds the transaction that spent the nonce. A direct call of an x402 proxy contains its authorization. A contract in
 * between may have used any authorization. A transfer through one is therefore neither counted as this payment nor
 * ruled out.
 */
async function findSpending(
  node: EvmNode,
  payment: Permit2Payment,
  requirements: PaymentRequirements,
  newest: Block,
): Promise<Outcome> {
  const { from, permitted, witness } = payment.payload.permit2Authorization;
  const topics = [TRANSFER, toWord(from), toWord(witness.to)];
  const since = earliestSettlement(transferOf(payment, requirements), requirements);
  let isUnclear = false;
  let last = newest;
  for (let blocks = 0; blocks < MAX_CANDIDATE_BLOCKS; blocks++) {
    const event = await findEvent(node, { address: permitted.token, topics, since }, last);
    if (isRpcError(event)) return unknown(event.cause);
    if (event === undefined) {
      if (isUnclear || !(await isComplete(node, since, last)))
        return unknown("the transaction that spent the nonce was not found");
      return { kind: "void" };
    }
    for (const seen of await inspect(node, payment, topics, event.blockNumber)) {
      if (isRpcError(seen)) return unknown(seen.cause);
      if (seen.kind === "ours") return { kind: "settled", transaction: seen.transaction, payer: from };
      if (seen.kind === "unclear") isUnclear = true;
    }
    last = { ...last, number: event.blockNumber - 1n };
  }
  return unknown("the payer has paid the payee too often for this payment to be found");
}

/** True if a search up to `last` that found nothing covered all blocks from `since` on. */
async function isComplete(node: EvmNode, since: bigint, last: Block): Promise<boolean> {
  if (last.number <= MAX_WINDOW_BLOCKS) return true;
  const block = await node.read(blockRequest(last.number - MAX_WINDOW_BLOCKS));
  return !isRpcError(block) && block !== null && block.timestamp < since;
}

/** A transfer from the payer to the payee: this payment's, another's, or unclear. */
type Seen = { readonly kind: "ours"; readonly transaction: Hex } | { readonly kind: "other" | "unclear" };

/** Reads all such transfers in one block. */
async function inspect(
  node: EvmNode,
  payment: Permit2Payment,
  topics: readonly Hex[],
  block: bigint,
): Promise<readonly (Seen | RpcError)[]> {
  const { token } = payment.payload.permit2Authorization.permitted;
  const logs = await node.read(logsRequest(token, topics, block, block));
  if (isRpcError(logs)) return [logs];
  const found = await node.readAll<(Transaction | null)[]>(
    ...logs.map(({ transactionHash }) => transactionRequest(transactionHash)),
  );
  return logs.map((log, i) => judge(payment, log, found[i] ?? null));
}

function judge(payment: Permit2Payment, log: Log, found: Transaction | RpcError | null): Seen | RpcError {
  if (isRpcError(found)) return found;
  const { spender, permitted } = payment.payload.permit2Authorization;
  if (found === null || found.to === null) return { kind: "unclear" };
  const { to } = found;
  if (!sameAddress(to, spender)) {
    const isElsewhere = [permitted.token, PERMIT2, PROXIES.exact, PROXIES.upto].some((own) => sameAddress(to, own));
    return { kind: isElsewhere ? "other" : "unclear" };
  }
  const charge = chargeOf(found.input, payment);
  if (typeof charge === "string") return { kind: charge };
  return charge === wordAt(log.data, 0) ? { kind: "ours", transaction: log.transactionHash } : { kind: "unclear" };
}
