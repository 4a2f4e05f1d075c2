import { type Hex, isAddress } from "../../x402/address.ts";
import { type Outcome } from "../../x402/facilitator.ts";
import { type Eip3009Payment, type PaymentRequirements } from "../../x402/messages.ts";
import { type Transfer, transferOf } from "../../x402/transfer.ts";
import { toWord, wordAt } from "../node/abi.ts";
import { earliestSettlement, findEvent } from "../node/log-search.ts";
import { whyNotCounted } from "../node/counted.ts";
import { type EvmNode } from "../node/node.ts";
import { type Block, blockRequest, callRequest, receiptRequest } from "../node/requests.ts";
import { type RpcError, isRpcError } from "../node/rpc.ts";
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, stateCall } from "./calls.ts";
import { showsPayee, showsTransfer } from "./evidence.ts";

function unknown(cause: string): Outcome {
  return { kind: "unknown", cause };
}

/** Finds the outcome of a payment from the state of its nonce in the token. */
export async function findEip3009(
  node: EvmNode,
  payment: Eip3009Payment,
  requirements: PaymentRequirements,
): Promise<Outcome> {
  const transfer = transferOf(payment, requirements);
  if (!isAddress(transfer.contract)) return unknown("the asset is not an address");
  const [state, newest] = await node.readAll<[Hex, Block | null]>(
    callRequest(transfer.contract, stateCall(transfer)),
    blockRequest("latest"),
  );
  if (isRpcError(newest)) return unknown(newest.cause);
  if (isRpcError(state)) return unknown(state.cause);
  const used = wordAt(state, 0);
  if (newest === null || used === undefined) return unknown("the token does not report its authorizations");
  if (used === 0n) return await unused(node, transfer, newest);
  return await findUse(node, transfer, requirements, newest);
}

/** The nonce is not used. The payment is void as soon as a confirmed block is later than the authorization's end. */
async function unused(node: EvmNode, transfer: Transfer, newest: Block): Promise<Outcome> {
  const end = BigInt(transfer.validBefore);
  if (newest.timestamp < end) return { kind: "unspent" };
  const number = newest.number - BigInt(node.confirmations - 1);
  if (number < 0n) return { kind: "unspent" };
  const block = number === newest.number ? newest : await node.read(blockRequest(number));
  if (isRpcError(block)) return unknown(block.cause);
  if (block === null || block.timestamp < end) return { kind: "unspent" };
  const used = await usedAt(node, transfer, number);
  if (isRpcError(used)) return unknown(used.cause);
  return used ? unknown("the node contradicts itself") : { kind: "void" };
}

/**
 * True if the nonce was used at the end of this block. The block is given by number, because several nodes may share
 * one address, and their newest blocks may differ.
 */
export async function usedAt(node: EvmNode, transfer: Transfer, block: bigint): Promise<boolean | RpcError> {
  const state = await node.read(callRequest(transfer.contract, stateCall(transfer), { block }));
  if (isRpcError(state)) return state;
  const used = wordAt(state, 0);
  return used === undefined ? { error: "failed", cause: "the token does not report its authorizations" } : used !== 0n;
}

/** Finds the transaction that used the nonce: ours, another account's with it, or one for another purpose. */
async function findUse(
  node: EvmNode,
  transfer: Transfer,
  requirements: PaymentRequirements,
  newest: Block,
): Promise<Outcome> {
  const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], toWord(transfer.from), toWord(transfer.nonce)];
  const since = earliestSettlement(transfer, requirements);
  const event = await findEvent(node, { address: transfer.contract, topics, since }, newest);
  if (event === undefined) return unknown("the nonce is used, and the event of it was not found");
  if (isRpcError(event)) return unknown(event.cause);
  if (newest.number - event.blockNumber + 1n < BigInt(node.confirmations)) {
    return unknown("the nonce is used in a block that does not count yet");
  }
  const receipt = await node.read(receiptRequest(event.transactionHash));
  if (isRpcError(receipt)) return unknown(receipt.cause);
  if (receipt === null) return unknown("the node has no receipt of the transaction that used the nonce");
  const { logs, transactionHash, blockNumber } = receipt;
  // The block was dropped in a reorganization. The transaction may have another result in its new block.
  if (transactionHash !== event.transactionHash || blockNumber !== event.blockNumber || receipt.status !== 1n) {
    return unknown("the receipt of the transaction that used the nonce is of another block");
  }
  const [problem] = await whyNotCounted(node, [receipt], newest.number);
  if (problem !== undefined) return unknown(problem);
  if (event.topics[0] === AUTHORIZATION_CANCELED) return { kind: "void" };
  if (showsTransfer(logs, transfer)) return { kind: "settled", transaction: transactionHash, payer: transfer.from };
  if (showsPayee(logs, transfer)) return unknown("the transaction that used the nonce paid the payee another amount");
  return { kind: "void" };
}
