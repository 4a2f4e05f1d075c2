/** A limit in the store. It is the same for all servers with the same configuration. */
export interface StoredLimit {
  /** Identifies the route and the limit. */
  readonly space: string;
  /** The microseconds in which a bucket gains one token. */
  readonly costUs: number;
  readonly burst: number;
}

/** The result of a request to a shared bucket. */
export interface StoredCharge {
  readonly allowed: boolean;
  /** Microseconds until the bucket is full. An allowed request is included. */
  readonly untilFullUs: number;
}

/** Buckets that several servers share. */
export interface LimitStore {
  /** False: the store is not available, and a request to it would only take time. */
  readonly isReady: boolean;
  /** Takes a token. Undefined if the store does not respond in time. Never rejects. */
  charge(limit: StoredLimit, key: string): Promise<StoredCharge | undefined>;
  /** Puts a token back. If the store does not respond, the token stays taken. */
  giveBack(limit: StoredLimit, key: string): void;
}
