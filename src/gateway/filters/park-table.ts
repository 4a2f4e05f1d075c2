/** Counts the requests of a worker whose filter waits for a host call, and limits their number. */
export class ParkTable {
  /** `wasm_park_capacity`. A reload sets it. Requests that are already parked stay, even beyond a smaller capacity. */
  capacity: number;
  readonly #changed: (change: 1 | -1) => void;
  #active = 0;

  /** `changed` is called when a request is parked (1) and when it continues or ends (-1). */
  constructor(capacity: number, changed: (change: 1 | -1) => void) {
    this.capacity = capacity;
    this.#changed = changed;
  }

  /** The number of parked requests. */
  get active(): number {
    return this.#active;
  }

  /** Counts a parked request; false if the table is full. */
  take(): boolean {
    if (this.#active >= this.capacity) return false;
    this.#active++;
    this.#changed(1);
    return true;
  }

  /** The request is no longer parked. */
  give(): void {
    this.#active--;
    this.#changed(-1);
  }
}
