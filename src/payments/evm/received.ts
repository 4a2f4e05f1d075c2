import { type Hex, isAddress, sameAddress } from "../x402/address.ts";
import { toWord, TRANSFER, wordAt } from "./node/abi.ts";
import { whyNotCounted } from "./node/counted.ts";
import { type EvmNode } from "./node/node.ts";
import { blockNumberRequest, type Log, type Receipt, receiptRequest } from "./node/requests.ts";
import { isRpcError } from "./node/rpc.ts";
import { showsTransfer } from "./eip3009/evidence.ts";

export interface SettledPayment {
  /** The contract that records the nonce as used. */
  readonly asset: string;
  readonly token: string;
  readonly from: string;
  readonly payTo: string;
  readonly nonce: string;
  /** Atomic units that were charged. */
  readonly amount: string;
  readonly transaction: string;
}

/** `missing` is definite. `cause` is for the log and the operator: it contains no address of an endpoint. */
export type Received = { readonly kind: "received" | "missing" } | { readonly kind: "unknown"; readonly cause: string };

/**
 * Tells whether the chain shows that a payment was received. A ledger knows only what a facilitator has said, and a block
 * may have been dropped since.
 */
export async function checkReceived(node: EvmNode, payment: SettledPayment): Promise<Received> {
  const { transaction } = payment;
  if (!isHash(transaction)) return { kind: "missing" };
  const [receipt, newest] = await node.readAll<[Receipt | null, bigint]>(
    receiptRequest(transaction),
    blockNumberRequest(),
  );
  if (isRpcError(receipt)) return { kind: "unknown", cause: receipt.cause };
  if (isRpcError(newest)) return { kind: "unknown", cause: newest.cause };
  if (receipt === null) return { kind: "unknown", cause: "the node does not have the transaction of the payment" };
  const [problem] = await whyNotCounted(node, [receipt], newest);
  if (problem !== undefined) return { kind: "unknown", cause: problem };
  return { kind: receipt.status === 1n && shows(receipt.logs, payment) ? "received" : "missing" };
}

function isHash(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}

function shows(logs: readonly Log[], payment: SettledPayment): boolean {
  const { asset, token, from, payTo, nonce, amount } = payment;
  if (!isAddress(from) || !isAddress(payTo) || !isHash(nonce)) return false;
  // Under EIP-3009 the token names the nonce, so one transaction proves no other payment.
  if (sameAddress(asset, token)) {
    const times = { validAfter: "0", validBefore: "0" };
    return showsTransfer(logs, { contract: token, from, to: payTo, value: amount, nonce, ...times });
  }
  return logs.some(
    ({ address, topics, data }) =>
      sameAddress(address, token) &&
      topics[0] === TRANSFER &&
      topics[1]?.toLowerCase() === toWord(from) &&
      topics[2]?.toLowerCase() === toWord(payTo) &&
      wordAt(data, 0) === BigInt(amount),
  );
}
