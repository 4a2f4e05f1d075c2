import { type WorkerSlot } from "../telemetry/telemetry.ts";
import { type ConnectionCounter } from "./connection-counter.ts";

/** The cell of a worker's row that holds how many places it has taken. */
const TAKEN = 0;
/** And how often it has asked the others for one. */
const ASKED = 1;
/** A place that another worker claims at the same moment may be given up again: how often it is looked for. */
const MAX_CLAIMS = 8;

/**
 * The places of all workers together. Each keeps its own number and decides by the sum of all: a worker that dies leaves a number
 * that its supervisor clears, and there is none that two processes write.
 */
export class SharedConnectionCounter implements ConnectionCounter {
  readonly #cells: readonly Int32Array[];
  readonly #own: Int32Array;
  /** Places that this process may take of them. */
  ownMost: number;
  #claimed = false;
  readonly others: number;

  constructor({ zone, row }: WorkerSlot, ownMost = Number.POSITIVE_INFINITY) {
    this.ownMost = ownMost;
    this.#cells = Array.from({ length: zone.shape.rows }, (_, index) => zone.cells(index));
    this.#own = zone.cells(row);
    // Row 0 is the supervisor's.
    this.others = zone.shape.rows - 2;
  }

  ask(): void {
    Atomics.add(this.#own, ASKED, 1);
  }

  asked(): number {
    return this.#sum(ASKED);
  }

  /** Claiming comes before looking, so that two workers never get the same place. */
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
