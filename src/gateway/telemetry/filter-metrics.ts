import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { type UpstreamTrace } from "../exchange/exchange.ts";
import { CounterTable, NamedCounters } from "./counter-table.ts";
import {
  COLUMN,
  FILTER_BOUNDS,
  FILTER_COLUMNS,
  FILTER_OUTCOMES,
  FILTER_PHASES,
  FILTER_ROWS,
  SUPERVISOR_ROW,
} from "./metrics/layout.ts";
import { at, bucketOf, type Page } from "./metrics/page.ts";
import { RequestTrace } from "./tracing/request-trace.ts";

export type FilterPhase = (typeof FILTER_PHASES)[number];
export type FilterOutcome = (typeof FILTER_OUTCOMES)[number];

const BUCKETS = FILTER_BOUNDS.length + 1;
const FUEL = FILTER_PHASES.length * FILTER_OUTCOMES.length;
const DURATIONS = FUEL + FILTER_PHASES.length;
const SECONDS = DURATIONS + BUCKETS;
const PHASE_OF = new Map(FILTER_PHASES.map((phase, index) => [phase, index]));
const OUTCOME_OF = new Map(FILTER_OUTCOMES.map((outcome, index) => [outcome, index]));

export interface Invocation {
  readonly fuel: number;
  readonly microseconds: number;
  /** `exchange.trace` of the invocation's request, which gets a span. Undefined: it belongs to no request. */
  readonly trace: UpstreamTrace | undefined;
}

/** The counts of each filter by worker, with shared names. Keep the object: it remembers the names it has read. */
export class FilterTable {
  readonly #table: CounterTable;

  constructor(zone: SharedZone, row: number) {
    this.#table = filterTable(zone, row);
  }

  /** Counts a filter's invocations on a route, by its path prefix. It must not be called for every request. */
  filter(name: string, route: string): FilterMetrics {
    return new FilterMetrics(this.#table, name, route);
  }

  /** The last entry is of all filters without a row of their own, if there are any. */
  read(): FilterTotals[] {
    return this.#table.entries().map(({ name, values }) => ({
      filter: name?.first,
      route: name?.second,
      invocations: invocationsIn(values),
      fuel: FILTER_PHASES.reduce((sum, _, index) => sum + at(values, FUEL + index), 0),
      seconds: at(values, SECONDS),
      durations: [...values.subarray(DURATIONS, SECONDS)],
    }));
  }
}

/** Counts the invocations of one filter on one route, in one worker. */
export class FilterMetrics extends NamedCounters {
  readonly #name: string;

  constructor(table: CounterTable, name: string, route: string) {
    super(table, name, route);
    this.#name = name;
  }

  invoked(phase: FilterPhase, outcome: FilterOutcome, { fuel, microseconds, trace }: Invocation): void {
    this.#count(phase, outcome);
    if (trace instanceof RequestTrace) trace.filterRan({ filter: this.#name, phase, outcome, fuel, microseconds });
    const seconds = microseconds / 1_000_000;
    this.add(FUEL + (PHASE_OF.get(phase) ?? 0), fuel);
    this.add(DURATIONS + bucketOf(FILTER_BOUNDS, seconds), 1);
    this.add(SECONDS, seconds);
  }

  /** The filter could not be invoked, or was parked and does not continue. */
  notInvoked(phase: FilterPhase, outcome: FilterOutcome, trace: UpstreamTrace | undefined): void {
    this.#count(phase, outcome);
    if (trace instanceof RequestTrace)
      trace.filterRan({ filter: this.#name, phase, outcome, fuel: 0, microseconds: 0 });
  }

  #count(phase: FilterPhase, outcome: FilterOutcome): void {
    this.add((PHASE_OF.get(phase) ?? 0) * FILTER_OUTCOMES.length + (OUTCOME_OF.get(outcome) ?? 0), 1);
  }
}

/** The totals of one filter on one route, over all workers. */
export interface FilterTotals {
  /** Undefined: all filters without a row of their own. */
  readonly filter: string | undefined;
  readonly route: string | undefined;
  readonly invocations: readonly {
    readonly phase: FilterPhase;
    readonly outcome: FilterOutcome;
    readonly count: number;
  }[];
  readonly fuel: number;
  readonly seconds: number;
  /** Invocations by duration: one number for each of `FILTER_BOUNDS`, and a last one for longer invocations. */
  readonly durations: readonly number[];
}

function invocationsIn(values: Float64Array): FilterTotals["invocations"] {
  return FILTER_PHASES.flatMap((phase, p) =>
    FILTER_OUTCOMES.flatMap((outcome, o) => {
      const count = at(values, p * FILTER_OUTCOMES.length + o);
      return count > 0 ? [{ phase, outcome, count }] : [];
    }),
  );
}

function filterTable(zone: SharedZone, row: number): CounterTable {
  return new CounterTable(zone, row, {
    names: ["filterNames", "definedNames"],
    rows: FILTER_ROWS,
    column: COLUMN.filters,
    columns: FILTER_COLUMNS,
  });
}

/** Writes filters by name and route. */
export function writeFilters(page: Page, zone: SharedZone): void {
  const entries = filterTable(zone, SUPERVISOR_ROW).entries();
  const all = entries.map(({ name, values }) => ({
    labels: { filter: name?.first ?? "other", route: name?.second ?? "other" },
    values,
  }));
  page.metric("turnpike_filter_invocations_total", "counter", "Invocations of WebAssembly filters, by outcome.");
  for (const { labels, values } of all) {
    for (const { phase, outcome, count } of invocationsIn(values)) page.sample(count, { ...labels, phase, outcome });
  }
  page.metric("turnpike_filter_fuel_total", "counter", "Fuel used by invocations.");
  for (const { labels, values } of all) {
    for (const [index, phase] of FILTER_PHASES.entries()) page.sample(at(values, FUEL + index), { ...labels, phase });
  }
  page.metric("turnpike_filter_duration_seconds", "histogram", "Duration of invocations, without waits.");
  for (const { labels, values } of all) {
    page.histogram(labels, FILTER_BOUNDS, values.subarray(DURATIONS), at(values, SECONDS));
  }
}
