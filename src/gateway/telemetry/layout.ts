import { nameBytes } from "../../lib/shared-names.ts";
import { type ZoneShape } from "../../lib/shared-zone.ts";
import { BUCKET_BYTES } from "../../lib/token-buckets.ts";
import { OPERATIONS, OUTCOMES } from "../../payments/facilitator/facilitator-observer.ts";
import { MAX_SERVERS } from "../config/max-servers.ts";

/** Every protocol that a request can come by, as it is called in labels. */
export const PROTOCOLS = ["http1", "http2", "http3"] as const;
/** Methods that are counted by name; a client can make up any other. @bound */
export const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
  "other",
] as const;
/** What carries a connection. */
export const TRANSPORTS = ["tcp", "tls", "quic"] as const;
/** Upper bounds of the duration buckets, in seconds; a last one takes all that is longer. */
export const DURATION_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
] as const;
/** What a cache makes of a request. */
export const CACHE_RESULTS = ["hit", "miss", "stale", "revalidated", "bypass"] as const;
/** How far payments come: `delivered` has been `settled` before. */
export const PAYMENT_OUTCOMES = ["settled", "delivered", "released", "failed", "unknown"] as const;
/** What becomes of settlement records. */
export const RECORD_RESULTS = ["posted", "failed", "dropped"] as const;
/** What rate limits decide. */
export const RATE_LIMIT_RESULTS = ["allowed", "limited"] as const;
/** What becomes of questions to the store of rate limits. */
export const RATE_LIMIT_STORE_RESULTS = ["answered", "failed", "skipped"] as const;
/** What becomes of spans. */
export const SPAN_RESULTS = ["exported", "rejected", "dropped"] as const;
/** What becomes of orders for certificates. */
export const ORDER_RESULTS = ["issued", "failed"] as const;
export const TLS_VERSIONS = ["TLSv1.2", "TLSv1.3"] as const;
/** Codes are 100 to 599; what an upstream makes up beyond that shares the last column. @bound */
export const FIRST_CODE = 100;
export const CODES = 501;
/** gRPC's statuses, 0 to 16; what a server makes up beyond them shares the last column. */
export const GRPC_STATUSES = 18;

/** Pairs of consumer and route whose use is counted apart; the first row takes all that find none. @bound */
export const USAGE_ROWS = 2048;
/** What is counted of each: see `UsageCounters`. */
export const USAGE_COLUMNS = 6;
/** Upstreams whose use is counted apart, and what is counted of each: see `UpstreamCounters`. @bound */
export const UPSTREAM_ROWS = 512;
export const UPSTREAM_COLUMNS = 6;
/** When a filter runs: `callback` is what it is told of besides requests, such as its timer and the replies to its calls. */
export const FILTER_PHASES = ["request", "resume", "response", "callback"] as const;
/**
 * What came of an invocation. From `fuel` to `start` it failed: no fuel was left, it trapped, it asked for what it must not, it was
 * parked for too long, its host call failed, no instance could be started. `busy`: no instance was free, or the request was too
 * large to be parked. `gone`: the client left while it was parked.
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
/** Upper bounds of the buckets for the time of an invocation, in seconds; a last one takes all that is longer. */
export const FILTER_BOUNDS = [0.000_005, 0.000_025, 0.0001, 0.0005, 0.0025, 0.01, 0.05, 0.25] as const;
/** Filters that are counted apart, each by its route, and what is counted of each: see `FilterMetrics`. @bound */
export const FILTER_ROWS = 256;
export const FILTER_COLUMNS = FILTER_PHASES.length * (FILTER_OUTCOMES.length + 1) + FILTER_BOUNDS.length + 1 + 1;
/** Metrics that filters define themselves, and what each has: a mark, a value, and the buckets of a histogram. @bound */
export const DEFINED_ROWS = 512;
export const DEFINED_BOUNDS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const;
export const DEFINED_COLUMNS = 2 + DEFINED_BOUNDS.length + 1;
/** What becomes of requests on tenant routes, and of the mappings that they make. */
export const TENANT_EVENTS = ["hit", "miss", "eviction"] as const;

/** Routes whose traffic is counted apart, and what is counted of each: see `RouteTraffic`. @bound */
export const ROUTE_ROWS = 1024;
export const ROUTE_COLUMNS = 4 + DURATION_BOUNDS.length + 1 + CACHE_RESULTS.length;

/** The random key of `AddressShares`. */
const SHARE_KEY_BYTES = 8;
/** The two cells of `LogTrouble`. */
const LOG_TROUBLE_BYTES = 8;
/** Where the parts of the common memory begin, in bytes. */
export const COMMON = commonParts();

function commonParts() {
  const usageNames = BUCKET_BYTES;
  const upstreamNames = usageNames + nameBytes(USAGE_ROWS);
  const routeNames = upstreamNames + nameBytes(UPSTREAM_ROWS);
  const filterNames = routeNames + nameBytes(ROUTE_ROWS);
  const definedNames = filterNames + nameBytes(FILTER_ROWS);
  const shareKey = definedNames + nameBytes(DEFINED_ROWS);
  const logTrouble = shareKey + SHARE_KEY_BYTES;
  const end = logTrouble + LOG_TROUBLE_BYTES;
  return { buckets: 0, usageNames, upstreamNames, routeNames, filterNames, definedNames, shareKey, logTrouble, end };
}

/** Cell of a row with the worker's access logs that fail: see `LogTrouble`. */
export const LOGS_FAILING = 2;
/** Cells of a row before those of servers: that one, and those of `SharedConnectionCounter`. */
export const CELLS_BEFORE_SERVERS = 3;
/** Cells of a row for each server: see `ServerStates`. */
export const CELLS_PER_SERVER = 7;

/** Counters of client connections by address, behind those of servers, and their lines: see `AddressShares`. @bound */
export const SHARE_DEPTH = 4;
export const SHARE_CELLS = SHARE_DEPTH * 2048;
export const SHARES_FROM = CELLS_BEFORE_SERVERS + MAX_SERVERS * CELLS_PER_SERVER;

/** What each slot counts, in this order from its first column on. */
export const SERVER_COLUMN = {
  requests: 0,
  failures: 1,
  connections: 2,
  retries: 3,
  /** By class: 1xx to 5xx. */
  responses: 4,
};
const SERVER_COLUMNS = SERVER_COLUMN.responses + 5;
/** What each slot has now. */
export const SERVER_GAUGE = { connectionsOpen: 0, requestsWaiting: 1 };
const SERVER_GAUGES = 2;

let columns = 0;

function column(count = 1): number {
  const first = columns;
  columns += count;
  return first;
}

/** State, not history: of a worker that has died it is cleared. */
const GAUGES = {
  pid: column(),
  /** Unix seconds. */
  startedAt: column(),
  requestsInFlight: column(PROTOCOLS.length),
  connectionsOpen: column(TRANSPORTS.length),
  logsFailing: column(),
  quicStreamsOpen: column(),
  bufferBytes: column(),
  bodyBufferBytes: column(),
  diskBufferBytes: column(),
  serverGauges: column(MAX_SERVERS * SERVER_GAUGES),
  cacheEntries: column(),
  cacheBytes: column(),
  paymentsOpen: column(),
  recordsWaiting: column(),
  facilitatorBreakersOpen: column(),
  rateLimitStoresAway: column(),
  routesClosed: column(),
  parkActive: column(),
  parkCapacity: column(),
  poolInstances: column(),
  poolPinned: column(),
  controlConfigured: column(),
  controlReady: column(),
  tenantsActive: column(),
  /** By state: valid, missing, expired. */
  certificates: column(3),
  /** Unix seconds. */
  certificateExpiry: column(),
};
const GAUGE_COUNT = columns;

/** Where each number lies in a process's row: the first column of as many as its labels need. */
export const COLUMN = {
  ...GAUGES,
  requests: column(PROTOCOLS.length * METHODS.length),
  responses: column(PROTOCOLS.length * CODES),
  durations: column(PROTOCOLS.length * (DURATION_BOUNDS.length + 1)),
  durationSum: column(PROTOCOLS.length),
  grpcResponses: column(GRPC_STATUSES),
  requestBytes: column(PROTOCOLS.length),
  responseBytes: column(PROTOCOLS.length),
  connections: column(TRANSPORTS.length),
  connectionsRefused: column(TRANSPORTS.length),
  connectionsYielded: column(TRANSPORTS.length),
  connectionProtocols: column(PROTOCOLS.length),
  /** By version, then full or resumed. */
  tlsHandshakes: column(TLS_VERSIONS.length * 2),
  tlsFailures: column(),
  quicHandshakeFailures: column(),
  quicStreams: column(),
  quicStreamsMalformed: column(),
  quicBytesIn: column(),
  quicBytesOut: column(),
  quicPacketsIn: column(),
  quicPacketsOut: column(),
  quicPacketsLost: column(),
  servers: column(MAX_SERVERS * SERVER_COLUMNS),
  mirrorRequests: column(),
  mirrorGivenUp: column(),
  mirrorFailures: column(),
  /** By result. */
  cacheRequests: column(CACHE_RESULTS.length),
  /** By operation, then outcome. */
  facilitatorRequests: column(OPERATIONS.length * OUTCOMES.length),
  /** By outcome. */
  payments: column(PAYMENT_OUTCOMES.length),
  /** By result. */
  records: column(RECORD_RESULTS.length),
  /** By result. */
  rateLimits: column(RATE_LIMIT_RESULTS.length),
  rateLimitsShared: column(),
  /** By result. */
  rateLimitStore: column(RATE_LIMIT_STORE_RESULTS.length),
  /** By result. */
  spans: column(SPAN_RESULTS.length),
  /** By event. */
  tenants: column(TENANT_EVENTS.length),
  /** By result. */
  certificateOrders: column(ORDER_RESULTS.length),
  bufferRefusals: column(),
  bodyBufferRefusals: column(),
  logLinesDropped: column(),
  workerRestarts: column(),
  reloads: column(),
  reloadFailures: column(),
  usage: column(USAGE_ROWS * USAGE_COLUMNS),
  upstreams: column(UPSTREAM_ROWS * UPSTREAM_COLUMNS),
  routes: column(ROUTE_ROWS * ROUTE_COLUMNS),
  filters: column(FILTER_ROWS * FILTER_COLUMNS),
  defined: column(DEFINED_ROWS * DEFINED_COLUMNS),
};

/** Columns before those of usage, which have names of their own and are on no page of metrics. */
export const METRIC_COLUMNS = COLUMN.usage;

/** The row of the supervisor; workers have those from 1 on. */
export const SUPERVISOR_ROW = 0;

/** The shared memory of a server with so many workers. */
export function zoneShape(workers: number): ZoneShape {
  return {
    rows: workers + 1,
    counters: columns,
    cells: SHARES_FROM + SHARE_CELLS,
    common: COMMON.end,
  };
}

/** The first of the columns in which a server is counted. */
export function serverColumn(slot: number): number {
  return COLUMN.servers + slot * SERVER_COLUMNS;
}

export function serverGauge(slot: number): number {
  return COLUMN.serverGauges + slot * SERVER_GAUGES;
}

/** Clears what was counted of a server whose slot another one gets. */
export function clearServer(row: Float64Array, slot: number): void {
  row.fill(0, serverColumn(slot), serverColumn(slot) + SERVER_COLUMNS);
  row.fill(0, serverGauge(slot), serverGauge(slot) + SERVER_GAUGES);
}

/** Clears what a worker that has died was doing; what it had done stays counted. */
export function clearGauges(row: Float64Array): void {
  row.fill(0, 0, GAUGE_COUNT);
}

export function add(row: Float64Array, index: number, amount: number): void {
  row[index] = (row[index] ?? 0) + amount;
}
