/** The places of a worker for requests whose filter waits for a host call. */
export class ParkTable {
  /** `wasm_park_capacity`; a reload sets it. Parked requests beyond a smaller capacity stay. */
  capacity: number;
  readonly #changed: (change: 1 | -1) => void;
  #active = 0;

  /** `changed` is told of each place that is taken or given back. */
  constructor(capacity: number, changed: (change: 1 | -1) => void) {
    this.capacity = capacity;
    this.#changed = changed;
  }

  /** Requests that are parked. */
  get active(): number {
    return this.#active;
  }

  /** Takes a place; false: the table is full. */
  take(): boolean {
    if (this.#active >= this.capacity) return false;
    this.#active++;
    this.#changed(1);
    return true;
  }

  /** Gives back a place that was taken. */
  give(): void {
    this.#active--;
    this.#changed(-1);
  }
}
