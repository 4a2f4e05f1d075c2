/** A record that an operator is to get. */
export interface NewNotice {
  /** UUID; the same however often it is posted. */
  readonly id: string;
  readonly url: string;
  /** JSON. */
  readonly body: string;
}

export interface Notice extends NewNotice {
  /** How often it was posted in vain. */
  readonly tries: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Records of settlements that wait to be posted. They are written with the settlement itself, by `Ledger.move`. */
export interface Outbox {
  /** Takes hold of notices that are due, oldest first, `limit` at most, for `NOTICE_HOLD_MS`. */
  claim(limit: number): Promise<readonly Notice[]>;
  /** It was taken: removes it. */
  done(id: string): Promise<void>;
  /** It was not taken: it is due again at `dueAt` (Unix milliseconds). */
  postpone(id: string, dueAt: number): Promise<void>;
  /** Removes the oldest beyond `most`. How many it removed. */
  trim(most: number): Promise<number>;
  /** How many wait. */
  size(): Promise<number>;
}

/** How long one process has to post what it claimed, in milliseconds. @bound */
export const NOTICE_HOLD_MS = 60_000;
