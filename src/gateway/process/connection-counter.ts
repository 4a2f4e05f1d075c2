/** The places that `server.max_connections` has. Whoever counts over several processes stands in here. */
export interface ConnectionCounter {
  /** Fewer than `max` are taken. */
  hasFree(max: number): boolean;
  take(): void;
  release(): void;
  /** Processes beside this one. */
  readonly others: number;
  /** Tells them that a place is wanted which idle connections of theirs may have. */
  ask(): void;
  /** How often all of them have asked. */
  asked(): number;
}
