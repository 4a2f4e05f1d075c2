import { type Address, type Hex } from "./address.ts";
import { type ChannelOrder, type ChannelPayment, type ChannelRequirements } from "./channel-messages.ts";
import { type Reason } from "./reasons.ts";

/** A channel on the chain. Amounts are atomic units. A channel that does not exist has only zeros. */
export interface ChannelState {
  /** All deposits without refunds and withdrawals. Claims do not lower it. */
  readonly balance: bigint;
  readonly totalClaimed: bigint;
  /** When the payer asked for a withdrawal, in Unix seconds; 0 if none is pending. It may be taken after the delay. */
  readonly withdrawRequestedAt: number;
  readonly refundNonce: bigint;
}

/**
 * `valid`: `state` is the channel before the deposit; `refused`: the channel, if the chain was asked for it.
 * `unavailable`, `failed`: the payment was not judged. `early`: the money that it needs is in a block that does not count
 * yet. `cause` is for the log: it contains no address and no text of the facilitator.
 */
export type ChannelVerification =
  | { readonly kind: "valid"; readonly payer: Address; readonly state: ChannelState }
  | { readonly kind: "refused"; readonly reason: Reason; readonly state?: ChannelState }
  | { readonly kind: "unavailable" | "failed"; readonly cause: string }
  | { readonly kind: "early"; readonly cause: string };

/** A refusal would be final: the block soon counts. */
export const EARLY: ChannelVerification = {
  kind: "early",
  cause: "the money of the channel is in a block that does not count yet",
};

/**
 * `settled`: `amount` is what moved: the deposit, the refund, or all that was paid to the receiver. `state` is the
 * channel afterwards, of a deposit or a refund. A transaction is missing if an earlier one had done all of it.
 * `refused`: this call moved nothing, and nothing will. `reverting`: the channels whose vouchers cannot be claimed now;
 * the others of the order can be. `unknown`: money may have moved; the same order may be given again.
 * `isUnsent`: this call certainly sent nothing.
 */
export type ChannelSettlement =
  | {
      readonly kind: "settled";
      readonly transaction: string;
      readonly amount: string;
      readonly state?: ChannelState | undefined;
    }
  | { readonly kind: "refused"; readonly reason: Reason; readonly reverting?: readonly Hex[] }
  | {
      readonly kind: "unknown";
      readonly cause: string;
      readonly transaction: string;
      readonly isUnsent?: boolean | undefined;
    };

/** The part of a facilitator for payments from channels. Errors are values. */
export interface ChannelFacilitator {
  /** Checks a payment against the channel on the chain. Changes nothing. */
  verify(payment: ChannelPayment, requirements: ChannelRequirements): Promise<ChannelVerification>;
  /** Brings a deposit, claims, what is claimed, or a refund to the chain, once even if repeated. */
  settle(order: ChannelOrder, requirements: ChannelRequirements): Promise<ChannelSettlement>;
}
