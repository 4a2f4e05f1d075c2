import { type WorkerSlot } from "../../telemetry/telemetry.ts";

/** The cell of a worker's row with the number of permits that it has taken. */
const TAKEN = 0;
/** The cell with the number of times that it has asked the others for a permit. */
const ASKED = 1;
/** Attempts to claim a permit, because another claim may be given up. After them the permit is refused. */
const MAX_CLAIMS = 8;

/**
 * Counts the permits of `server.max_connections` of all workers together. Each worker writes only its own number and
 * decides by the sum of all. If a worker dies, the supervisor clears its number.
 */
export class SharedConnectionCounter {
  readonly #cells: readonly Int32Array[];
  readonly #own: Int32Array;
  /** Maximum number of permits that this process may take. */
  ownMost: number;
  #claimed = false;
  /** The number of other processes. */
  readonly others: number;

  constructor({ zone, row }: WorkerSlot, ownMost = Number.POSITIVE_INFINITY) {
    this.ownMost = ownMost;
    this.#cells = Array.from({ length: zone.shape.rows }, (_, index) => zone.cells(index));
    this.#own = zone.cells(row);
    // Row 0 belongs to the supervisor.
    this.others = zone.shape.rows - 2;
  }

  /** Tells the other processes that a permit is needed, which one of their idle connections may hold. */
  ask(): void {
    Atomics.add(this.#own, ASKED, 1);
  }

  /** The number of `ask` calls of all processes. */
  asked(): number {
    return this.#sum(ASKED);
  }

  /** True if fewer than `max` are taken. It claims before it reads the sum, so that two workers never get the same permit. */
  hasFree(max: number): boolean {
    if (this.#claimed) return true;
    if (Atomics.load(this.#own, TAKEN) >= this.ownMost) return false;
    for (let claim = 0; claim < MAX_CLAIMS && !this.#claimed; claim++) {
      Atomics.add(this.#own, TAKEN, 1);
      this.#claimed = this.#sum(TAKEN) <= max;
      if (this.#claimed) break;
      Atomics.sub(this.#own, TAKEN, 1);
      if (this.#sum(TAKEN) >= max) break;
    }
    return this.#claimed;
  }

  take(): void {
    if (this.#claimed) this.#claimed = false;
    else Atomics.add(this.#own, TAKEN, 1);
  }

  release(): void {
    Atomics.sub(this.#own, TAKEN, 1);
  }

  #sum(cell: number): number {
    let sum = 0;
    for (const cells of this.#cells) sum += Atomics.load(cells, cell);
    return sum;
  }
}
