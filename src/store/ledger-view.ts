import { type Payment, type PaymentKey, type PaymentState } from "./ledger.ts";

/** Which payments to look at; all that is named must hold. Times, of when they came, in Unix milliseconds, `until` exclusive. */
export interface LedgerFilter {
  readonly states?: readonly PaymentState[];
  readonly route?: string;
  /** Address that signed, lower case. */
  readonly payer?: string;
  readonly since?: number;
  readonly until?: number;
}

export interface Total {
  /** The route, the payer's address, or the day in UTC, `2026-11-21`. */
  readonly key: string;
  readonly network: string;
  readonly token: string;
  readonly payments: number;
  /** Atomic units that moved, decimal. */
  readonly amount: string;
}

/** What a route sold on one day, by when payments came. */
export interface SoldOnDay extends Omit<Total, "key"> {
  /** In UTC, `2026-11-21`. */
  readonly day: string;
  readonly route: string;
}

/** Payments that are not at their end. */
export interface Standing {
  /** It is not known whether their money moved; they are `settling` or `unknown`. */
  readonly open: number;
  readonly unknown: number;
  /** Settled, their answers were not handed over whole, and nobody works on them. */
  readonly owed: number;
  /** When the oldest one that is open came, in Unix milliseconds; undefined: none is open. */
  readonly oldestOpen: number | undefined;
}

/** The ledger for people: reads, and changes nothing. */
export interface LedgerView {
  /** Newest first; `before` continues behind the payment that it names. */
  list(filter: LedgerFilter, page: { readonly limit: number; readonly before?: Payment }): Promise<readonly Payment[]>;
  /** Settled payments alone. */
  totals(by: "route" | "payer" | "day", filter: LedgerFilter): Promise<readonly Total[]>;
  /** How many payments there are whose outcome is open: `settling` and `unknown`. */
  open(): Promise<number>;
  /** Settled payments that came at `since` (Unix milliseconds; the beginning of its day) or later, latest day first. */
  sold(since: number): Promise<readonly SoldOnDay[]>;
  standing(): Promise<Standing>;
  find(key: PaymentKey): Promise<Payment | undefined>;
  /** Payments whose nonce or transaction hash is, or begins with, `text` (lower case), `MAX_FOUND` at most, newest first. */
  search(text: string): Promise<readonly Payment[]>;
}

/** Payments that one search gives. */
export const MAX_FOUND = 10;
