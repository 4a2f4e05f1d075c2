import { type PoolWatcher } from "../../lib/memory/buffer-pool.ts";
import { SharedZone } from "../../lib/memory/shared-zone.ts";
import { DefinedMetrics, writeDefined } from "./defined-metrics.ts";
import { HttpMetrics, writeDurations } from "./http-metrics.ts";
import { Funnel, writeFunnel } from "./funnel.ts";
import { FilterTable, writeFilters } from "./filter-metrics.ts";
import { Counts, writeCounts } from "./metrics/counts.ts";
import { add, clearGauges, COLUMN, METRIC_COLUMNS, SUPERVISOR_ROW, zoneShape } from "./metrics/layout.ts";
import { Page, type Snapshot } from "./metrics/page.ts";
import { QuicMetrics } from "./quic-metrics.ts";
import { RequestWatch } from "./request-watch.ts";
import { RouteTraffic } from "./route-traffic.ts";
import { UpstreamCounters } from "./upstream-usage.ts";
import { UsageCounters } from "./usage.ts";
import { type Capacities, writeBufferLimits, writeProcesses } from "./process-metrics.ts";
import { type CountedServer, ServerMetrics, writeHealth, writeUpstreams } from "./upstream-metrics.ts";

/** The place of a worker's counts: the server's shared memory, and the worker's own row in it. */
export interface WorkerSlot {
  readonly zone: SharedZone;
  /** From 1. Row 0 is the supervisor's. */
  readonly row: number;
}

/** The slot of a server that runs as one process. */
export function onlySlot(): WorkerSlot {
  return { zone: SharedZone.local(zoneShape(1)), row: 1 };
}

/** The counts of a worker, and the metrics page of the whole server. */
export class Telemetry {
  readonly counts: Counts;
  readonly http: HttpMetrics;
  readonly quic: QuicMetrics;
  readonly usage: UsageCounters;
  readonly traffic: RouteTraffic;
  readonly filters: FilterTable;
  readonly defined: DefinedMetrics;
  readonly funnel: Funnel;
  readonly requests = new RequestWatch();
  readonly #upstreams: UpstreamCounters;
  readonly #zone: SharedZone;
  readonly #row: Float64Array;

  /** `clock` returns Unix milliseconds. */
  constructor({ zone, row }: WorkerSlot, clock: () => number = Date.now) {
    this.#zone = zone;
    this.#row = zone.counters(row);
    this.counts = new Counts(this.#row);
    this.http = new HttpMetrics(this.#row);
    this.quic = new QuicMetrics(this.counts);
    this.usage = new UsageCounters(zone, row);
    this.traffic = new RouteTraffic(zone, row);
    this.filters = new FilterTable(zone, row);
    this.defined = new DefinedMetrics(zone, row);
    this.funnel = new Funnel(zone, row);
    this.#upstreams = new UpstreamCounters(zone, row);
    this.#row[COLUMN.pid] = process.pid;
    this.#row[COLUMN.startedAt] = Math.floor(clock() / 1000);
  }

  /** Observes the worker's pool of that name. */
  poolWatcher(pool: "stream" | "body"): PoolWatcher {
    const { counts } = this;
    return {
      used: (bytes) => counts.set("buffers", bytes, pool),
      refused: () => counts.add("bufferRefusals", 1, pool),
    };
  }

  serverMetrics(slot: number, upstream: string): ServerMetrics {
    return new ServerMetrics(this.#row, slot, this.#upstreams.upstream(upstream));
  }

  page(capacities: Capacities, servers: readonly CountedServer[]): MetricsPage {
    return metricsPage(this.#zone, capacities, servers);
  }
}

export interface MetricsPage {
  readonly text: string;
  readonly contentType: string;
}

/** The metrics of the whole server in Prometheus' text format, in any process. */
export function metricsPage(zone: SharedZone, capacities: Capacities, servers: readonly CountedServer[]): MetricsPage {
  const page = new Page();
  const snapshot = snapshotOf(zone);
  writeCounts(page, snapshot);
  writeDurations(page, snapshot);
  writeUpstreams(page, snapshot, servers);
  writeHealth(page, servers);
  writeFilters(page, zone);
  writeDefined(page, zone);
  writeFunnel(page, zone);
  writeBufferLimits(page, capacities);
  writeProcesses(page, snapshot);
  return { text: page.text, contentType: Page.contentType };
}

/** The counts of a supervisor, which also clears the rows of its workers. */
export class SupervisorTelemetry {
  readonly zone: SharedZone;
  readonly counts: Counts;

  constructor(workers: number) {
    this.zone = SharedZone.create(zoneShape(workers));
    this.counts = new Counts(this.zone.counters(SUPERVISOR_ROW));
  }

  /** Clears the gauges and cells of a worker that has died: its requests have ended, and its connections are closed. */
  workerDied(row: number): void {
    clearGauges(this.zone.counters(row));
    this.zone.cells(row).fill(0);
  }
}

function snapshotOf(zone: SharedZone): Snapshot {
  const rows = Array.from({ length: zone.shape.rows }, (_, row) => zone.counters(row));
  const totals = new Float64Array(METRIC_COLUMNS);
  for (const row of rows) {
    for (let i = 0; i < totals.length; i++) add(totals, i, row[i] ?? 0);
  }
  return { rows, totals };
}
