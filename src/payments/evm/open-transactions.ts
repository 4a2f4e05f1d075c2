import { type Address, type Hex } from "../signatures/address.ts";
import { currentFees, type Fees, raisedFees } from "./fees.ts";
import { type EvmNode } from "./node.ts";
import { blockNumberRequest, type Receipt, receiptRequest, sendRequest, transactionCountRequest } from "./requests.ts";
import { isFault } from "./rpc.ts";
import { type Sent } from "./scheme.ts";
import { type SignedTransaction } from "./transaction.ts";

/** A transaction that was sent, perhaps, and is in no block that counts. */
export interface OpenTransaction {
  readonly tag: string;
  /** Signs the same again with another nonce or other fees. */
  readonly sign: (nonce: bigint, fees: Fees) => SignedTransaction;
  nonce: bigint;
  fees: Fees;
  /** Of the newest of `hashes`. */
  raw: Hex;
  /** Every transaction that would do the same, the newest last. */
  readonly hashes: Hex[];
  /** When it was sent or looked after last, in milliseconds. */
  touched: number;
  /** True while it is in a block, one that does not count yet. */
  isMined: boolean;
  /** How often its nonce was found used while it was in no block. */
  misses: number;
  /** Undefined once nobody waits for it any more. */
  wait: { readonly outcome: Promise<Sent>; readonly resolve: (sent: Sent) => void; readonly until: number } | undefined;
}

/** Transactions that do the same, at most: further ones are sent again as they are. */
const MAX_REPLACEMENTS = 5;
/** A transaction is looked after when a quarter of its time is over, and again each quarter. */
const QUARTERS = 4;
/** Transactions that are sent again at one look, the first ones. */
const MAX_RESENT = 16;

export interface OpenTransactions {
  /** All that are open, by tag. */
  readonly all: ReadonlyMap<string, OpenTransaction>;
  add(transaction: OpenTransaction): void;
  /** Waits until its outcome counts, or its time is over. Several may wait for one. */
  wait(transaction: OpenTransaction): Promise<Sent>;
  /** Forgets those that nobody waits for and whose nonce is used: `count` is the first unused one. */
  prune(count: bigint): void;
  close(): void;
}

interface Bounds {
  readonly maxFeePerGas: bigint;
  readonly receiptTimeoutMs: number;
}

/**
 * Polls for the receipts of all open transactions together, and sends again or dearer what does not get into a block.
 * `onGap` hears that a nonce was filled that the node had lost: which one is next, only the node knows then.
 */
export function createOpenTransactions(
  node: EvmNode,
  account: Address,
  { maxFeePerGas, receiptTimeoutMs }: Bounds,
  onGap: () => void,
): OpenTransactions {
  const all = new Map<string, OpenTransaction>();
  const state = { isRunning: false, isClosed: false };

  function settle(transaction: OpenTransaction, sent: Sent): void {
    if (sent.kind !== "open") all.delete(transaction.tag);
    transaction.wait?.resolve(sent);
    transaction.wait = undefined;
  }

  function leaveOpen(transaction: OpenTransaction, cause: string): void {
    settle(transaction, { kind: "open", transaction: transaction.hashes.at(-1) ?? "0x", cause });
  }

  function judge(transaction: OpenTransaction, receipt: Receipt, newest: bigint): void {
    transaction.isMined = true;
    if (newest - receipt.blockNumber + 1n < BigInt(node.confirmations)) return;
    const { transactionHash, logs, blockNumber } = receipt;
    const isMined = receipt.status === 1n;
    settle(
      transaction,
      isMined
        ? { kind: "mined", transaction: transactionHash, logs }
        : { kind: "reverted", transaction: transactionHash, blockNumber },
    );
  }

  /** One look at every receipt. */
  async function look(): Promise<void> {
    const watched = [...all.values()].filter(({ wait }) => wait !== undefined);
    const asked = watched.flatMap((transaction) => transaction.hashes.map((hash) => ({ transaction, hash })));
    const [newest, ...receipts] = await node.readAll<[bigint, ...(Receipt | null)[]]>(
      blockNumberRequest(),
      ...asked.map(({ hash }) => receiptRequest(hash)),
    );
    // A block may be left again.
    if (!isFault(newest)) for (const transaction of watched) transaction.isMined = false;
    for (const [i, { transaction, hash }] of asked.entries()) {
      const receipt = receipts[i];
      if (isFault(newest) || receipt === undefined || receipt === null || isFault(receipt)) continue;
      if (receipt.transactionHash === hash && transaction.wait !== undefined) judge(transaction, receipt, newest);
    }
    const now = node.now();
    for (const transaction of watched) {
      const left = transaction.wait === undefined ? undefined : transaction.wait.until - now;
      // Far more than there was at first: the clock was put back, and nobody is to wait for as long as it was.
      if (left !== undefined && (left <= 0 || left > 2 * receiptTimeoutMs)) {
        leaveOpen(transaction, `no receipt that counts within ${receiptTimeoutMs} ms`);
      }
    }
  }

  /** Looks after those that have waited long. */
  async function nurse(): Promise<void> {
    const due = node.now() - receiptTimeoutMs / QUARTERS;
    const stuck = [...all.values()].filter(
      ({ wait, isMined, touched }) => wait !== undefined && !isMined && touched <= due,
    );
    if (stuck.length === 0) return;
    const [count, pending] = await node.readAll<[bigint, bigint]>(
      transactionCountRequest(account, "latest"),
      transactionCountRequest(account, "pending"),
    );
    if (isFault(count) || isFault(pending)) return;
    for (const transaction of stuck) passOver(transaction, count);
    const own = [...all.values()]
      .filter(({ nonce }) => nonce >= count)
      .toSorted((a, b) => (a.nonce < b.nonce ? -1 : 1));
    const [head] = own;
    if (head === undefined) return;
    // What the node has not before the first of ours is lost: nothing of ours would ever get into a block.
    if (head.nonce > count && pending <= count) {
      replace(head, count, head.fees);
      onGap();
    } else if (head.nonce === count && head.touched <= due) await raise(head);
    for (const transaction of own.slice(0, MAX_RESENT)) {
      transaction.touched = node.now();
      const answer = await node.write(sendRequest(transaction.raw));
      // Receipts wait meanwhile.
      if (isFault(answer) && answer.fault === "unavailable") return;
    }
  }

  /** Gives up one whose nonce was used by another: at the second look, for nodes behind one address may differ. */
  function passOver(transaction: OpenTransaction, count: bigint): void {
    if (transaction.nonce >= count) return;
    transaction.touched = node.now();
    transaction.misses += 1;
    if (transaction.misses < 2) return;
    leaveOpen(transaction, "another transaction took the place of its own");
    all.delete(transaction.tag);
  }

  async function raise(transaction: OpenTransaction): Promise<void> {
    const now = await currentFees(node, maxFeePerGas);
    if (isFault(now) || now === "too dear") return;
    const fees = raisedFees(transaction.fees, now, maxFeePerGas);
    if (fees !== undefined) replace(transaction, transaction.nonce, fees);
  }

  function replace(transaction: OpenTransaction, nonce: bigint, fees: Fees): void {
    if (transaction.hashes.length >= MAX_REPLACEMENTS) return;
    const { raw, hash } = transaction.sign(nonce, fees);
    // Written down before it is sent: its receipt may come however the sending ends.
    Object.assign(transaction, { nonce, fees, raw });
    transaction.hashes.push(hash);
  }

  async function run(): Promise<void> {
    state.isRunning = true;
    while (!state.isClosed && [...all.values()].some(({ wait }) => wait !== undefined)) {
      await look();
      await nurse();
      await Bun.sleep(node.pollMs);
    }
    state.isRunning = false;
  }

  return {
    all,
    add: (transaction) => void all.set(transaction.tag, transaction),
    async wait(transaction) {
      if (state.isClosed)
        return { kind: "open", transaction: transaction.hashes.at(-1) ?? "0x", cause: "the facilitator is closing" };
      if (transaction.wait === undefined) {
        const { promise, resolve } = Promise.withResolvers<Sent>();
        const now = node.now();
        transaction.touched = Math.min(transaction.touched, now);
        transaction.wait = { outcome: promise, resolve, until: now + receiptTimeoutMs };
      }
      if (!state.isRunning) void run();
      return await transaction.wait.outcome;
    },
    prune(count) {
      for (const { tag, nonce, wait } of all.values()) if (wait === undefined && nonce < count) all.delete(tag);
    },
    close() {
      state.isClosed = true;
      for (const transaction of all.values()) leaveOpen(transaction, "the facilitator is closing");
    },
  };
}
