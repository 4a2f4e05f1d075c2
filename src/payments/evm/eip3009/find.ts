import { type Hex, isAddress } from "../../signatures/address.ts";
import { type Outcome } from "../../facilitator/facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../x402/messages.ts";
import { type Transfer, transferOf } from "../../x402/transfer.ts";
import { toWord, wordAt } from "../abi.ts";
import { findEvent } from "../log-search.ts";
import { type EvmNode } from "../node.ts";
import { type Block, blockRequest, callRequest, receiptRequest } from "../requests.ts";
import { type Fault, isFault } from "../rpc.ts";
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, stateCall } from "./calls.ts";
import { showsPayee, showsTransfer } from "./evidence.ts";

/** How long before it could be verified a payment may have been used, for clocks that differ, in seconds. */
const SEARCH_SLACK_S = 600n;

function unknown(cause: string): Outcome {
  return { kind: "unknown", cause };
}

/** What the token knows of the payment's nonce. */
export async function findEip3009(
  node: EvmNode,
  payment: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<Outcome> {
  const transfer = transferOf(payment, requirements);
  if (!isAddress(transfer.contract)) return unknown("the asset is not an address");
  const [state, newest] = await node.readAll<[Hex, Block | null]>(
    callRequest(transfer.contract, stateCall(transfer)),
    blockRequest("latest"),
  );
  if (isFault(newest)) return unknown(newest.cause);
  if (isFault(state)) return unknown(state.cause);
  const used = wordAt(state, 0);
  if (newest === null || used === undefined) return unknown("the token tells nothing of authorizations");
  if (used === 0n) return await unused(node, transfer, newest);
  return await findUse(node, transfer, requirements, newest);
}

/** Nothing has moved; nothing will, once a block that counts is past the authorization's time. */
async function unused(node: EvmNode, transfer: Transfer, newest: Block): Promise<Outcome> {
  const end = BigInt(transfer.validBefore);
  if (newest.timestamp < end) return { kind: "unspent" };
  const number = newest.number - BigInt(node.confirmations - 1);
  if (number < 0n) return { kind: "unspent" };
  const block = number === newest.number ? newest : await node.read(blockRequest(number));
  if (isFault(block)) return unknown(block.cause);
  if (block === null || block.timestamp < end) return { kind: "unspent" };
  const used = await usedAt(node, transfer, number);
  if (isFault(used)) return unknown(used.cause);
  return used ? unknown("the node contradicts itself") : { kind: "void" };
}

/**
 * Whether the nonce was used when that block was over. By its number: behind one address there may be several nodes, and the
 * newest block of each another.
 */
export async function usedAt(node: EvmNode, transfer: Transfer, block: bigint): Promise<boolean | Fault> {
  const state = await node.read(callRequest(transfer.contract, stateCall(transfer), { block }));
  if (isFault(state)) return state;
  const used = wordAt(state, 0);
  return used === undefined ? { fault: "failed", cause: "the token tells nothing of authorizations" } : used !== 0n;
}

/** By whom and for what the nonce was used: by ourselves, by a stranger who sent the same, or for something else. */
async function findUse(
  node: EvmNode,
  transfer: Transfer,
  { maxTimeoutSeconds }: PaymentRequirements,
  newest: Block,
): Promise<Outcome> {
  const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], toWord(transfer.from), toWord(transfer.nonce)];
  const verified = BigInt(transfer.validBefore) - BigInt(maxTimeoutSeconds) - SEARCH_SLACK_S;
  const validAfter = BigInt(transfer.validAfter);
  const since = verified > validAfter ? verified : validAfter;
  const event = await findEvent(node, { address: transfer.contract, topics, since }, newest);
  if (event === undefined) return unknown("the nonce is used, and the event of it was not found");
  if (isFault(event)) return unknown(event.cause);
  if (newest.number - event.blockNumber + 1n < BigInt(node.confirmations)) {
    return unknown("the nonce is used in a block that does not count yet");
  }
  const receipt = await node.read(receiptRequest(event.transactionHash));
  if (isFault(receipt)) return unknown(receipt.cause);
  if (receipt === null) return unknown("the node has no receipt of the transaction that used the nonce");
  const { logs, transactionHash, blockNumber } = receipt;
  // The block was left, and what the transaction did in another one may not count.
  if (transactionHash !== event.transactionHash || blockNumber !== event.blockNumber || receipt.status !== 1n) {
    return unknown("the receipt of the transaction that used the nonce is of another block");
  }
  if (event.topics[0] === AUTHORIZATION_CANCELED) return { kind: "void" };
  if (showsTransfer(logs, transfer)) return { kind: "settled", transaction: transactionHash, payer: transfer.from };
  if (showsPayee(logs, transfer)) return unknown("the transaction that used the nonce paid the payee another amount");
  return { kind: "void" };
}
