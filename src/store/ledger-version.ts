/** The versions of a ledger's schema. A version is the number of migrations that were applied. */
export interface LedgerVersion {
  /** Version of the existing ledger; 0: there is no ledger yet. */
  readonly found: number;
  /** Version of the ledger that this program writes. */
  readonly known: number;
}
