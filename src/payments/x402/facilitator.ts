import { type ChannelFacilitator } from "./channel-facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";
import { type Reason } from "./reasons.ts";

/** `by`: the name of the one of several facilitators that responded. `unavailable`: no response. `failed`: an invalid response. In both cases the state of the payment is unknown. */
export type Verification =
  | { readonly kind: "valid"; readonly payer: string; readonly by?: string }
  | { readonly kind: "refused"; readonly reason: Reason }
  | { readonly kind: "unavailable" | "failed"; readonly cause: string };

/**
 * `refused` is definite: no money moved. `unknown`: money may have moved. Then the same settlement may be requested
 * again, but never a new payment. `cause` is for the log: it contains no address and no text of the facilitator.
 * `isUnsent`: this call certainly sent nothing that could move money.
 */
export type Settlement =
  | { readonly kind: "settled"; readonly transaction: string; readonly payer: string }
  | { readonly kind: "refused"; readonly reason: Reason }
  | {
      readonly kind: "unknown";
      readonly cause: string;
      readonly transaction: string;
      readonly isUnsent?: boolean | undefined;
    };

/**
 * The outcome of an authorization according to the chain. `unspent`: no money has moved so far. `void`: no money moved,
 * and none will, because the authorization has expired or the payer canceled it.
 */
export type Outcome =
  | { readonly kind: "settled"; readonly transaction: string; readonly payer: string }
  | { readonly kind: "unspent" | "void" }
  | { readonly kind: "unknown"; readonly cause: string };

/** A scheme on a network that a facilitator accepts. */
export interface Kind {
  readonly scheme: string;
  /** `eip155:84532`, or `eip155:*` for all networks. */
  readonly network: string;
  /** Values that a challenge of this kind must contain in its own `extra`, such as `facilitatorAddress` of `upto`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The extensions of the protocol by which this facilitator pays gas for payers. */
  readonly sponsoring?: readonly string[];
  /** The facilitator says that its settlements are simulated. */
  readonly isSimulated?: true;
}

/** The facilitator that a settlement is given to, as the ledger names it. */
export interface Assignment {
  /** Empty if the ledger does not know it. */
  readonly name: string;
  /**
   * Records another facilitator before it is asked. False: the caller has lost the lease, and nothing may be sent.
   * Undefined: the payment may have been sent before, so that no other facilitator may be asked.
   */
  readonly reassign?: (name: string) => Promise<boolean>;
}

/** Verifies payments and moves the money. Errors are values; an exception is a defect. */
export interface Facilitator {
  supported(): Promise<readonly Kind[]>;
  /** Verifies a payment. Changes nothing. */
  verify(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Verification>;
  /** Moves the money. A repeated call does not move it again. Under `upto`, `requirements.amount` is the charge, not the maximum. */
  settle(payment: PaymentPayload, requirements: PaymentRequirements, to?: Assignment): Promise<Settlement>;
  /**
   * Finds the outcome of a payment whose settlement has begun. Changes nothing. `unknown` if no chain can be asked. `by`:
   * the name of the facilitator that was asked to settle.
   */
  find(payment: PaymentPayload, requirements: PaymentRequirements, by?: string): Promise<Outcome>;
  /** The name of the facilitator to which a settlement would be given; `verifiedBy` if it can be. */
  assign?(payment: PaymentPayload, requirements: PaymentRequirements, verifiedBy: string): string;
  /** True if it has a facilitator of this name. */
  has?(name: string): boolean;
  /** Payments from channels; undefined if it does not support them. */
  readonly channels?: ChannelFacilitator | undefined;
  close(): Promise<void>;
}
