import { type Payment, type PaymentKey, type PaymentState } from "./ledger.ts";
import { type Refund } from "./refunds.ts";

/**
 * Selects payments that match all of these members. `since` and `until` (exclusive) are the time of the first request
 * with the payment, in Unix milliseconds.
 */
export interface LedgerFilter {
  readonly states?: readonly PaymentState[];
  readonly route?: string;
  /** Address of the signer, lower case. */
  readonly payer?: string;
  readonly since?: number;
  readonly until?: number;
  /** Only settled payments whose response was not delivered. */
  readonly owed?: true;
  /** Only payments of which something was refunded, or is reserved for refunds. */
  readonly refunded?: true;
}

/** A place in the list of payments: that of a payment, or of any other time and key. */
export type Position = PaymentKey & Pick<Payment, "createdAt">;

/** The settled payments of one route, payer or day, in one token on one network. */
export interface Total {
  /** The route, the payer's address, or the day in UTC, for example `2026-11-21`. */
  readonly key: string;
  readonly network: string;
  readonly token: string;
  readonly payments: number;
  /** Atomic units that were transferred, decimal. */
  readonly amount: string;
  /** Atomic units of these payments that were refunded, or are reserved for refunds. */
  readonly refunded: string;
}

/** Sales of one route on one day. The day is that of the first request with the payment. */
export interface SoldOnDay extends Omit<Total, "key" | "refunded"> {
  /** In UTC, for example `2026-11-21`. */
  readonly day: string;
  readonly route: string;
}

/** Counts of payments that are not finished. */
export interface Standing {
  /** Payments in the state `settling` or `unknown`: their money may have been transferred or not. */
  readonly open: number;
  readonly unknown: number;
  /** Payments whose charge is made later. */
  readonly deferred: number;
  /** Settled payments whose response was not delivered completely, and which no process works on. */
  readonly owed: number;
  /** When the oldest open payment was first received, in Unix milliseconds; undefined: no payment is open. */
  readonly oldestOpen: number | undefined;
}

/** From `since` until before `until`, in Unix milliseconds. */
export interface Times {
  readonly since: number;
  readonly until: number;
}

/** Reads the ledger for reports, and changes nothing. */
export interface LedgerView {
  /** Newest first. `before` is the last payment of the page before. */
  list(
    filter: LedgerFilter,
    page: { readonly limit: number; readonly before?: Position | undefined },
  ): Promise<readonly Payment[]>;
  /** Only settled payments are counted. */
  totals(by: "route" | "payer" | "day", filter: LedgerFilter): Promise<readonly Total[]>;
  /** Sums of settled payments received on the UTC day of `since` (Unix ms) or later, latest day first. */
  sold(since: number): Promise<readonly SoldOnDay[]>;
  standing(): Promise<Standing>;
  /**
   * Payments that match, and whose nonce or transaction begins with `text` (lower case): `MAX_FOUND` at most, newest first. Those that
   * may have moved money are before the others: a client can send payments with the nonce of another client.
   */
  search(text: string, filter?: LedgerFilter): Promise<readonly Payment[]>;
  /** The first two signers of payments whose address begins with `text`, as it is stored. */
  payers(text: string): Promise<readonly string[]>;
  /** The refunds of a payment, in their order. */
  refundsOf(payment: PaymentKey): Promise<readonly Refund[]>;
  /**
   * Refunds that gave money back in this time, newest first, also of prepaid balances: their nonce is `CREDIT_BOOK` with
   * the id, and their asset the token.
   */
  refunded(times: Times, page: { readonly limit: number; readonly offset: number }): Promise<readonly Refund[]>;
}

/** SQL: the payment may have moved money. */
export const MAY_HAVE_PAID = "state IN ('settling', 'unknown', 'settled')";

/** Maximum number of payments that one search returns. */
export const MAX_FOUND = 10;

/** The versions of a ledger's schema. A version is the number of migrations that were applied. */
export interface LedgerVersion {
  /** Version of the existing ledger; 0: there is no ledger yet. */
  readonly found: number;
  /** Version of the ledger that this program writes. */
  readonly known: number;
}
