/** The places of a worker for requests whose filter waits for a host call. */
export class ParkTable {
  /** `wasm_park_capacity`; a reload sets it. Parked requests beyond a smaller capacity stay. */
  capacity: number;
  #active = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Requests that are parked. */
  get active(): number {
    return this.#active;
  }

  /** Takes a place; false: the table is full. */
  take(): boolean {
    if (this.#active >= this.capacity) return false;
    this.#active++;
    return true;
  }

  /** Gives back a place that was taken. */
  give(): void {
    this.#active--;
  }
}
