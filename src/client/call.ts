/** What a single call may be given besides its parameters. */
export interface CallOptions {
  /** Gives the call up. Once a payment was sent, it may be charged all the same. */
  readonly signal?: AbortSignal;
  /** The most that this call may cost, such as `0.05`, `0.05 USDC` or `$0.05`. */
  readonly maxPrice?: string;
}

/** What `Turnpike.fetch` takes: what the global fetch does, and the most that the request may cost. */
export type FetchOptions = RequestInit & Pick<CallOptions, "maxPrice">;

/** A binary answer. */
export interface TurnpikeFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** Where an operation is, and how its answer is read. */
export interface OperationPlace {
  readonly method: "GET" | "POST";
  readonly path: string;
}
