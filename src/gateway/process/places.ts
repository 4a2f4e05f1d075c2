/** The places that `server.max_connections` has. Whoever counts over several processes stands in here. */
export interface Places {
  /** Fewer than `max` are taken. */
  hasFree(max: number): boolean;
  take(): void;
  release(): void;
}

/** Counts the connections of one process. */
export class OwnPlaces implements Places {
  #taken = 0;

  hasFree(max: number): boolean {
    return this.#taken < max;
  }

  take(): void {
    this.#taken++;
  }

  release(): void {
    this.#taken--;
  }
}
