/** The places that `server.max_connections` has. Whoever counts over several processes stands in here. */
export interface Places {
  /** Fewer than `max` are taken. */
  hasFree(max: number): boolean;
  take(): void;
  release(): void;
}
