/** The versions of a ledger's schema: how many of its steps (migrations) were taken. */
export interface LedgerVersion {
  /** Of the ledger that is there; 0: there is none yet. */
  readonly found: number;
  /** Of the ledger that this program writes. */
  readonly known: number;
}
