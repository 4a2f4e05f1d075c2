/** The places of a worker for requests whose filter waits for a host call. */
export class ParkTable {
  /** `wasm_park_capacity`. A reload sets it. Requests that are already parked stay, even beyond a smaller capacity. */
  capacity: number;
  readonly #changed: (change: 1 | -1) => void;
  #active = 0;

  /** `changed` is called for each place that is taken (1) or given back (-1). */
  constructor(capacity: number, changed: (change: 1 | -1) => void) {
    this.capacity = capacity;
    this.#changed = changed;
  }

  /** The number of parked requests. */
  get active(): number {
    return this.#active;
  }

  /** Takes a place; false if the table is full. */
  take(): boolean {
    if (this.#active >= this.capacity) return false;
    this.#active++;
    this.#changed(1);
    return true;
  }

  /** Gives back a place. */
  give(): void {
    this.#active--;
    this.#changed(-1);
  }
}
