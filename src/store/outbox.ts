/** A record of a settlement, to be posted to the operator. */
export interface NewNotice {
  /** UUID. It is the same each time the notice is posted. */
  readonly id: string;
  readonly url: string;
  readonly body: string;
}

export interface Notice extends NewNotice {
  /** Count of failed attempts to post it. */
  readonly tries: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Records of settlements that wait to be posted. `Ledger.move` writes them together with the settlement. */
export interface Outbox {
  /** Acquires leases of at most `limit` notices that are due, oldest first, for `NOTICE_LEASE_MS`. */
  claim(limit: number): Promise<readonly Notice[]>;
  /** Removes a notice that the receiver accepted. */
  done(id: string): Promise<void>;
  /** The receiver did not accept the notice: it is due again in `delayMs`, by the store's clock. */
  postpone(id: string, delayMs: number): Promise<void>;
  /** Removes the oldest notices beyond `most`. Returns how many were removed. */
  trim(most: number): Promise<number>;
  size(): Promise<number>;
}

/** Milliseconds for which a process has the lease of a notice that it claimed. @bound */
export const NOTICE_LEASE_MS = 60_000;
/**
 * Milliseconds from a failed try of a notice or a webhook to the next, at most. One that waits longer does so because the clock was
 * set back, so it is due. @bound
 */
export const MAX_NOTICE_WAIT_MS = 7_200_000;
