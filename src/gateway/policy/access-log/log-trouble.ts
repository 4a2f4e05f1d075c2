import { COMMON, LOGS_FAILING } from "../../telemetry/metrics/layout.ts";
import { type WorkerSlot } from "../../telemetry/telemetry.ts";

/** Common cells: whether the loss of lines was reported, and the number of lines lost since. */
const TOLD = 0;
const LOST = 1;

/**
 * Reports once that an access log cannot be written, and once that it can be written again, for all workers together.
 * Each worker keeps the number of its failing logs in its own row; if a worker dies, the supervisor clears the row.
 */
export class LogTrouble {
  readonly #rows: readonly Int32Array[];
  readonly #own: Int32Array;
  readonly #common: Int32Array;
  readonly #log: (message: string) => void;

  constructor({ zone, row }: WorkerSlot, log: (message: string) => void) {
    this.#rows = Array.from({ length: zone.shape.rows }, (_, index) => zone.cells(index));
    this.#own = zone.cells(row);
    const { buffer, byteOffset } = zone.common().subarray(COMMON.logTrouble, COMMON.usagePeriod);
    this.#common = new Int32Array(buffer, byteOffset, 2);
    this.#log = log;
  }

  lost(lines: number): void {
    Atomics.add(this.#common, LOST, lines);
  }

  /** From now on, lines of the log at `path` are lost, for the reason `code`. */
  begins(path: string, code: string): void {
    // A report of a worker that died while its log failed is out of date.
    if (this.#failing() === 0) Atomics.store(this.#common, TOLD, 0);
    Atomics.add(this.#own, LOGS_FAILING, 1);
    if (Atomics.compareExchange(this.#common, TOLD, 0, 1) !== 0) return;
    this.#log(`warning: Cannot write the access log "${path}": ${code}. Lines are lost until it can be written again`);
  }

  /** A failing log is not used any more. */
  forget(): void {
    Atomics.sub(this.#own, LOGS_FAILING, 1);
  }

  ends(path: string): void {
    this.forget();
    if (this.#failing() > 0 || Atomics.compareExchange(this.#common, TOLD, 1, 0) !== 1) return;
    const lines = Atomics.exchange(this.#common, LOST, 0);
    this.#log(`The access log "${path}" can be written again: ${lines} lines were lost`);
  }

  #failing(): number {
    let sum = 0;
    for (const cells of this.#rows) sum += Atomics.load(cells, LOGS_FAILING);
    return sum;
  }
}
