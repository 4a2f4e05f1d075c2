import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { CounterTable, type TableEntry } from "./counter-table.ts";
import { add, COLUMN, DEFINED_BOUNDS, DEFINED_COLUMNS, DEFINED_ROWS, SUPERVISOR_ROW } from "./metrics/layout.ts";
import { at, bucketOf, type Page } from "./metrics/page.ts";

const TYPES = ["counter", "gauge", "histogram"] as const;
export type DefinedType = (typeof TYPES)[number];

/** 1 in every row that belongs to a metric, so that a metric with the value 0 is shown. */
const DEFINED = 0;
/** The value; for a histogram the sum. */
const VALUE = 1;
const BUCKETS = 2;
const PREFIX = "turnpike_wasm_custom_";
/** The separator of the type and the metric's name in the name of its row. */
const BETWEEN = ":";

/** The counters of a metric that a filter defines. */
export interface DefinedCell {
  add(amount: number): void;
  /** Sets a gauge, or observes a value. */
  record(value: number): void;
}

/** The metrics that the filters of a worker define. Each worker has its own part of a gauge. */
export class DefinedMetrics {
  readonly #table: CounterTable;

  constructor(zone: SharedZone, row: number) {
    this.#table = definedTable(zone, row);
    this.#clearGauges();
  }

  /** Metrics beyond `DEFINED_ROWS` are not counted. */
  cell(filter: string, type: DefinedType, name: string): DefinedCell {
    const column = this.#table.columnOf({ first: filter, second: type + BETWEEN + name });
    const { row } = this.#table;
    if (this.#table.isShared(column)) return { add() {}, record() {} };
    row[column + DEFINED] = 1;
    return {
      add: (amount) => add(row, column + VALUE, amount),
      record(value) {
        if (type === "gauge") row[column + VALUE] = value;
        else {
          add(row, column + VALUE, value);
          add(row, column + BUCKETS + bucketOf(DEFINED_BOUNDS, value), 1);
        }
      },
    };
  }

  /** Clears the gauges of the worker that had this row before and has died. */
  #clearGauges(): void {
    for (const { index, name } of this.#table.entries()) {
      if (name?.second.startsWith(`gauge${BETWEEN}`) !== true) continue;
      this.#table.row[COLUMN.defined + index * DEFINED_COLUMNS + VALUE] = 0;
    }
  }
}

function definedTable(zone: SharedZone, row: number): CounterTable {
  return new CounterTable(zone, row, {
    names: ["definedNames", "funnelNames"],
    rows: DEFINED_ROWS,
    column: COLUMN.defined,
    columns: DEFINED_COLUMNS,
  });
}

interface Family {
  readonly type: DefinedType;
  /** By filter. */
  readonly entries: Map<string, TableEntry>;
}

/** The names that a metric has on the page: a histogram also has the names of its parts. */
function namesOf(name: string, type: DefinedType): string[] {
  return type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

function isHistogram({ name }: TableEntry): boolean {
  return name?.second.startsWith(`histogram${BETWEEN}`) === true;
}

/**
 * Writes the metrics of all filters by name. If two metrics of a filter get the same name here, or two of different types, the
 * later one has its type as a suffix. Histograms come first, because they need several names.
 */
export function writeDefined(page: Page, zone: SharedZone): void {
  const families = new Map<string, Family>();
  const taken = new Set<string>();
  for (const entry of definedTable(zone, SUPERVISOR_ROW)
    .entries()
    .toSorted((a, b) => Number(isHistogram(b)) - Number(isHistogram(a)) || a.index - b.index)) {
    const [kind = "", ...rest] = entry.name?.second.split(BETWEEN) ?? [];
    const type = TYPES.find((known) => known === kind);
    if (type === undefined) continue;
    const filter = entry.name?.first ?? "";
    let name = PREFIX + rest.join(BETWEEN).replaceAll(/[^A-Za-z0-9_]/g, "_");
    const isFree = (family: Family | undefined): boolean =>
      family === undefined
        ? !namesOf(name, type).some((one) => taken.has(one))
        : family.type === type && !family.entries.has(filter);
    while (!isFree(families.get(name))) name += `_${type}`;
    const family = families.get(name) ?? { type, entries: new Map<string, TableEntry>() };
    families.set(name, family);
    family.entries.set(filter, entry);
    for (const one of namesOf(name, type)) taken.add(one);
  }
  for (const [name, { type, entries }] of families) {
    page.metric(name, type, "Defined by a filter.");
    for (const [filter, { values }] of entries) {
      const value = at(values, VALUE);
      if (type === "histogram") page.histogram({ filter }, DEFINED_BOUNDS, values.subarray(BUCKETS), value);
      else page.sample(value, { filter });
    }
  }
}
