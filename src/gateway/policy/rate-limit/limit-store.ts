/** A limit as the store keeps it: the same for all servers that are configured alike. */
export interface StoredLimit {
  /** Names route and limit. */
  readonly space: string;
  /** The microseconds in which a bucket gains one token. */
  readonly costUs: number;
  readonly burst: number;
}

export interface StoredCharge {
  readonly allowed: boolean;
  /** Microseconds until the bucket is full, with this request where it was allowed. */
  readonly debtUs: number;
}

/** Buckets that several servers share. */
export interface LimitStore {
  /** False: it is away, and asking it would only cost time. */
  readonly isReady: boolean;
  /** Takes a token; undefined where it does not answer in time. Never rejects. */
  charge(limit: StoredLimit, key: string): Promise<StoredCharge | undefined>;
}
