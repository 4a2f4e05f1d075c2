import { type Address } from "../signatures/address.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { type Reason } from "../x402/reasons.ts";

/** A way of paying that a facilitator takes. */
export interface Kind {
  readonly scheme: string;
  /** `eip155:84532`, or `eip155:*` for all. */
  readonly network: string;
  /** What a challenge of this kind must carry in its own `extra`, such as `upto`'s `facilitatorAddress`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** `unavailable`: nobody answered. `failed`: what was answered makes no sense. Either way nothing is known of the payment. */
export type Verification =
  | { readonly kind: "valid"; readonly payer: Address }
  | { readonly kind: "refused"; readonly reason: Reason }
  | { readonly kind: "unavailable" | "failed"; readonly cause: string };

/**
 * `refused` is definite: nothing moved. `unknown`: money may have moved; the same settlement may be asked for again, and
 * never a new payment. `cause` is for the log: it holds no address and no word of the facilitator.
 */
export type Settlement =
  | { readonly kind: "settled"; readonly transaction: string; readonly payer: Address }
  | { readonly kind: "refused"; readonly reason: Reason }
  | { readonly kind: "unknown"; readonly cause: string; readonly transaction: string };

/**
 * What the chain says of an authorization. `unspent`: nothing has moved, as yet. `void`: nothing moved, and nothing will: its
 * time is over, or the payer called it back.
 */
export type Outcome =
  | { readonly kind: "settled"; readonly transaction: string; readonly payer: Address }
  | { readonly kind: "unspent" | "void" }
  | { readonly kind: "unknown"; readonly cause: string };

/** Checks payments and moves the money. Faults are values; a throw is a defect. */
export interface Facilitator {
  supported(): Promise<readonly Kind[]>;
  /** Changes nothing. */
  verify(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Verification>;
  /**
   * Moves the money, once, however often it is asked for. Under `upto`, `requirements.amount` is what is charged, which may
   * be less than the payment allows.
   */
  settle(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement>;
  /** What has become of a payment whose settlement was begun. Changes nothing; `unknown` where no chain can be asked. */
  find(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Outcome>;
  close(): Promise<void>;
}
