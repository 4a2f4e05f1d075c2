/** Paid responses that all gateways of one database keep, so that each of them can repeat a response of another. */
export interface KeptResponses {
  /**
   * Keeps `response` under `key` for `ms` milliseconds by the clock of the database, in place of an earlier one. False: it
   * is too long, or there is no space. Rejects if the database fails.
   */
  keep(key: string, response: Uint8Array, ms: number): Promise<boolean>;
  /** True if a response is kept and has not expired. Rejects if the database fails. */
  has(key: string): Promise<boolean>;
  /** The kept response, if it has not expired. Rejects if the database fails. */
  find(key: string): Promise<Buffer | undefined>;
  /** Removes at most `limit` expired responses, and counts the space of the others again. Returns how many were removed. */
  sweep(limit: number): Promise<number>;
}
