/** Counts what all filters of a worker hold at once, such as parked requests, and limits it. */
export class FilterQuota {
  /** A reload can change it. After a reduction, holders keep what they have. */
  capacity: number;
  readonly #changed: (change: 1 | -1) => void;
  #active = 0;

  /** `changed` is called at each `take` that succeeds (1) and at each `give` (-1). */
  constructor(capacity: number, changed: (change: 1 | -1) => void) {
    this.capacity = capacity;
    this.#changed = changed;
  }

  /** Counts one more; false if there is no room. */
  take(): boolean {
    if (this.#active >= this.capacity) return false;
    this.#active++;
    this.#changed(1);
    return true;
  }

  /** One less is held. */
  give(): void {
    this.#active--;
    this.#changed(-1);
  }
}
