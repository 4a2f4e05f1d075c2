import { type PairName, SharedNames } from "../../lib/memory/shared-names.ts";
import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { add, COMMON } from "./metrics/layout.ts";

/** The place of a table in the shared memory. */
export interface TableRegion {
  /** The range of its names in the common memory. */
  readonly names: readonly [from: keyof typeof COMMON, to: keyof typeof COMMON];
  readonly rows: number;
  /** Its first column in the row of a process. */
  readonly column: number;
  readonly columns: number;
  /** The column whose total is the largest value of all processes, and not the sum. */
  readonly newest?: number;
}

/** The totals of all processes for one name. */
export interface TableEntry {
  /** Its row in the table, which does not change until the rows are freed. */
  readonly index: number;
  /** Undefined: all names without a row of their own. */
  readonly name: PairName | undefined;
  /** The totals, by column. */
  readonly values: Float64Array;
}

/** The row of all names that have no row of their own. */
const NOBODYS: readonly [index: number, name: undefined] = [0, undefined];

/**
 * Counters by name. Every process adds to its own columns, and a name gets its row by one compare-and-exchange: a process that is
 * killed leaves no lock and no half-written number.
 */
export class CounterTable {
  readonly row: Float64Array;
  readonly #zone: SharedZone;
  readonly #region: TableRegion;
  readonly #names: SharedNames;
  readonly #known = new Map<number, PairName>();
  /** The generation of the names when they were last read. 0: no name was ever written. */
  #generation = 0;

  constructor(zone: SharedZone, row: number, region: TableRegion) {
    const [from, to] = region.names;
    this.row = zone.counters(row);
    this.#zone = zone;
    this.#region = region;
    this.#names = new SharedNames(zone.common().subarray(COMMON[from], COMMON[to]), region.rows);
  }

  /** The first column of a name, or the shared one if no row is left. It hashes: not for every request. */
  columnOf(name: PairName): number {
    return this.#region.column + this.#names.rowOf(name) * this.#region.columns;
  }

  /** Frees the rows of all names. Call it only if no process counts in this table. */
  freeNames(): void {
    this.#names.clear();
    this.#known.clear();
  }

  /** Sets the counters of this process to 0. */
  zero(): void {
    const { column, columns, rows } = this.#region;
    this.row.fill(0, column, column + rows * columns);
  }

  /** True if there are more names than rows, and `column` is the one that the other names share. */
  isShared(column: number): boolean {
    return column === this.#region.column;
  }

  /**
   * All names with a count above 0, in no order. The last entry is that of the shared row, if its counts are above 0.
   * Only the processes whose counters `counts` accepts are added up.
   */
  entries(counts: (row: Float64Array) => boolean = () => true): TableEntry[] {
    const { column, columns } = this.#region;
    const all = Array.from({ length: this.#zone.shape.rows }, (_, row) => this.#zone.counters(row));
    const counters = all.filter(counts);
    const found: TableEntry[] = [];
    this.#readNames();
    for (const [index, name] of [...this.#known, NOBODYS]) {
      const values = this.#total(counters, column + index * columns);
      if (values.some((value) => value > 0)) found.push({ index, name, values });
    }
    return found;
  }

  /** Reads all rows only for new names: they have half a megabyte, and the console reads twice a second. */
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

/** The counters of one name in one process. Its row is looked up at the first count, because some names are never used. */
export class NamedCounters {
  readonly #table: CounterTable;
  readonly #name: PairName;
  #column: number | undefined;

  constructor(table: CounterTable, first: string, second = "") {
    this.#table = table;
    this.#name = { first, second };
  }

  protected add(column: number, amount: number): void {
    add(this.#table.row, this.#first + column, amount);
  }

  protected set(column: number, value: number): void {
    this.#table.row[this.#first + column] = value;
  }

  get #first(): number {
    return (this.#column ??= this.#table.columnOf(this.#name));
  }
}
