import { type Address, type Hex } from "../x402/address.ts";
import { chainId } from "../x402/networks.ts";
import { currentFees, type Fees, raisedFees } from "./transactions/fees.ts";
import { type EvmNode } from "./node/node.ts";
import { type OpenTransaction, OpenTransactions } from "./open-transactions.ts";
import { PayerGuard } from "./payer-guard.ts";
import { estimateRequest, sendRequest, transactionCountRequest } from "./node/requests.ts";
import { gasFor } from "./node/gas.ts";
import { type RpcError, isRpcError } from "./node/rpc.ts";
import { type Sender, type Sending, type Sent } from "./node/scheme.ts";
import { type Signer } from "./signers/signer.ts";
import { type SignedTransaction, signTransaction } from "./transactions/transaction.ts";
import { messageOf } from "../../lib/caught.ts";
import { largest, smallest } from "../../lib/extremes.ts";

/** The limits of one key on one chain. */
export interface SenderBounds {
  /** Wei per unit of gas. */
  readonly maxFeePerGas: bigint;
  readonly maxGas: bigint;
  readonly maxPending: number;
  readonly receiptTimeoutMs: number;
}

/** Broadcasts of one transaction with other nonces or fees, if the node refuses. Then it is withheld. */
const MAX_BROADCASTS = 4;
/**
 * Gas limit of a transaction, in percent of its estimate. The state may change between estimate and block, and an
 * authorization costs a little more the first time.
 */
const GAS_MARGIN_PERCENT = 125n;

function withheld(cause: string): Sent {
  return { kind: "withheld", cause };
}

/** Nothing was sent, and another key may do better. */
function keyless(cause: string): Sent {
  return { kind: "withheld", cause, isKeyless: true };
}

/** The key's transactions on one chain, with nonces in order. No other program may send with this key. */
export class KeySender implements Sender {
  readonly #node: EvmNode;
  readonly #signer: Signer;
  readonly #bounds: SenderBounds;
  readonly #chainId: bigint;
  readonly #guard: PayerGuard;
  readonly #open: OpenTransactions;
  /** Transactions before their broadcast. */
  #preparing = 0;
  /** The nonce of the next transaction; undefined if only the node knows it. */
  #next: bigint | undefined;
  /** One broadcast at a time: a refused one must not leave a nonce unused, for which others would wait. */
  #turn: Promise<unknown> = Promise.resolve();

  /** `guard`: the guard of all keys of this program on this chain. */
  constructor(node: EvmNode, signer: Signer, bounds: SenderBounds, guard = new PayerGuard(node.steady)) {
    this.#node = node;
    this.#signer = signer;
    this.#bounds = bounds;
    this.#chainId = chainId(node.network);
    this.#guard = guard;
    this.#open = new OpenTransactions(node, signer.address, bounds, () => {
      this.#next = undefined;
    });
  }

  get account(): Address {
    return this.#signer.address;
  }

  /** The number of transactions that are prepared or open. */
  get load(): number {
    return this.#open.all.size + this.#preparing;
  }

  get maxGas(): bigint {
    return this.#bounds.maxGas;
  }

  resume(tag: string): Promise<Sent> | undefined {
    const before = this.#open.all.get(tag);
    return before === undefined ? undefined : this.#open.wait(before);
  }

  bars(payer: string): boolean {
    return this.#guard.bars(payer);
  }

  async send(sending: Sending): Promise<Sent> {
    return this.#guard.send(sending.share, () => this.#sendNow(sending));
  }

  /** Ends all waits; the waiting callers get an open outcome. */
  close(): void {
    this.#open.close();
  }

  /** The gas and fees within the limits, or the reason why nothing can be sent. */
  async #prepare(sending: Sending): Promise<{ readonly gas: bigint; readonly fees: Fees } | Sent> {
    const { settlements = 1, leastGas = 0n } = sending;
    const [fees, gas] = await Promise.all([
      currentFees(this.#node, this.#bounds.maxFeePerGas),
      this.#node.read(estimateRequest(this.#signer.address, sending)),
    ]);
    if (isRpcError(gas)) return unsent(gas);
    if (isRpcError(fees)) return unsent(fees);
    if (fees === "too dear") return withheld("the chain's fees are above max_fee_per_gas: nothing was sent");
    const most = gasFor(settlements, this.#bounds.maxGas);
    if (gas > most) return { kind: "rejected" };
    const generous = largest((gas * GAS_MARGIN_PERCENT) / 100n, leastGas);
    return { gas: smallest(generous, most), fees };
  }

  #signing({ to, data, value }: Sending, gas: bigint): OpenTransaction["sign"] {
    return (nonce, fees) =>
      signTransaction({ chainId: this.#chainId, nonce, ...fees, gas, to, data, value }, this.#signer);
  }

  /** The chain's current fees, and always more than `refused`; undefined if they would be above the limit. */
  async #feesAbove(refused: Fees): Promise<Fees | undefined> {
    const now = await currentFees(this.#node, this.#bounds.maxFeePerGas);
    if (now === "too dear") return undefined;
    return raisedFees(refused, isRpcError(now) ? refused : now, this.#bounds.maxFeePerGas);
  }

  async #nonceFrom(least: bigint): Promise<bigint | RpcError> {
    const known = this.#next ?? (await this.#node.read(transactionCountRequest(this.#signer.address, "pending")));
    if (isRpcError(known)) return known;
    return largest(known, least);
  }

  async #broadcast(sending: Sending, sign: OpenTransaction["sign"], first: Fees): Promise<OpenTransaction | Sent> {
    let least = 0n;
    let fees: Fees | undefined = first;
    for (let tries = 0; tries < MAX_BROADCASTS && fees !== undefined; tries++) {
      const nonce = await this.#nonceFrom(least);
      if (isRpcError(nonce)) return unsent(nonce);
      const signed = await sign(nonce, fees).catch(messageOf);
      // The nonce stays free for the next transaction.
      if (typeof signed === "string") return keyless(`${signed}: nothing was sent`);
      const response = await this.#node.write(sendRequest(signed.raw));
      const verdict = isRpcError(response) ? judge(response) : "sent";
      if (verdict === "sent" || verdict === "perhaps sent") {
        this.#next = verdict === "sent" ? nonce + 1n : undefined;
        return this.#opened(sending.tag, sign, { nonce, fees, ...signed });
      }
      // Only the node knows the transactions that the key's account has sent meanwhile.
      this.#next = undefined;
      if (verdict === "nonce too low") least = nonce + 1n;
      else if (verdict === "underpriced") fees = await this.#feesAbove(fees);
      else return verdict;
    }
    return withheld("the node accepts no transaction within max_fee_per_gas: nothing was sent");
  }

  #opened(
    tag: string,
    sign: OpenTransaction["sign"],
    { nonce, fees, raw, hash }: SignedTransaction & { readonly nonce: bigint; readonly fees: Fees },
  ): OpenTransaction {
    const hashes: Hex[] = [hash];
    const fresh = { touched: this.#node.steady(), isMined: false, misses: 0, wait: undefined };
    const transaction: OpenTransaction = { tag, sign, nonce, fees, raw, hashes, ...fresh };
    this.#open.add(transaction);
    return transaction;
  }

  /** Waits for its turn, so that transactions are sent in the order of calls. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return await mine;
  }

  #isFull(): boolean {
    return this.load >= this.#bounds.maxPending;
  }

  async #makeRoom(): Promise<void> {
    const count = await this.#node.read(transactionCountRequest(this.#signer.address, "latest"));
    if (!isRpcError(count)) this.#open.prune(count);
  }

  async #sendNow(sending: Sending): Promise<Sent> {
    if (this.#isFull()) await this.#makeRoom();
    if (this.#isFull()) return keyless("too many settlements are under way: nothing was sent");
    this.#preparing += 1;
    let sent: OpenTransaction | Sent;
    try {
      const prepared = await this.#prepare(sending);
      if ("kind" in prepared) return prepared;
      const sign = this.#signing(sending, prepared.gas);
      sent = await this.#inTurn(() => this.#broadcast(sending, sign, prepared.fees));
    } finally {
      this.#preparing -= 1;
    }
    return "kind" in sent ? sent : await this.#open.wait(sent);
  }
}

/** The outcome if a read before the broadcast failed: nothing was sent. */
function unsent({ refusal, data, cause }: RpcError): Sent {
  if (refusal === "reverted") return { kind: "rejected", ...(data === undefined ? {} : { data }) };
  if (refusal === "no funds") return keyless("the facilitator's account cannot pay for gas: nothing was sent");
  return withheld(`${cause}: nothing was sent`);
}

/** The meaning of a failed broadcast. After a lost or unknown response, the node may have taken it. */
function judge(error: RpcError): "sent" | "perhaps sent" | "nonce too low" | "underpriced" | Sent {
  if (error.refusal === "already known") return "sent";
  if (error.refusal === "nonce too low" || error.refusal === "underpriced") return error.refusal;
  const isDefinite = error.refusal === "reverted" || error.refusal === "no funds" || error.refusal === "unknown method";
  return isDefinite ? unsent(error) : "perhaps sent";
}
