/** An id that a client gave a payment, by x402's `payment-identifier` extension. It means something for its payer alone. */
export interface PaymentId {
  /** Lower case. */
  readonly payer: string;
  /** 16 to 128 of `A-Z a-z 0-9 _ -`; letter case counts. */
  readonly id: string;
}

/** Which payment an id stands for, so that one id buys one thing once. Atomic over all processes that share the store. */
export interface PaymentIds {
  /**
   * Ties an id to a payment and its request (`Reservation.fingerprint`) until `until` (Unix milliseconds), unless it is tied
   * by then. Returns the fingerprint that it is tied to now: another's where it was taken.
   */
  tie(id: PaymentId, fingerprint: string, until: number): Promise<string>;
  /** Sets an id free that is tied to `fingerprint`, because nothing was charged. Nothing happens where it is tied to another. */
  untie(id: PaymentId, fingerprint: string): Promise<void>;
}
