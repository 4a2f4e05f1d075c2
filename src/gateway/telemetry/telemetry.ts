import { type PoolWatcher } from "../../lib/memory/buffer-pool.ts";
import { SharedZone } from "../../lib/memory/shared-zone.ts";
import { ConnectionMetrics, writeConnections } from "./connection-metrics.ts";
import { DefinedMetrics, writeDefined } from "./defined-metrics.ts";
import { writeGrpc } from "./grpc-metrics.ts";
import { HttpMetrics, writeHttp } from "./http-metrics.ts";
import { CacheMetrics, writeCaches } from "./cache-metrics.ts";
import { CertificateMetrics, writeCertificates } from "./certificate-metrics.ts";
import { FacilitatorMetrics, writeFacilitators } from "./facilitator-metrics.ts";
import { WasmMetrics, writeWasm } from "./filter-metrics.ts";
import { add, clearGauges, COLUMN, METRIC_COLUMNS, SUPERVISOR_ROW, zoneShape } from "./metrics/layout.ts";
import { MirrorMetrics, writeMirrors } from "./mirror-metrics.ts";
import { Page, type Snapshot } from "./metrics/page.ts";
import { QuicMetrics, writeQuic } from "./quic-metrics.ts";
import { PaymentMetrics, writePayments } from "./payment-metrics.ts";
import { RateLimitMetrics, writeRateLimits } from "./rate-limit-metrics.ts";
import { SpanMetrics, writeSpans } from "./tracing/span-metrics.ts";
import { RouteTraffic } from "./route-traffic.ts";
import { UpstreamCounters } from "./upstream-usage.ts";
import { UsageCounters } from "./usage.ts";
import { type Capacities, type PoolName, writeBuffers, writeProcesses } from "./process-metrics.ts";
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
  readonly http: HttpMetrics;
  readonly connections: ConnectionMetrics;
  readonly quic: QuicMetrics;
  readonly cache: CacheMetrics;
  readonly mirror: MirrorMetrics;
  readonly payments: PaymentMetrics;
  readonly facilitator: FacilitatorMetrics;
  readonly rateLimits: RateLimitMetrics;
  readonly spans: SpanMetrics;
  readonly usage: UsageCounters;
  readonly traffic: RouteTraffic;
  readonly wasm: WasmMetrics;
  readonly defined: DefinedMetrics;
  readonly certificates: CertificateMetrics;
  readonly #upstreams: UpstreamCounters;
  readonly #zone: SharedZone;
  readonly #row: Float64Array;

  /** `clock` returns Unix milliseconds. */
  constructor({ zone, row }: WorkerSlot, clock: () => number = Date.now) {
    this.#zone = zone;
    this.#row = zone.counters(row);
    this.http = new HttpMetrics(this.#row);
    this.connections = new ConnectionMetrics(this.#row);
    this.quic = new QuicMetrics(this.#row);
    this.cache = new CacheMetrics(this.#row);
    this.mirror = new MirrorMetrics(this.#row);
    this.payments = new PaymentMetrics(this.#row);
    this.facilitator = new FacilitatorMetrics(this.#row);
    this.rateLimits = new RateLimitMetrics(this.#row);
    this.spans = new SpanMetrics(this.#row);
    this.usage = new UsageCounters(zone, row);
    this.traffic = new RouteTraffic(zone, row);
    this.wasm = new WasmMetrics(zone, row);
    this.defined = new DefinedMetrics(zone, row);
    this.certificates = new CertificateMetrics(this.#row);
    this.#upstreams = new UpstreamCounters(zone, row);
    this.#row[COLUMN.pid] = process.pid;
    this.#row[COLUMN.startedAt] = Math.floor(clock() / 1000);
  }

  /** Observes the worker's pool of that name. */
  poolWatcher(pool: PoolName): PoolWatcher {
    const row = this.#row;
    const [bytes, refusals] =
      pool === "stream"
        ? [COLUMN.bufferBytes, COLUMN.bufferRefusals]
        : [COLUMN.bodyBufferBytes, COLUMN.bodyBufferRefusals];
    return {
      used(now) {
        row[bytes] = now;
      },
      refused: () => add(row, refusals, 1),
    };
  }

  /** The bytes on disk that are in use for responses to slow clients. */
  diskUsed(bytes: number): void {
    this.#row[COLUMN.diskBufferBytes] = bytes;
  }

  /** Counts for the server in this slot, and for its upstream. */
  serverMetrics(slot: number, upstream: string): ServerMetrics {
    return new ServerMetrics(this.#row, slot, this.#upstreams.upstream(upstream));
  }

  logLinesDropped(count: number): void {
    add(this.#row, COLUMN.logLinesDropped, count);
  }

  logsFailing(change: 1 | -1): void {
    add(this.#row, COLUMN.logsFailing, change);
  }

  /** Counts a reload in a server that runs as one process. Otherwise the supervisor counts it. */
  reloaded(success: boolean): void {
    countReload(this.#row, success);
  }

  page(capacities: Capacities, servers: readonly CountedServer[]): MetricsPage {
    return metricsPage(this.#zone, capacities, servers);
  }
}

/** A page of metrics, as it is sent. */
export interface MetricsPage {
  readonly text: string;
  readonly contentType: string;
}

/** The metrics of the whole server in Prometheus' text format, in any process. */
export function metricsPage(zone: SharedZone, capacities: Capacities, servers: readonly CountedServer[]): MetricsPage {
  const page = new Page();
  const snapshot = snapshotOf(zone);
  writeHttp(page, snapshot);
  writeGrpc(page, snapshot);
  writeConnections(page, snapshot);
  writeQuic(page, snapshot);
  writeCertificates(page, snapshot);
  writeUpstreams(page, snapshot, servers);
  writeHealth(page, servers);
  writeMirrors(page, snapshot);
  writeCaches(page, snapshot);
  writePayments(page, snapshot);
  writeFacilitators(page, snapshot);
  writeRateLimits(page, snapshot);
  writeSpans(page, snapshot);
  writeWasm(page, snapshot, zone);
  writeDefined(page, zone);
  writeBuffers(page, snapshot.totals, capacities);
  writeProcesses(page, snapshot);
  return { text: page.text, contentType: Page.contentType };
}

/** The counts of a supervisor, which also clears the rows of its workers. */
export class SupervisorTelemetry {
  readonly zone: SharedZone;
  readonly certificates: CertificateMetrics;
  readonly #row: Float64Array;

  constructor(workers: number) {
    this.zone = SharedZone.create(zoneShape(workers));
    this.#row = this.zone.counters(SUPERVISOR_ROW);
    this.certificates = new CertificateMetrics(this.#row);
  }

  reloaded(success: boolean): void {
    countReload(this.#row, success);
  }

  /** Clears the gauges and cells of a worker that has died: its requests have ended, and its connections are closed. */
  workerDied(row: number): void {
    clearGauges(this.zone.counters(row));
    this.zone.cells(row).fill(0);
  }

  workerRestarted(): void {
    add(this.#row, COLUMN.workerRestarts, 1);
  }
}

function countReload(row: Float64Array, success: boolean): void {
  add(row, success ? COLUMN.reloads : COLUMN.reloadFailures, 1);
}

function snapshotOf(zone: SharedZone): Snapshot {
  const rows = Array.from({ length: zone.shape.rows }, (_, row) => zone.counters(row));
  const totals = new Float64Array(METRIC_COLUMNS);
  for (const row of rows) {
    for (let i = 0; i < totals.length; i++) add(totals, i, row[i] ?? 0);
  }
  return { rows, totals };
}
