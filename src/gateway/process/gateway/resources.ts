import { tmpdir } from "node:os";
import { BufferPool, type BufferPoolLimits } from "../../../lib/memory/buffer-pool.ts";
import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type Config } from "../../config/config.ts";
import { WorkerResponses } from "../../policy/payment/responses/worker-responses.ts";
import { RateLimits } from "../../policy/rate-limit/rate-limit.ts";
import { Spool, type SpoolDeps, type SpoolLimits } from "../../proxy/spool.ts";
import { type OnEvent } from "../../telemetry/event.ts";
import { COMMON } from "../../telemetry/metrics/layout.ts";
import { type Capacities } from "../../telemetry/process-metrics.ts";
import { onlySlot, Telemetry, type WorkerSlot } from "../../telemetry/telemetry.ts";
import { Tracers } from "../../telemetry/tracing/tracers.ts";
import { type CountedServer } from "../../telemetry/upstream-metrics.ts";
import { ServerStates } from "../../upstream/outlier-detection.ts";
import { LogFiles } from "../../policy/access-log/log-files.ts";
import { LogTrouble } from "../../policy/access-log/log-trouble.ts";
import { clientRoom } from "../connections/descriptor-limit.ts";
import { type Transport } from "../../telemetry/metrics/metrics.ts";
import { ConnectionLimiter, type ConnectionLimits } from "../connections/connection-limiter.ts";
import { AddressShares } from "../connections/address-shares.ts";
import { SharedConnectionCounter } from "../connections/shared-connection-counter.ts";

/** Free buffers that a new request needs: one for each direction. */
const STREAM_RESERVE = 2;
/** Free buffers that it needs if its paid response is buffered whole; without one it is refused. @bound */
const BODY_RESERVE = 1;

/** The receivers of log lines, internal errors and events. */
type Told = Pick<SpoolDeps, "log" | "onError"> & { readonly onEvent?: OnEvent | undefined };

type PoolConfig = Pick<Config, "buffer_pool" | "server" | "upstreams" | "x402"> &
  Partial<Pick<Config, "routes" | "tenant_max_warm">>;

/** The parts of a worker that outlive its configurations: its counters, and its share of limited resources. */
export class Resources {
  /** The memory in which all processes of the server count. */
  readonly zone: SharedZone;
  readonly telemetry: Telemetry;
  /** For data that waits for a slow peer. */
  readonly buffers: BufferPool;
  /** For bodies that a feature buffers whole. */
  readonly bodies: BufferPool;
  readonly responses: WorkerResponses;
  readonly connectionCounter: SharedConnectionCounter;
  readonly shares: AddressShares;
  readonly states: ServerStates;
  readonly rateLimits: RateLimits;
  readonly logFiles: LogFiles;
  /** For responses to slow clients. */
  readonly spool: Spool;
  readonly tracers = new Tracers();

  /** `slot` is left out if the server is this one process. */
  constructor(config: PoolConfig, slot: WorkerSlot = onlySlot(), tell: Told = { log() {}, onError() {} }) {
    const telemetry = new Telemetry(slot);
    this.zone = slot.zone;
    this.telemetry = telemetry;
    this.buffers = new BufferPool(streamLimits(config), telemetry.poolWatcher("stream"));
    this.bodies = new BufferPool(bodyLimits(config), telemetry.poolWatcher("body"));
    this.responses = new WorkerResponses(this.bodies, config, tell.log);
    this.connectionCounter = new SharedConnectionCounter(slot, clientRoom(config));
    this.states = new ServerStates(slot.zone, slot.row);
    this.shares = new AddressShares(slot, shareKeyOf(slot));
    const common = slot.zone.common();
    const buckets = common.subarray(COMMON.buckets, COMMON.freeBuckets);
    const freeBuckets = common.subarray(COMMON.freeBuckets, COMMON.usageNames);
    this.rateLimits = new RateLimits(buckets, telemetry.counts, slot.zone.isShared, freeBuckets);
    this.logFiles = new LogFiles(
      telemetry.counts,
      new LogTrouble(slot, (message) => {
        tell.log(message);
        tell.onEvent?.({ kind: "log_file", message });
      }),
    );
    this.spool = new Spool({
      ...tell,
      limits: spoolLimits(config),
      now: () => performance.now(),
      onUse: (bytes) => telemetry.counts.set("buffers", bytes, "disk"),
    });
  }

  /** Applies the limits of another configuration. */
  reload(config: PoolConfig): void {
    this.buffers.limits = streamLimits(config);
    this.bodies.limits = bodyLimits(config);
    this.spool.limits = spoolLimits(config);
    this.connectionCounter.ownMost = clientRoom(config);
    this.responses.reload(config);
  }

  connectionLimiter(wheel: TimerWheel, limits: () => ConnectionLimits): ConnectionLimiter {
    const { connectionCounter, shares, telemetry } = this;
    const yielded = (transport: Transport): void => telemetry.counts.add("connectionsYielded", 1, transport);
    return new ConnectionLimiter({ connectionCounter, shares, wheel, limits, yielded });
  }

  metrics(servers: readonly CountedServer[]): { readonly text: string; readonly contentType: string } {
    return this.telemetry.page(
      { stream: this.buffers.capacity, body: this.bodies.capacity, disk: this.spool.capacity },
      servers,
    );
  }
}

/** The memory and disk that a configuration gives one worker, in bytes. */
export function capacitiesOf({ buffer_pool: pool }: Pick<Config, "buffer_pool">): Capacities {
  return {
    stream: pool.buffer_size * pool.buffer_count,
    body: pool.body_buffer_size * pool.body_buffer_count,
    disk: pool.response_disk_bytes,
  };
}

function shareKeyOf({ zone }: WorkerSlot): BigInt64Array {
  const { buffer, byteOffset } = zone.common().subarray(COMMON.shareKey, COMMON.logTrouble);
  return new BigInt64Array(buffer, byteOffset, 1);
}

function streamLimits({ buffer_pool: pool }: PoolConfig): BufferPoolLimits {
  return { bufferSize: pool.buffer_size, bufferCount: pool.buffer_count, reserve: STREAM_RESERVE };
}

function spoolLimits({ buffer_pool: pool }: PoolConfig): SpoolLimits {
  return { folder: pool.temp_path === "" ? tmpdir() : pool.temp_path, maxBytes: pool.response_disk_bytes };
}

function bodyLimits({ buffer_pool: pool }: PoolConfig): BufferPoolLimits {
  return { bufferSize: pool.body_buffer_size, bufferCount: pool.body_buffer_count, reserve: BODY_RESERVE };
}
