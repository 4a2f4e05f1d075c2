import { z } from "zod";
import { NewestMap } from "../../lib/memory/newest-map.ts";
import { isRpcError, type Request, Rpc, type RpcError } from "../evm/node/rpc.ts";
import { decodeTransaction, type Transaction } from "../solana/transaction.ts";
import { type Outcome } from "../x402/facilitator.ts";
import { isSolanaPayment, type PaymentPayload } from "../x402/messages.ts";
import { transactionOf } from "../x402/payment-key.ts";

export interface SolanaCluster {
  readonly network: string;
  readonly rpc_url: string;
  readonly timeout_ms: number;
}

/** The payer's last transactions, among which a payment is searched. @bound */
const MAX_SEARCHED = 100;
/** Milliseconds after which a node has every transaction of an expired blockhash in its index. @bound */
const INDEXED_MS = 30_000;
/** Payments whose blockhash was seen as expired. The oldest is forgotten first. @bound */
const MAX_EXPIRED = 4096;
/** The payer is the second signer; the first one pays the fee. */
const PAYER = 1;

const listed = z.array(
  z.object({ signature: z.string().max(88), err: z.unknown(), confirmationStatus: z.string().nullish() }),
);
const shown = z.object({ transaction: z.tuple([z.string().max(2048), z.literal("base64")]) }).nullable();
const validity = z.object({ value: z.boolean() });

/** Looks up payments on clusters of Solana. It has no key and changes nothing. */
export class SolanaReader {
  readonly #nodes: ReadonlyMap<string, Rpc>;
  readonly #now: () => number;
  /** The times at which blockhashes were first seen as expired, by the digests of payments. */
  readonly #expired = new NewestMap<string, number>(MAX_EXPIRED);

  /** `now` returns monotonic milliseconds. Throws if a URL is invalid. */
  constructor(clusters: readonly SolanaCluster[], now: () => number = () => performance.now()) {
    this.#nodes = new Map(clusters.map(({ network, rpc_url: url, timeout_ms }) => [network, new Rpc(url, timeout_ms)]));
    this.#now = now;
  }

  /**
   * Searches the transaction among those of its payer, by its message: its name is the signature of the fee payer, which
   * only the facilitator has seen. It is void once its blockhash has expired without it.
   */
  async find(payment: PaymentPayload): Promise<Outcome> {
    const node = this.#nodes.get(payment.accepted.network);
    if (node === undefined || !isSolanaPayment(payment)) {
      return { kind: "unknown", cause: "the payment's network is not one of x402.chains" };
    }
    const transaction = transactionOf(payment);
    // The validity is asked before the list. So a list that is read after the expiry has every transaction that was executed in time.
    const expiry = await ask(node, {
      method: "isBlockhashValid",
      params: [transaction.blockhash, { commitment: "finalized" }],
      schema: validity,
    });
    if (isRpcError(expiry)) return { kind: "unknown", cause: expiry.cause };
    const found = await search(node, transaction);
    if (found.kind !== "unspent" || expiry.value) return found;
    return { kind: this.#isIndexed(transaction.digest) ? "void" : "unspent" };
  }

  #isIndexed(digest: string): boolean {
    const since = this.#expired.get(digest);
    if (since === undefined) this.#expired.set(digest, this.#now());
    return since !== undefined && this.#now() - since >= INDEXED_MS;
  }
}

async function ask<T>(node: Rpc, request: Request<T>): Promise<T | RpcError> {
  const [response] = await node.readAll<[T]>([request]);
  return response;
}

/** `unspent`: the payer has no such transaction. */
async function search(node: Rpc, { keys, message }: Transaction): Promise<Outcome> {
  const payer = keys[PAYER] ?? "";
  const own = await ask(node, {
    method: "getSignaturesForAddress",
    params: [payer, { limit: MAX_SEARCHED, commitment: "confirmed" }],
    schema: listed,
  });
  if (isRpcError(own)) return { kind: "unknown", cause: own.cause };
  const transactions = await node.readAll(own.map(({ signature }) => shownBy(signature)));
  let isComplete = own.length < MAX_SEARCHED;
  for (const [i, response] of transactions.entries()) {
    const entry = own[i];
    if (entry === undefined || response === null || isRpcError(response)) {
      isComplete = false;
      continue;
    }
    const executed = decodeTransaction(response.transaction[0]);
    if (executed === undefined || !Buffer.from(executed.message).equals(message)) continue;
    if (entry.err === null || entry.err === undefined) return { kind: "settled", transaction: entry.signature, payer };
    if (entry.confirmationStatus === "finalized") return { kind: "void" };
    return { kind: "unknown", cause: "the transaction failed, and is not final" };
  }
  return isComplete ? { kind: "unspent" } : { kind: "unknown", cause: "the payer has too many transactions to search" };
}

function shownBy(signature: string): Request<z.infer<typeof shown>> {
  const options = { encoding: "base64", commitment: "confirmed", maxSupportedTransactionVersion: 0 };
  return { method: "getTransaction", params: [signature, options], schema: shown };
}
