import { type Account } from "../signatures/signature.ts";
import { type Hex } from "../x402/address.ts";
import { chainId } from "../x402/networks.ts";
import { currentFees, type Fees, raisedFees } from "./fees.ts";
import { type EvmNode } from "./node.ts";
import { createOpenTransactions, type OpenTransaction } from "./open-transactions.ts";
import { createPayerGuard } from "./payer-guard.ts";
import { estimateRequest, sendRequest, transactionCountRequest } from "./requests.ts";
import { type RpcError, isRpcError } from "./rpc.ts";
import { type Sender, type Sending, type Sent } from "./scheme.ts";
import { type SignedTransaction, signTransaction } from "./transaction.ts";

/** The limits of one key on one chain. */
export interface SenderBounds {
  /** Wei per unit of gas. */
  readonly maxFeePerGas: bigint;
  readonly maxGas: bigint;
  readonly maxPending: number;
  readonly receiptTimeoutMs: number;
}

/** A sender that its owner closes. */
export interface OwnSender extends Sender {
  /** Ends all waits; the waiting callers get an open outcome. */
  close(): void;
}

/**
 * Broadcasts of one transaction with other nonces or fees, if the node refuses the first ones. After the last one, the
 * transaction is withheld.
 */
const MAX_BROADCASTS = 4;
/**
 * Gas limit of a transaction, in percent of its estimate. The state may change between estimate and block, and an
 * authorization costs a little more the first time.
 */
const GAS_MARGIN_PERCENT = 125n;

function withheld(cause: string): Sent {
  return { kind: "withheld", cause };
}

/** The key's transactions on one chain, with nonces in order. No other program may send with this key. */
export function createSender(node: EvmNode, account: Account, bounds: SenderBounds): OwnSender {
  const id = chainId(node.network);
  const guard = createPayerGuard(node.now);
  /** Transactions before their broadcast. */
  let preparing = 0;
  /** The nonce of the next transaction; undefined if only the node knows it. */
  let next: bigint | undefined;
  const open = createOpenTransactions(node, account.address, bounds, () => {
    next = undefined;
  });
  /**
   * One broadcast at a time. A refused broadcast must not leave a nonce unused, because later transactions would wait
   * for it.
   */
  let turn: Promise<unknown> = Promise.resolve();

  /** The gas and fees within the limits, or the reason why nothing can be sent. */
  async function prepare({ to, data }: Sending): Promise<{ readonly gas: bigint; readonly fees: Fees } | Sent> {
    const [fees, gas] = await Promise.all([
      currentFees(node, bounds.maxFeePerGas),
      node.read(estimateRequest(account.address, to, data)),
    ]);
    if (isRpcError(gas)) return unsent(gas);
    if (isRpcError(fees)) return unsent(fees);
    if (fees === "too dear") return withheld("the chain's fees are above max_fee_per_gas: nothing was sent");
    if (gas > bounds.maxGas) return { kind: "rejected" };
    const generous = (gas * GAS_MARGIN_PERCENT) / 100n;
    return { gas: generous < bounds.maxGas ? generous : bounds.maxGas, fees };
  }

  function signer({ to, data }: Sending, gas: bigint): (nonce: bigint, fees: Fees) => SignedTransaction {
    return (nonce, fees) => signTransaction({ chainId: id, nonce, ...fees, gas, to, data }, account.privateKey);
  }

  /** The chain's current fees, and always more than `refused`; undefined if they would be above the limit. */
  async function feesAbove(refused: Fees): Promise<Fees | undefined> {
    const now = await currentFees(node, bounds.maxFeePerGas);
    if (now === "too dear") return undefined;
    return raisedFees(refused, isRpcError(now) ? refused : now, bounds.maxFeePerGas);
  }

  /** The next nonce, at least `least`. */
  async function nonceFrom(least: bigint): Promise<bigint | RpcError> {
    const known = next ?? (await node.read(transactionCountRequest(account.address, "pending")));
    if (isRpcError(known)) return known;
    return known > least ? known : least;
  }

  async function broadcast(
    sending: Sending,
    sign: (nonce: bigint, fees: Fees) => SignedTransaction,
    first: Fees,
  ): Promise<OpenTransaction | Sent> {
    let least = 0n;
    let fees: Fees | undefined = first;
    for (let tries = 0; tries < MAX_BROADCASTS && fees !== undefined; tries++) {
      const nonce = await nonceFrom(least);
      if (isRpcError(nonce)) return unsent(nonce);
      const signed = sign(nonce, fees);
      const response = await node.write(sendRequest(signed.raw));
      const verdict = isRpcError(response) ? judge(response) : "sent";
      if (verdict === "sent" || verdict === "perhaps sent") {
        next = verdict === "sent" ? nonce + 1n : undefined;
        return opened(sending.tag, sign, { nonce, fees, ...signed });
      }
      // Only the node knows the transactions that the key's account has sent meanwhile.
      next = undefined;
      if (verdict === "nonce too low") least = nonce + 1n;
      else if (verdict === "underpriced") fees = await feesAbove(fees);
      else return verdict;
    }
    return withheld("the node accepts no transaction within max_fee_per_gas: nothing was sent");
  }

  function opened(
    tag: string,
    sign: OpenTransaction["sign"],
    { nonce, fees, raw, hash }: SignedTransaction & { readonly nonce: bigint; readonly fees: Fees },
  ): OpenTransaction {
    const hashes: Hex[] = [hash];
    const fresh = { isMined: false, misses: 0, wait: undefined };
    const transaction: OpenTransaction = { tag, sign, nonce, fees, raw, hashes, touched: node.now(), ...fresh };
    open.add(transaction);
    return transaction;
  }

  /** Waits for its turn, so that transactions are sent in the order of calls. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return await mine;
  }

  function isFull(): boolean {
    return open.all.size + preparing >= bounds.maxPending;
  }

  async function makeRoom(): Promise<void> {
    const count = await node.read(transactionCountRequest(account.address, "latest"));
    if (!isRpcError(count)) open.prune(count);
  }

  async function sendNow(sending: Sending): Promise<Sent> {
    if (isFull()) await makeRoom();
    if (isFull()) return withheld("too many settlements are under way: nothing was sent");
    preparing += 1;
    let sent: OpenTransaction | Sent;
    try {
      const prepared = await prepare(sending);
      if ("kind" in prepared) return prepared;
      const sign = signer(sending, prepared.gas);
      sent = await inTurn(() => broadcast(sending, sign, prepared.fees));
    } finally {
      preparing -= 1;
    }
    return "kind" in sent ? sent : await open.wait(sent);
  }

  return {
    account: account.address,
    maxGas: bounds.maxGas,
    resume(tag) {
      const before = open.all.get(tag);
      return before === undefined ? undefined : open.wait(before);
    },
    bars: (payer) => guard.bars(payer),
    send: (sending) => guard.send(sending.share, () => sendNow(sending)),
    close: () => open.close(),
  };
}

/** The outcome if a read before the broadcast failed: nothing was sent. */
function unsent({ refusal, data, cause }: RpcError): Sent {
  if (refusal === "reverted") return { kind: "rejected", ...(data === undefined ? {} : { data }) };
  if (refusal === "no funds") return withheld("the facilitator's account cannot pay for gas: nothing was sent");
  return withheld(`${cause}: nothing was sent`);
}

/**
 * The meaning of a failed broadcast. If the node's response is lost or unknown, the node may have taken the
 * transaction.
 */
function judge(error: RpcError): "sent" | "perhaps sent" | "nonce too low" | "underpriced" | Sent {
  if (error.refusal === "already known") return "sent";
  if (error.refusal === "nonce too low" || error.refusal === "underpriced") return error.refusal;
  const isDefinite = error.refusal === "reverted" || error.refusal === "no funds" || error.refusal === "unknown method";
  return isDefinite ? unsent(error) : "perhaps sent";
}
