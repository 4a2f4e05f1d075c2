/** Options of a single call, besides its parameters. */
export interface CallOptions {
  /** Aborts the call. If a payment was sent already, it may still be charged. */
  readonly signal?: AbortSignal;
  /** The highest price of this call, such as `0.05`, `0.05 USDC` or `$0.05`. */
  readonly maxPrice?: string;
}

/** The options of `Turnpike.fetch`: those of the global fetch, and the highest price of the request. */
export type FetchOptions = RequestInit & Pick<CallOptions, "maxPrice">;

/** A binary response. */
export interface TurnpikeFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** The method and path of an operation, and the form of its response. */
export interface OperationTarget {
  readonly method: "DELETE" | "GET" | "POST";
  readonly path: string;
  /** A header field with a secret. */
  readonly secret?: readonly [field: string, value: string];
}
