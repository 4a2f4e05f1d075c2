/** The sales of a route on one day. */
export interface SoldOnDay {
  /** In UTC, for example `2026-11-22`. */
  readonly day: string;
  readonly route: string;
  readonly network: string;
  /** The token's contract, lower case. */
  readonly asset: string;
  /** Left out if the gateway does not know the token. */
  readonly decimals?: number;
  readonly symbol?: string;
  /** Atomic units, decimal. */
  readonly amount: string;
  readonly payments: number;
}

/** A payment without its signature. */
export interface RecentPayment {
  /** The nonce that makes the payment unique. */
  readonly id: string;
  readonly route: string;
  readonly state: string;
  readonly delivered: boolean;
  readonly amount: string;
  readonly asset: string;
  readonly network: string;
  readonly decimals?: number;
  readonly symbol?: string;
  readonly payer: string;
  readonly transaction: string;
  readonly time_ms: number;
}

/**
 * The sales and the unfinished payments of the ledger, or the reason why it cannot be read. Times are Unix
 * milliseconds.
 */
export type PaymentSummary =
  | { readonly available: false; readonly reason: string }
  | {
      readonly available: true;
      readonly days: readonly SoldOnDay[];
      /**
       * Payments with an unknown outcome: money may have moved. `unknown` counts those that the facilitator could not
       * resolve.
       */
      readonly open: number;
      readonly unknown: number;
      /** Undelivered settlements: settled payments whose responses were not delivered completely. */
      readonly owed: number;
      readonly oldest_open_ms?: number;
      readonly recent: readonly RecentPayment[];
    };
