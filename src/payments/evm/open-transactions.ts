import { type Address, type Hex } from "../x402/address.ts";
import { currentFees, type Fees, raisedFees } from "./transactions/fees.ts";
import { whyNotCounted } from "./node/counted.ts";
import { type EvmNode } from "./node/node.ts";
import {
  blockNumberRequest,
  type Receipt,
  receiptRequest,
  sendRequest,
  transactionCountRequest,
} from "./node/requests.ts";
import { isRpcError } from "./node/rpc.ts";
import { type Sent } from "./node/scheme.ts";
import { type SignedTransaction } from "./transactions/transaction.ts";

/** A transaction that may have been sent, and is in no confirmed block. */
export interface OpenTransaction {
  readonly tag: string;
  /** Signs the same call again with another nonce or other fees. Rejects with SignerError. */
  readonly sign: (nonce: bigint, fees: Fees) => Promise<SignedTransaction>;
  nonce: bigint;
  fees: Fees;
  /** The newest of `hashes` in its signed form. */
  raw: Hex;
  /** All transactions that make the same call, the newest last. */
  readonly hashes: Hex[];
  /** Time when it was last sent or checked, by `EvmNode.steady`. */
  touched: number;
  /** True while it is in a block that does not have enough confirmations yet. */
  isMined: boolean;
  /** The number of checks in which its nonce was used on the chain while it was in no block. */
  misses: number;
  /** Undefined when no caller waits for it any more. */
  wait: { readonly outcome: Promise<Sent>; readonly resolve: (sent: Sent) => void; readonly until: number } | undefined;
}

/** Transactions with the same call. Beyond it the last one is sent again unchanged. */
const MAX_REPLACEMENTS = 5;
/** A transaction is checked after a quarter of its time, and again after each further quarter. */
const QUARTERS = 4;
/** Transactions that one check sends again: those with the lowest nonces, for which others must wait. */
const MAX_RESENT = 16;

interface Bounds {
  readonly maxFeePerGas: bigint;
  readonly receiptTimeoutMs: number;
}

/**
 * The transactions that were sent and whose outcome is not known. Polls their receipts together. Sends transactions
 * again, or with higher fees, if they do not get into a block. Calls `onGap` after filling a nonce that the node had
 * lost: then only the node knows the next nonce.
 */
export class OpenTransactions {
  readonly #all = new Map<string, OpenTransaction>();
  readonly #node: EvmNode;
  readonly #account: Address;
  readonly #bounds: Bounds;
  readonly #onGap: () => void;
  #isRunning = false;
  #isClosed = false;

  constructor(node: EvmNode, account: Address, bounds: Bounds, onGap: () => void) {
    this.#node = node;
    this.#account = account;
    this.#bounds = bounds;
    this.#onGap = onGap;
  }

  get all(): ReadonlyMap<string, OpenTransaction> {
    return this.#all;
  }

  add(transaction: OpenTransaction): void {
    this.#all.set(transaction.tag, transaction);
  }

  /** Waits until the outcome counts, or the time is over. Several callers may wait for one transaction. */
  async wait(transaction: OpenTransaction): Promise<Sent> {
    if (this.#isClosed)
      return { kind: "open", transaction: transaction.hashes.at(-1) ?? "0x", cause: "the facilitator is closing" };
    if (transaction.wait === undefined) {
      const { promise, resolve } = Promise.withResolvers<Sent>();
      const until = this.#node.steady() + this.#bounds.receiptTimeoutMs;
      transaction.wait = { outcome: promise, resolve, until };
    }
    if (!this.#isRunning) void this.#run();
    return await transaction.wait.outcome;
  }

  /** Removes transactions that no caller waits for and whose nonce is used: `count` is the first unused nonce. */
  prune(count: bigint): void {
    for (const { tag, nonce, wait } of this.#all.values())
      if (wait === undefined && nonce < count) this.#all.delete(tag);
  }

  close(): void {
    this.#isClosed = true;
    for (const transaction of this.#all.values()) this.#leaveOpen(transaction, "the facilitator is closing");
  }

  #settle(transaction: OpenTransaction, sent: Sent): void {
    if (sent.kind !== "open") this.#all.delete(transaction.tag);
    transaction.wait?.resolve(sent);
    transaction.wait = undefined;
  }

  #leaveOpen(transaction: OpenTransaction, cause: string): void {
    this.#settle(transaction, { kind: "open", transaction: transaction.hashes.at(-1) ?? "0x", cause });
  }

  #judge(transaction: OpenTransaction, { transactionHash, logs, blockNumber, status }: Receipt): void {
    this.#settle(
      transaction,
      status === 1n
        ? { kind: "mined", transaction: transactionHash, logs }
        : { kind: "reverted", transaction: transactionHash, blockNumber },
    );
  }

  /** Checks every receipt once. */
  async #look(): Promise<void> {
    const watched = [...this.#all.values()].filter(({ wait }) => wait !== undefined);
    const asked = watched.flatMap((transaction) => transaction.hashes.map((hash) => ({ transaction, hash })));
    const [newest, ...receipts] = await this.#node.readAll<[bigint, ...(Receipt | null)[]]>(
      blockNumberRequest(),
      ...asked.map(({ hash }) => receiptRequest(hash)),
    );
    // A reorganization may drop a block.
    if (!isRpcError(newest)) for (const transaction of watched) transaction.isMined = false;
    const found = asked.flatMap(({ transaction, hash }, i) => {
      const receipt = receipts[i];
      if (receipt === undefined || receipt === null || isRpcError(receipt)) return [];
      return receipt.transactionHash === hash ? [{ transaction, receipt }] : [];
    });
    if (!isRpcError(newest)) {
      for (const { transaction } of found) transaction.isMined = true;
      const receiptsFound = found.map(({ receipt }) => receipt);
      const problems = await whyNotCounted(this.#node, receiptsFound, newest);
      for (const [i, { transaction, receipt }] of found.entries()) {
        if (problems[i] === undefined && transaction.wait !== undefined) this.#judge(transaction, receipt);
      }
    }
    const now = this.#node.steady();
    for (const transaction of watched) {
      if (transaction.wait !== undefined && transaction.wait.until <= now) {
        this.#leaveOpen(transaction, `no receipt that counts within ${this.#bounds.receiptTimeoutMs} ms`);
      }
    }
  }

  /** Handles transactions that have waited long. */
  async #nurse(): Promise<void> {
    const due = this.#node.steady() - this.#bounds.receiptTimeoutMs / QUARTERS;
    const stuck = [...this.#all.values()].filter(
      ({ wait, isMined, touched }) => wait !== undefined && !isMined && touched <= due,
    );
    if (stuck.length === 0) return;
    const [count, pending] = await this.#node.readAll<[bigint, bigint]>(
      transactionCountRequest(this.#account, "latest"),
      transactionCountRequest(this.#account, "pending"),
    );
    if (isRpcError(count) || isRpcError(pending)) return;
    for (const transaction of stuck) this.#passOver(transaction, count);
    const own = [...this.#all.values()]
      .filter(({ nonce }) => nonce >= count)
      .toSorted((a, b) => (a.nonce < b.nonce ? -1 : 1));
    const [head] = own;
    if (head === undefined) return;
    // The node has lost the transactions before the gateway's first one. Without them, none of the later ones would get
    // into a block.
    if (head.nonce > count && pending <= count) {
      if (await this.#replace(head, count, head.fees)) this.#onGap();
    } else if (head.nonce === count && head.touched <= due) await this.#raise(head);
    for (const transaction of own.filter(({ touched }) => touched <= due).slice(0, MAX_RESENT)) {
      transaction.touched = this.#node.steady();
      const response = await this.#node.write(sendRequest(transaction.raw));
      // The remaining ones are not sent, so that the check for receipts is not delayed.
      if (isRpcError(response) && response.error === "unavailable") return;
    }
  }

  /** Gives up a transaction whose nonce is used, at the second check: nodes behind one address may differ. */
  #passOver(transaction: OpenTransaction, count: bigint): void {
    if (transaction.nonce >= count) return;
    transaction.touched = this.#node.steady();
    transaction.misses += 1;
    if (transaction.misses < 2) return;
    this.#leaveOpen(transaction, "another transaction replaced its own");
    this.#all.delete(transaction.tag);
  }

  async #raise(transaction: OpenTransaction): Promise<void> {
    const now = await currentFees(this.#node, this.#bounds.maxFeePerGas);
    if (isRpcError(now) || now === "too dear") return;
    const fees = raisedFees(transaction.fees, now, this.#bounds.maxFeePerGas);
    if (fees !== undefined) await this.#replace(transaction, transaction.nonce, fees);
  }

  /** False: the transaction stays as it was, because it was replaced too often or its signer is away. */
  async #replace(transaction: OpenTransaction, nonce: bigint, fees: Fees): Promise<boolean> {
    if (transaction.hashes.length >= MAX_REPLACEMENTS) return false;
    const signed = await transaction.sign(nonce, fees).catch(() => undefined);
    if (signed === undefined) return false;
    const { raw, hash } = signed;
    // Recorded before it is sent: its receipt may come even if sending fails.
    Object.assign(transaction, { nonce, fees, raw, touched: Number.NEGATIVE_INFINITY });
    transaction.hashes.push(hash);
    return true;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (!this.#isClosed && [...this.#all.values()].some(({ wait }) => wait !== undefined)) {
      await this.#look();
      await this.#nurse();
      await Bun.sleep(this.#node.pollMs);
    }
    this.#isRunning = false;
  }
}
