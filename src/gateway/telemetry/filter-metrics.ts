import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { type UpstreamTrace } from "../exchange/exchange.ts";
import { CounterTable, type TableEntry } from "./counter-table.ts";
import {
  add,
  COLUMN,
  FILTER_BOUNDS,
  FILTER_COLUMNS,
  FILTER_OUTCOMES,
  FILTER_PHASES,
  FILTER_ROWS,
  SUPERVISOR_ROW,
  TENANT_EVENTS,
} from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";
import { RequestTrace } from "./tracing/request-trace.ts";

/** An item of `FILTER_PHASES`. */
export type FilterPhase = (typeof FILTER_PHASES)[number];
/** An item of `FILTER_OUTCOMES`. */
export type FilterOutcome = (typeof FILTER_OUTCOMES)[number];
/** An item of `TENANT_EVENTS`. */
export type TenantEvent = (typeof TENANT_EVENTS)[number];

const BUCKETS = FILTER_BOUNDS.length + 1;
const BOUNDS_MICROSECONDS = FILTER_BOUNDS.map((seconds) => seconds * 1_000_000);
const FUEL = FILTER_PHASES.length * FILTER_OUTCOMES.length;
const DURATIONS = FUEL + FILTER_PHASES.length;
const SECONDS = DURATIONS + BUCKETS;
const PHASE_OF = new Map(FILTER_PHASES.map((phase, index) => [phase, index]));
const OUTCOME_OF = new Map(FILTER_OUTCOMES.map((outcome, index) => [outcome, index]));

/** Filters and tenants of a worker. It has gauges of its own, which are cleared when the worker dies. */
export class WasmMetrics {
  readonly #row: Float64Array;
  readonly #table: CounterTable;

  constructor(zone: SharedZone, row: number) {
    this.#row = zone.counters(row);
    this.#table = filterTable(zone, row);
  }

  /**
   * Counts the invocations of a filter on a route, which is identified by its path prefix. It must not be called for
   * every request.
   */
  filter(name: string, route: string): FilterMetrics {
    return new FilterMetrics(this.#table, name, route);
  }

  /** An instance was created (1) or destroyed (-1). */
  instancesChanged(change: number): void {
    add(this.#row, COLUMN.poolInstances, change);
  }

  /** An instance was bound to a request (1) or freed (-1). */
  pinnedChanged(change: number): void {
    add(this.#row, COLUMN.poolPinned, change);
  }

  /** A request was parked (1) or has ended its wait (-1). */
  parkedChanged(change: number): void {
    add(this.#row, COLUMN.parkActive, change);
  }

  /** Maximum requests that the worker may park. */
  parkCapacity(capacity: number): void {
    this.#row[COLUMN.parkCapacity] = capacity;
  }

  /** Number of path prefixes that respond with 503 because one of their filters cannot be loaded. */
  closed(count: number): void {
    this.#row[COLUMN.routesClosed] = count;
  }

  /** The state of the worker's control socket. */
  control(isConfigured: boolean, isReady: boolean): void {
    this.#row[COLUMN.controlConfigured] = Number(isConfigured);
    this.#row[COLUMN.controlReady] = Number(isReady);
  }

  tenant(event: TenantEvent): void {
    add(this.#row, COLUMN.tenants + TENANT_EVENTS.indexOf(event), 1);
  }

  /** Number of warm mappings in the worker. */
  tenantsActive(count: number): void {
    this.#row[COLUMN.tenantsActive] = count;
  }
}

/** The cost of an invocation. */
export interface Invocation {
  readonly fuel: number;
  readonly microseconds: number;
  /**
   * `exchange.trace` of the invocation's request, which gets a span for it. Undefined: the invocation belongs to no
   * request.
   */
  readonly trace: UpstreamTrace | undefined;
}

/** Counts the invocations of one filter on one route, in one worker. */
export class FilterMetrics {
  readonly #table: CounterTable;
  readonly #name: string;
  readonly #route: string;
  readonly #row: Float64Array;
  /** Looked up at the first invocation. */
  #column: number | undefined;

  constructor(table: CounterTable, name: string, route: string) {
    this.#table = table;
    this.#row = table.row;
    this.#name = name;
    this.#route = route;
  }

  get #first(): number {
    return (this.#column ??= this.#table.columnOf({ first: this.#name, second: this.#route }));
  }

  /** An invocation has just ended. */
  invoked(phase: FilterPhase, outcome: FilterOutcome, { fuel, microseconds, trace }: Invocation): void {
    this.#count(phase, outcome);
    if (trace instanceof RequestTrace) trace.filterRan({ filter: this.#name, phase, outcome, fuel, microseconds });
    const row = this.#row;
    const column = this.#first;
    add(row, column + FUEL + (PHASE_OF.get(phase) ?? 0), fuel);
    add(row, column + DURATIONS + bucketOf(microseconds), 1);
    add(row, column + SECONDS, microseconds / 1_000_000);
  }

  /** The filter could not be invoked, or was parked and does not continue. */
  notInvoked(phase: FilterPhase, outcome: FilterOutcome, trace: UpstreamTrace | undefined): void {
    this.#count(phase, outcome);
    if (trace instanceof RequestTrace)
      trace.filterRan({ filter: this.#name, phase, outcome, fuel: 0, microseconds: 0 });
  }

  #count(phase: FilterPhase, outcome: FilterOutcome): void {
    const cell = (PHASE_OF.get(phase) ?? 0) * FILTER_OUTCOMES.length + (OUTCOME_OF.get(outcome) ?? 0);
    add(this.#row, this.#first + cell, 1);
  }
}

function bucketOf(microseconds: number): number {
  let bucket = 0;
  while (bucket < BOUNDS_MICROSECONDS.length && microseconds > (BOUNDS_MICROSECONDS[bucket] ?? 0)) bucket++;
  return bucket;
}

/** The figures of filters and tenants, summed over all workers. */
export interface WasmFigures {
  readonly parkActive: number;
  readonly parkCapacity: number;
  readonly poolInstances: number;
  readonly poolPinned: number;
  /** True if a worker has a configured control socket. */
  readonly controlConfigured: boolean;
  /** True if the control socket is ready in every worker that has one. */
  readonly controlReady: boolean;
  readonly tenantsActive: number;
  readonly tenantHits: number;
  readonly tenantMisses: number;
  readonly tenantEvictions: number;
}

/** Reads the figures in any process of the server. */
export function wasmFigures(zone: SharedZone): WasmFigures {
  const rows = Array.from({ length: zone.shape.rows }, (_, row) => zone.counters(row));
  const sum = (column: number): number => rows.reduce((total, row) => total + at(row, column), 0);
  const configured = sum(COLUMN.controlConfigured);
  const tenants = (event: TenantEvent): number => sum(COLUMN.tenants + TENANT_EVENTS.indexOf(event));
  return {
    parkActive: sum(COLUMN.parkActive),
    parkCapacity: sum(COLUMN.parkCapacity),
    poolInstances: sum(COLUMN.poolInstances),
    poolPinned: sum(COLUMN.poolPinned),
    controlConfigured: configured > 0,
    controlReady: configured > 0 && sum(COLUMN.controlReady) >= configured,
    tenantsActive: sum(COLUMN.tenantsActive),
    tenantHits: tenants("hit"),
    tenantMisses: tenants("miss"),
    tenantEvictions: tenants("eviction"),
  };
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

/**
 * Reads the counts of each filter, in any process of the server. Keep the object, because it remembers the names that
 * it has read.
 */
export class FilterCounts {
  readonly #table: CounterTable;

  constructor(zone: SharedZone) {
    this.#table = filterTable(zone, SUPERVISOR_ROW);
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

const GAUGES = [
  [
    "routes_closed",
    COLUMN.routesClosed,
    "Path prefixes that get 503 because a filter cannot be loaded, summed over workers.",
  ],
  ["park_active", COLUMN.parkActive, "Requests parked until a host call of their filter returns."],
  ["park_capacity", COLUMN.parkCapacity, "Maximum of parked requests, over all workers."],
  ["pool_instances", COLUMN.poolInstances, "Instances of filters."],
  ["pool_pinned", COLUMN.poolPinned, "Filter instances bound to one request."],
  ["control_configured", COLUMN.controlConfigured, "Workers with a configured control socket."],
  ["control_ready", COLUMN.controlReady, "Workers whose control socket accepts commands."],
  ["tenants_active", COLUMN.tenantsActive, "Tenants with a warm mapping, summed over workers."],
] as const;

const TENANT_COUNTERS = [
  ["hits", "Requests on tenant routes to a warm tenant."],
  ["misses", "Requests on tenant routes to a cold tenant."],
  [
    "evictions",
    "Warm mappings that were removed: the tenant failed, another one needed the space, or an operator removed it.",
  ],
] as const;

/** Writes filters by name and route, and tenants. */
export function writeWasm(page: Page, { totals }: Snapshot, zone: SharedZone): void {
  writeFilters(page, filterTable(zone, SUPERVISOR_ROW).entries());
  for (const [name, column, help] of GAUGES) {
    page.metric(`turnpike_wasm_${name}`, "gauge", help).sample(at(totals, column));
  }
  for (const [index, [name, help]] of TENANT_COUNTERS.entries()) {
    page.metric(`turnpike_wasm_tenant_${name}_total`, "counter", help).sample(at(totals, COLUMN.tenants + index));
  }
}

function writeFilters(page: Page, entries: readonly TableEntry[]): void {
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
  for (const { labels, values } of all) writeDurations(page, labels, values);
}

function writeDurations(page: Page, labels: Readonly<Record<string, string>>, values: Float64Array): void {
  let count = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    count += at(values, DURATIONS + bucket);
    page.sample(count, { ...labels, le: FILTER_BOUNDS[bucket] ?? "+Inf" }, "_bucket");
  }
  page.sample(at(values, SECONDS), labels, "_sum");
  page.sample(count, labels, "_count");
}
