import { type Address, type Hex } from "../signatures/address.ts";
import { type Outcome, type Settlement, type Verification } from "../facilitator/facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { type EvmNode } from "./node.ts";
import { type Log } from "./requests.ts";
import { type Fault } from "./rpc.ts";

/** Whose money a transaction moves: what fails by his doing costs our gas, and him nothing. */
export interface PayerShare {
  readonly payer: Address;
  readonly asset: Address;
  readonly value: bigint;
  /** What a contract says of its own signature may be one thing to a simulation, and another in a block. */
  readonly isContract: boolean;
  /** What he has that can be moved of the asset by now. */
  readonly funds: () => Promise<bigint | Fault>;
}

/** What a facilitator sends to settle a payment. */
export interface Sending {
  /** Of the payment and of what is charged: what `resume` finds the transaction by. */
  readonly tag: string;
  readonly to: Address;
  readonly data: Hex;
  readonly share: PayerShare;
}

/**
 * What became of a transaction. `mined`: it counts, and did what it was to do as far as its status tells. `reverted`: it
 * counts, and changed nothing. `rejected`: no node would run it (it would revert now, or takes more than `max_gas`), and
 * nothing was sent. `withheld`: nothing was sent, for another reason, which may pass. `open`: it was sent, perhaps, and
 * nobody knows.
 */
export type Sent =
  | { readonly kind: "mined"; readonly transaction: Hex; readonly logs: readonly Log[] }
  | { readonly kind: "reverted"; readonly transaction: Hex; readonly blockNumber: bigint }
  | { readonly kind: "rejected"; readonly data?: Hex }
  | { readonly kind: "withheld"; readonly cause: string }
  | { readonly kind: "open"; readonly transaction: Hex; readonly cause: string };

/** The facilitator's own account on one chain. */
export interface Sender {
  readonly account: Address;
  /** Gas that one settlement may take at most: simulate with it as the call's `gas`. */
  readonly maxGas: bigint;
  /** True where nothing is sent for this payer for now: transactions of his have failed. */
  bars(payer: Address): boolean;
  /** Waits on for a transaction that was left open; undefined where there is none. Never throws. */
  resume(tag: string): Promise<Sent> | undefined;
  /** Signs and broadcasts, in the order of calls, and waits until the outcome counts or is open. Never throws. */
  send(sending: Sending): Promise<Sent>;
}

/** What a transfer method works with on one chain. */
export interface Chain {
  readonly node: EvmNode;
  readonly sender: Sender;
}

/**
 * A way to move money on EVM chains; stateless. Faults are values. The embedded facilitator calls `settle` for a payment's nonce
 * once at a time.
 */
export interface Method {
  readonly scheme: "exact" | "upto";
  /** True for the payments that it settles, by the form of their payload. */
  takes(payment: PaymentPayload): boolean;
  /** What /supported must tell of it, as `upto`'s `facilitatorAddress`. */
  extra?(account: Address): Readonly<Record<string, unknown>>;
  verify(chain: Chain, payment: PaymentPayload, requirements: PaymentRequirements): Promise<Verification>;
  /** Idempotent: what has settled before is found, and nothing sent. `refused` only where nothing has moved. */
  settle(chain: Chain, payment: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement>;
  /** Needs no key. */
  find(node: EvmNode, payment: PaymentPayload, requirements: PaymentRequirements): Promise<Outcome>;
}
