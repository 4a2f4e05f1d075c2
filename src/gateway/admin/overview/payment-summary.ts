/** What a route sold on one day. */
export interface SoldOnDay {
  /** In UTC, `2026-11-22`. */
  readonly day: string;
  readonly route: string;
  readonly network: string;
  /** The token's contract, lower case. */
  readonly asset: string;
  /** Left out if the token is not one that the program knows. */
  readonly decimals?: number;
  readonly symbol?: string;
  /** Atomic units, decimal. */
  readonly amount: string;
  readonly payments: number;
}

/** A payment without its signature. */
export interface RecentPayment {
  /** The nonce that makes it unique. */
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

export type PaymentSummary =
  | { readonly available: false; readonly reason: string }
  | {
      readonly available: true;
      readonly days: readonly SoldOnDay[];
      /** Payments of which it is not known whether money moved; `unknown` are those of them that a facilitator could not tell of. */
      readonly open: number;
      readonly unknown: number;
      /** Settled, and their responses were not handed over whole. */
      readonly owed: number;
      readonly oldest_open_ms?: number;
      readonly recent: readonly RecentPayment[];
    };
