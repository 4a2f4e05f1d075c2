import { type Address } from "./address.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";
import { type Reason } from "./reasons.ts";

/** A way of paying that a facilitator takes. */
export interface Kind {
  readonly scheme: string;
  readonly network: string;
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

/** Checks payments and moves the money. Faults are values; a throw is a defect. */
export interface Facilitator {
  supported(): Promise<readonly Kind[]>;
  /** Changes nothing. */
  verify(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Verification>;
  /** Moves the money, once, however often it is asked for. */
  settle(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement>;
  close(): Promise<void>;
}
