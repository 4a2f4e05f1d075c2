import { type PaymentKey } from "./ledger.ts";

/** A transfer that test mode records instead of sending it to a chain. */
export interface SimulatedTransfer extends PaymentKey {
  /** Hash of the signed authorization. */
  readonly digest: string;
  readonly to: string;
  readonly amount: string;
  readonly transaction: string;
}

/** The substitute for a chain in test mode. It records which authorizations were spent. */
export interface SimulatedTransfers {
  /** Records the transfer unless its nonce was spent. Returns the record that is stored for the nonce. */
  book(transfer: SimulatedTransfer): Promise<SimulatedTransfer>;
  find(key: PaymentKey): Promise<SimulatedTransfer | undefined>;
}

/**
 * Milliseconds for which a simulated transfer is kept: twice the longest validity that a route allows for a payment.
 * @bound
 */
export const KEEP_MS = 2 * 86_400_000;
