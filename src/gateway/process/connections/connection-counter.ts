/** Counts the permits of `server.max_connections`. An implementation can count over several processes. */
export interface ConnectionCounter {
  /** True if fewer than `max` are taken. */
  hasFree(max: number): boolean;
  take(): void;
  release(): void;
  /** The number of other processes. */
  readonly others: number;
  /** Tells the other processes that a permit is needed, which one of their idle connections may hold. */
  ask(): void;
  /** The number of `ask` calls of all processes. */
  asked(): number;
}
