import { nameBytes } from "../../../lib/memory/shared-names.ts";
import { type ZoneShape } from "../../../lib/memory/shared-zone.ts";
import { BUCKET_BYTES } from "../../../lib/memory/token-buckets.ts";
import { MAX_SERVERS } from "../../config/max-servers.ts";
import { FUNNEL_STEPS } from "./funnel-steps.ts";
import {
  CACHE_RESULTS,
  columnsOf,
  DURATION_BOUNDS,
  type Metric,
  type MetricName,
  METRICS,
  PROTOCOLS,
} from "./metrics.ts";

/**
 * Pairs of consumer and route that are counted separately until the next write to the store. Beyond it, the consumers of
 * a route are counted together, for at most `ROUTE_ROWS` routes. @bound
 */
export const USAGE_ROWS = 2048;
/** Columns of each pair: see `UsageCounters`. */
export const USAGE_COLUMNS = 6;
/**
 * Upstreams that are counted separately, and the columns of each: see `UpstreamCounters`. Beyond it, upstreams share
 * the first row. @bound
 */
export const UPSTREAM_ROWS = 512;
export const UPSTREAM_COLUMNS = 6;
/** When a filter runs. `callback`: events other than requests, as its timer and replies to its calls. */
export const FILTER_PHASES = ["request", "resume", "response", "callback"] as const;
/**
 * The outcome of an invocation. From `fuel` to `start` it failed: it ran out of fuel, trapped, made a forbidden call,
 * was parked for too long, its host call failed, or no instance could be started. `busy`: no instance was free, or the
 * request was too large to be parked. `gone`: the client closed its connection while the request was parked.
 */
export const FILTER_OUTCOMES = [
  "allow",
  "modify",
  "reject",
  "park",
  "unchanged",
  "fuel",
  "trap",
  "misuse",
  "deadline",
  "control",
  "start",
  "busy",
  "gone",
] as const;
/** Upper bounds of the buckets for the duration of an invocation, in seconds. A last bucket takes all longer times. */
export const FILTER_BOUNDS = [0.000_005, 0.000_025, 0.0001, 0.0005, 0.0025, 0.01, 0.05, 0.25] as const;
/** Pairs of filter and route that are counted separately. Further pairs share one row. @bound */
export const FILTER_ROWS = 256;
export const FILTER_COLUMNS = FILTER_PHASES.length * (FILTER_OUTCOMES.length + 1) + FILTER_BOUNDS.length + 1 + 1;
/** Metrics that filters define. Further ones are not counted. @operator @bound */
export const DEFINED_ROWS = 512;
export const DEFINED_BOUNDS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const;
export const DEFINED_COLUMNS = 2 + DEFINED_BOUNDS.length + 1;

/** Routes that are counted separately. Further routes share one row. @operator @bound */
export const ROUTE_ROWS = 1024;
export const ROUTE_COLUMNS = 4 + DURATION_BOUNDS.length + 1 + CACHE_RESULTS.length;

/** Pairs of priced route and class of clients that are counted separately. Further pairs share one row. @operator @bound */
export const FUNNEL_ROWS = 512;
/** Payers that are known to have bought before. A further payer takes the place of another one. @bound */
export const PAYER_SLOTS = 1 << 16;

/** The random key of `AddressShares`. */
const SHARE_KEY_BYTES = 8;
/** The random key and the slots of the payers that `Funnel` knows. */
const PAYER_BYTES = 8 + PAYER_SLOTS * 4;
/** The two cells of `LogTrouble`. */
const LOG_TROUBLE_BYTES = 8;
/** The cell of `UsageCounters` with the number of the current period. */
const USAGE_PERIOD_BYTES = 4;
/** The offsets of the parts of the common memory, in bytes. */
export const COMMON = offsetsOf({
  buckets: BUCKET_BYTES,
  freeBuckets: BUCKET_BYTES,
  usageNames: nameBytes(USAGE_ROWS),
  nextUsageNames: nameBytes(USAGE_ROWS),
  otherNames: nameBytes(ROUTE_ROWS),
  nextOtherNames: nameBytes(ROUTE_ROWS),
  upstreamNames: nameBytes(UPSTREAM_ROWS),
  routeNames: nameBytes(ROUTE_ROWS),
  filterNames: nameBytes(FILTER_ROWS),
  definedNames: nameBytes(DEFINED_ROWS),
  funnelNames: nameBytes(FUNNEL_ROWS),
  payers: PAYER_BYTES,
  shareKey: SHARE_KEY_BYTES,
  logTrouble: LOG_TROUBLE_BYTES,
  usagePeriod: USAGE_PERIOD_BYTES,
  end: 0,
});

/** Puts parts one behind the other. `sizes`: their bytes. */
function offsetsOf<Part extends string>(sizes: Readonly<Record<Part, number>>): Record<Part, number> {
  let end = 0;
  const offsets = Object.entries<number>(sizes).map(([part, bytes]) => [part, (end += bytes) - bytes]);
  // The entries are those of `sizes`.
  return Object.fromEntries(offsets) as Record<Part, number>;
}

/** The cell of a row that has the number of the worker's failing access logs: see `LogTrouble`. */
export const LOGS_FAILING = 2;
/** The cell of a row that says in which period the worker counts at this moment: see `UsageCounters`. */
export const USAGE_COUNTING = 3;
/** Cells of a row before those of servers: the two above, and those of `SharedConnectionCounter`. */
export const CELLS_BEFORE_SERVERS = 4;
/** Cells of a row for each server: see `ServerStates`. */
export const CELLS_PER_SERVER = 7;

/**
 * Counters of client connections by address, which follow those of servers: their lines and their cells. See
 * `AddressShares`. @bound
 */
export const SHARE_DEPTH = 4;
export const SHARE_CELLS = SHARE_DEPTH * 2048;
export const SHARES_FROM = CELLS_BEFORE_SERVERS + MAX_SERVERS * CELLS_PER_SERVER;

/** The counters of each slot, as offsets from its first column. */
export const SERVER_COLUMN = {
  requests: 0,
  failures: 1,
  connections: 2,
  retries: 3,
  /** By class: 1xx to 5xx. */
  responses: 4,
};
const SERVER_COLUMNS = SERVER_COLUMN.responses + 5;
/** The gauges of each slot. */
export const SERVER_GAUGE = { connectionsOpen: 0, requestsWaiting: 1 };
const SERVER_GAUGES = 2;

let columns = 0;

function column(count = 1): number {
  const first = columns;
  columns += count;
  return first;
}

function metricColumns(type: Metric["type"]): Record<MetricName, number> {
  const found = Object.entries<Metric>(METRICS).filter(([, metric]) => metric.type === type);
  // The columns of both types are put together below.
  return Object.fromEntries(found.map(([key, metric]) => [key, column(columnsOf(metric))])) as Record<
    MetricName,
    number
  >;
}

/** Gauges: the current state, which is cleared when the worker dies. */
const GAUGES = {
  pid: column(),
  /** Unix seconds. */
  startedAt: column(),
  /** Used only in the supervisor's row: see `setAdminAway`. */
  adminAway: column(),
  serverGauges: column(MAX_SERVERS * SERVER_GAUGES),
  ...metricColumns("gauge"),
};
const GAUGE_COUNT = columns;

/** The first column of each metric in a process's row. */
export const COLUMN = {
  ...GAUGES,
  ...metricColumns("counter"),
  durations: column(PROTOCOLS.length * (DURATION_BOUNDS.length + 1)),
  durationSum: column(PROTOCOLS.length),
  servers: column(MAX_SERVERS * SERVER_COLUMNS),
  usage: column(USAGE_ROWS * USAGE_COLUMNS),
  nextUsage: column(USAGE_ROWS * USAGE_COLUMNS),
  others: column(ROUTE_ROWS * USAGE_COLUMNS),
  nextOthers: column(ROUTE_ROWS * USAGE_COLUMNS),
  /** The period of each half: see `UsageCounters`. */
  usagePeriods: column(2),
  upstreams: column(UPSTREAM_ROWS * UPSTREAM_COLUMNS),
  routes: column(ROUTE_ROWS * ROUTE_COLUMNS),
  filters: column(FILTER_ROWS * FILTER_COLUMNS),
  defined: column(DEFINED_ROWS * DEFINED_COLUMNS),
  funnel: column(FUNNEL_ROWS * FUNNEL_STEPS.length),
};

/** The columns before those with names of their own. Only these are summed for the metrics page. */
export const METRIC_COLUMNS = COLUMN.usage;

/** The row of the supervisor. Workers have the rows from 1. */
export const SUPERVISOR_ROW = 0;

/** The shape of the shared memory of a server with `workers` workers. */
export function zoneShape(workers: number): ZoneShape {
  return {
    rows: workers + 1,
    counters: columns,
    cells: SHARES_FROM + SHARE_CELLS,
    common: COMMON.end,
  };
}

/** The first column of a server's counters. */
export function serverColumn(slot: number): number {
  return COLUMN.servers + slot * SERVER_COLUMNS;
}

/** The first column of the gauges of a server's slot. */
export function serverGauge(slot: number): number {
  return COLUMN.serverGauges + slot * SERVER_GAUGES;
}

/** Clears the counters of a slot before another server gets it. */
export function clearServer(row: Float64Array, slot: number): void {
  row.fill(0, serverColumn(slot), serverColumn(slot) + SERVER_COLUMNS);
  row.fill(0, serverGauge(slot), serverGauge(slot) + SERVER_GAUGES);
}

/** Clears the gauges of a worker that has died. Its counters stay. */
export function clearGauges(row: Float64Array): void {
  row.fill(0, 0, GAUGE_COUNT);
}

/** Adds to the number at an index of a row. */
export function add(row: Float64Array, index: number, amount: number): void {
  row[index] = (row[index] ?? 0) + amount;
}
