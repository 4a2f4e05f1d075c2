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

/** The ledger for people: reads, and changes nothing. */
export interface LedgerView {
  /** Newest first; `before` continues behind the payment that it names. */
  list(filter: LedgerFilter, page: { readonly limit: number; readonly before?: Payment }): Promise<readonly Payment[]>;
  /** Settled payments alone. */
  totals(by: "route" | "payer" | "day", filter: LedgerFilter): Promise<readonly Total[]>;
  /** How many payments there are whose outcome is open: `settling` and `unknown`. */
  open(): Promise<number>;
  find(key: PaymentKey): Promise<Payment | undefined>;
  /** Payments whose nonce or transaction hash is, or begins with, `text` (lower case), `MAX_FOUND` at most, newest first. */
  search(text: string): Promise<readonly Payment[]>;
}

/** Payments that one search gives. */
export const MAX_FOUND = 10;
