import { type Address, type Hex } from "../../x402/address.ts";
import { type EvmNode } from "./node.ts";
import { type Log } from "./requests.ts";
import { type Factories } from "./undeployed.ts";
import { type RpcError } from "./rpc.ts";

/** A transaction's payer, for the limits on failures: if the payer makes it fail, only we pay gas. */
export interface PayerShare {
  readonly payer: Address;
  readonly asset: Address;
  readonly value: bigint;
  /** A contract may judge its own signature differently in a simulation and in a block. */
  readonly isContract: boolean;
  /** The amount of the asset that can be moved from the payer at present. */
  readonly funds: () => Promise<bigint | RpcError>;
}

/** The transaction that a facilitator sends to settle a payment. */
export interface Sending {
  /** Identifies payment and charge, so that `resume` finds the transaction. */
  readonly tag: string;
  readonly to: Address;
  readonly data: Hex;
  readonly share: PayerShare;
  /** The only account that may send it; undefined if any may. */
  readonly from?: Address | undefined;
  /** The number of settlements in it, each with the gas of one. Default 1. */
  readonly settlements?: number | undefined;
  /** Wei that it moves; default 0. */
  readonly value?: bigint | undefined;
  /** The least gas limit, for a call that an outdated node takes for a cheaper one. */
  readonly leastGas?: bigint | undefined;
}

/**
 * The outcome of a transaction.
 * `mined`: it has its confirmations, and succeeded according to its status.
 * `reverted`: it has its confirmations, and changed nothing.
 * `rejected`: no node accepts it, because it would revert now or needs more than `max_gas`. Nothing was sent.
 * `withheld`: nothing was sent, for another reason, which may be temporary. `isKeyless`: the reason concerns the account.
 * `open`: it may have been sent, and its outcome is unknown.
 */
export type Sent =
  | { readonly kind: "mined"; readonly transaction: Hex; readonly logs: readonly Log[] }
  | { readonly kind: "reverted"; readonly transaction: Hex; readonly blockNumber: bigint }
  | { readonly kind: "rejected"; readonly data?: Hex }
  | { readonly kind: "withheld"; readonly cause: string; readonly isKeyless?: true }
  | { readonly kind: "open"; readonly transaction: Hex; readonly cause: string };

/** The facilitator's own account on one chain. */
export interface Sender {
  readonly account: Address;
  /** Highest gas of one settlement. Simulate with it as the call's `gas`. */
  readonly maxGas: bigint;
  /** True if no transaction is sent for this payer at present, because the payer's earlier ones failed. */
  bars(payer: Address): boolean;
  /** Continues to wait for an open transaction; undefined if there is no such transaction. Never throws. */
  resume(tag: string): Promise<Sent> | undefined;
  /** Signs and broadcasts in the order of calls. Waits until the outcome counts, or is open. Never throws. */
  send(sending: Sending): Promise<Sent>;
}

/** Gives payers the gas of their approvals, from an account that has nothing else to lose. Never throws. */
export interface GasLender {
  /** Time in which a transaction must get into a block, in milliseconds. */
  readonly receiptTimeoutMs: number;
  /** Wei per unit of gas. */
  readonly maxFeePerGas: bigint;
  /** True if the payer can get `wei` now. */
  canLend(payer: Address, wei: bigint): Promise<boolean | RpcError>;
  /** Sends `wei` to the payer. Waits until the outcome counts, or is open. */
  lend(payer: Address, wei: bigint): Promise<Sent>;
  /** Works for one payer one after the other: concurrent payments need only one approval. */
  inTurn<T>(payer: Address, work: () => Promise<T>): Promise<T>;
}

/** The chain access of a transfer method. */
export interface Chain {
  readonly node: EvmNode;
  readonly sender: Sender;
  /** Undefined: no approvals are sent for payers. */
  readonly lender?: GasLender | undefined;
  readonly factories: Factories;
}
