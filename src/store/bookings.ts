import { type PaymentKey } from "./ledger.ts";

/** A transfer that test mode wrote down in place of a chain. */
export interface Booking extends PaymentKey {
  /** Hash of the signed authorization. */
  readonly digest: string;
  readonly to: string;
  readonly amount: string;
  readonly transaction: string;
}

/** The stand-in for a chain in test mode: knows which authorizations were spent. */
export interface Bookings {
  /** Writes the booking down, unless the nonce was spent: then nothing changes. Returns what now stands. */
  book(booking: Booking): Promise<Booking>;
  find(key: PaymentKey): Promise<Booking | undefined>;
}
