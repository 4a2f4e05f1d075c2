import { NewestMap } from "../../lib/memory/newest-map.ts";
import { type Address } from "../x402/address.ts";
import { type EvmNode } from "./node/node.ts";
import { balanceRequest } from "./node/requests.ts";
import { isRpcError, type RpcError } from "./node/rpc.ts";
import { type GasLender, type Sent } from "./node/scheme.ts";
import { KeySender, type SenderBounds } from "./sender.ts";
import { type Signer } from "./signers/signer.ts";
import { currentFees } from "./transactions/fees.ts";

/** Time for which a payer gets no further gas for an approval, in milliseconds. @operator @bound */
const LOAN_REST_MS = 86_400_000;
/** Payers whose loans are remembered; beyond it the oldest one is forgotten. The account's balance bounds all loans. */
const MAX_BORROWERS = 4096;
/** Gas that a transfer of ether may take, to decide whether the account can make one. */
const TRANSFER_GAS = 30_000n;
const ETHER: Address = "0x0000000000000000000000000000000000000000";

interface Loan {
  /** By `EvmNode.steady`. */
  readonly at: number;
  /** The outcome of its transaction is not known. */
  readonly isOpen: boolean;
}

/**
 * Sends payers the gas of their approvals on one chain, from an account of its own. A payer can take the gas and not
 * approve, so the account's balance is the most that can be lost (decision 0823).
 */
export class KeyLender implements GasLender {
  readonly #node: EvmNode;
  readonly #sender: KeySender;
  readonly #bounds: SenderBounds;
  readonly #loans = new NewestMap<string, Loan>(MAX_BORROWERS);
  readonly #turns = new Map<string, Promise<unknown>>();

  /** No other program, and no other part of this one, may send with the key. */
  constructor(node: EvmNode, signer: Signer, bounds: SenderBounds) {
    this.#node = node;
    this.#sender = new KeySender(node, signer, bounds);
    this.#bounds = bounds;
  }

  get receiptTimeoutMs(): number {
    return this.#bounds.receiptTimeoutMs;
  }

  get maxFeePerGas(): bigint {
    return this.#bounds.maxFeePerGas;
  }

  async canLend(payer: Address, wei: bigint): Promise<boolean | RpcError> {
    const last = this.#loans.get(payer.toLowerCase());
    if (last?.isOpen === true) return true;
    if (last !== undefined && this.#node.steady() - last.at < LOAN_REST_MS) return false;
    const [balance, fees] = await Promise.all([
      this.#node.read(balanceRequest(this.#sender.account)),
      currentFees(this.#node, this.#bounds.maxFeePerGas),
    ]);
    if (isRpcError(balance)) return balance;
    if (isRpcError(fees)) return fees;
    return fees !== "too dear" && balance >= wei + TRANSFER_GAS * fees.maxFee;
  }

  async lend(payer: Address, wei: bigint): Promise<Sent> {
    const key = payer.toLowerCase();
    const tag = `gas of ${key}`;
    const resumed = this.#loans.get(key)?.isOpen === true ? this.#sender.resume(tag) : undefined;
    // Recorded before it is sent, so that a concurrent payment of the payer does not borrow as well.
    if (resumed === undefined) this.#loans.set(key, { at: this.#node.steady(), isOpen: false });
    const share = { payer, asset: ETHER, value: 0n, isContract: false, funds: () => Promise.resolve(0n) };
    const sent = await (resumed ?? this.#sender.send({ tag, to: payer, data: "0x", value: wei, share }));
    if (sent.kind === "withheld" || sent.kind === "rejected") this.#loans.delete(key);
    else this.#loans.set(key, { at: this.#node.steady(), isOpen: sent.kind === "open" });
    return sent;
  }

  async inTurn<T>(payer: Address, work: () => Promise<T>): Promise<T> {
    const key = payer.toLowerCase();
    const mine = (this.#turns.get(key) ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => undefined);
    this.#turns.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(key) === settled) this.#turns.delete(key);
    }
  }

  close(): void {
    this.#sender.close();
  }
}
