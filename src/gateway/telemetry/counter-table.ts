import { type PairName, SharedNames } from "../../lib/shared-names.ts";
import { type SharedZone } from "../../lib/shared-zone.ts";
import { COMMON } from "./layout.ts";

/** Where a table lies in the shared memory. */
export interface TableRegion {
  /** Its names in the common memory, from where to where. */
  readonly names: readonly [from: keyof typeof COMMON, to: keyof typeof COMMON];
  readonly rows: number;
  /** Its first column in the row of a process. */
  readonly column: number;
  /** Columns of each of its rows. */
  readonly columns: number;
  /** Of these it is the newest of all processes that counts, and not the sum. */
  readonly newest?: number;
}

/** What all processes together have counted under one name. */
export interface TableEntry {
  /** Its row in the table: the same for as long as the memory lasts. */
  readonly index: number;
  /** Undefined: all that found no row of their own. */
  readonly name: PairName | undefined;
  /** By column. */
  readonly values: Float64Array;
}

/** The row of all that found no row of their own. */
const NOBODYS: readonly [index: number, name: undefined] = [0, undefined];

/** Counters by name, of which every process has its own, and which only grow. Decision 0509. */
export class CounterTable {
  /** What this process counts into. */
  readonly row: Float64Array;
  readonly #zone: SharedZone;
  readonly #region: TableRegion;
  readonly #names: SharedNames;
  /** Names that were read, by row: a row keeps its own for as long as the memory lasts. */
  readonly #known = new Map<number, PairName>();
  /** That of the names when they were read. */
  #generation = -1;

  constructor(zone: SharedZone, row: number, region: TableRegion) {
    const [from, to] = region.names;
    this.row = zone.counters(row);
    this.#zone = zone;
    this.#region = region;
    this.#names = new SharedNames(zone.common().subarray(COMMON[from], COMMON[to]), region.rows);
  }

  /** The first column of a name; that of all others where no row is left. Not for every request: it hashes. */
  columnOf(name: PairName): number {
    return this.#region.column + this.#names.rowOf(name) * this.#region.columns;
  }

  /** True: more names than rows have come, and this is the column that they share. */
  isShared(column: number): boolean {
    return column === this.#region.column;
  }

  /** Every name with something counted, in no order; the last one is that of all others, where there are any. */
  entries(): TableEntry[] {
    const { column, columns } = this.#region;
    const counters = Array.from({ length: this.#zone.shape.rows }, (_, row) => this.#zone.counters(row));
    const found: TableEntry[] = [];
    this.#readNames();
    for (const [index, name] of [...this.#known, NOBODYS]) {
      const values = this.#total(counters, column + index * columns);
      if (values.some((value) => value > 0)) found.push({ index, name, values });
    }
    return found;
  }

  /** Looks through all rows only if there are new names: they are half a megabyte, and the console asks twice a second. */
  #readNames(): void {
    const { generation } = this.#names;
    if (generation === this.#generation) return;
    for (let index = 1; index < this.#region.rows; index++) {
      if (this.#known.has(index)) continue;
      const name = this.#names.nameOf(index);
      if (name !== undefined) this.#known.set(index, name);
    }
    this.#generation = generation;
  }

  #total(counters: readonly Float64Array[], first: number): Float64Array {
    const { columns, newest = -1 } = this.#region;
    const values = new Float64Array(columns);
    for (const row of counters) {
      for (let i = 0; i < columns; i++) {
        const [value, other] = [values[i] ?? 0, row[first + i] ?? 0];
        values[i] = i === newest ? Math.max(value, other) : value + other;
      }
    }
    return values;
  }
}
