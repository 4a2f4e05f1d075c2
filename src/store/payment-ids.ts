/** An id that a client gave a payment, by x402's extension `payment-identifier`. Each payer has its own ids. */
export interface PaymentId {
  /** Lower case. */
  readonly payer: string;
  /** 16 to 128 letters, digits, `_` and `-`; upper and lower case are different. */
  readonly id: string;
}

/** Binds ids to payments, so that one id buys one thing once: atomically over all processes. */
export interface PaymentIds {
  /**
   * Binds an id to a payment and its request (`Reservation.fingerprint`) until `until` (Unix milliseconds), unless it
   * is bound already. Returns the fingerprint that the id is now bound to: another fingerprint if the id was taken.
   */
  tie(id: PaymentId, fingerprint: string, until: number): Promise<string>;
  /** The fingerprint that an id is bound to; undefined if it is not bound. */
  find(id: PaymentId): Promise<string | undefined>;
  /** Unbinds an id from `fingerprint`, as nothing was charged; does nothing if it is bound to another. */
  untie(id: PaymentId, fingerprint: string): Promise<void>;
}
