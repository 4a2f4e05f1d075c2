import { dirname, join } from "node:path";
import { BufferPool, type BufferPoolLimits } from "../../lib/buffer-pool.ts";
import { type Config } from "../config/config.ts";
import { AnswerDisk } from "../policy/payment/answers/answer-disk.ts";
import { Answers } from "../policy/payment/answers/answers.ts";
import { RateLimits } from "../policy/rate-limit/rate-limit.ts";
import { COMMON } from "../telemetry/layout.ts";
import { onlySlot, Telemetry, type WorkerSlot } from "../telemetry/telemetry.ts";
import { Tracers } from "../telemetry/tracing/tracers.ts";
import { type CountedServer } from "../telemetry/upstream-metrics.ts";
import { ServerStates } from "../upstream/server-states.ts";
import { LogFiles } from "./log-files.ts";
import { clientRoom } from "./descriptor-limit.ts";
import { SharedPlaces } from "./shared-places.ts";

/** Buffers that a new request finds free: one each way. */
const STREAM_RESERVE = 2;
/** And where its answer is gathered, one for that. */
const BODY_RESERVE = 1;

type PoolConfig = Pick<Config, "buffer_pool" | "server" | "upstreams" | "x402">;

/** What a worker has one of, whatever configuration it serves by: its counters, and its part of what is bounded. */
export class Resources {
  readonly telemetry: Telemetry;
  /** For bytes that wait since a peer is slow. */
  readonly buffers: BufferPool;
  /** For bodies that a feature gathers whole. */
  readonly bodies: BufferPool;
  readonly answers: Answers;
  readonly places: SharedPlaces;
  readonly states: ServerStates;
  readonly rateLimits: RateLimits;
  readonly logFiles: LogFiles;
  readonly tracers = new Tracers();
  #answerDiskBytes: number;

  /** `slot` is left out where the server is this one process. */
  constructor(config: PoolConfig, slot: WorkerSlot = onlySlot()) {
    const telemetry = new Telemetry(slot);
    this.telemetry = telemetry;
    this.buffers = new BufferPool(streamLimits(config), telemetry.poolWatcher("stream"));
    this.bodies = new BufferPool(bodyLimits(config), telemetry.poolWatcher("body"));
    this.answers = new Answers(this.bodies);
    this.places = new SharedPlaces(slot, clientRoom(config));
    this.states = new ServerStates(slot.zone, slot.row);
    const buckets = slot.zone.common().subarray(COMMON.buckets, COMMON.names);
    this.rateLimits = new RateLimits(buckets, telemetry.rateLimits);
    this.logFiles = new LogFiles((lines) => telemetry.logLinesDropped(lines));
    this.#answerDiskBytes = config.x402.answer_disk_bytes;
  }

  /** Puts paid answers beside the ledger in `storePath`, unless that, or the configuration, says that nothing is kept. */
  useDisk(storePath: string, log: (message: string) => void): void {
    if (this.answers.disk !== undefined || storePath === ":memory:" || this.#answerDiskBytes === 0) return;
    this.answers.useDisk(
      new AnswerDisk({
        folder: join(dirname(storePath), "answers"),
        maxBytes: this.#answerDiskBytes,
        now: Date.now,
        log,
      }),
    );
  }

  /** Other limits from now on. */
  reload(config: PoolConfig): void {
    this.buffers.limits = streamLimits(config);
    this.bodies.limits = bodyLimits(config);
    this.places.ownMost = clientRoom(config);
    this.#answerDiskBytes = config.x402.answer_disk_bytes;
    if (this.answers.disk !== undefined) this.answers.disk.maxBytes = this.#answerDiskBytes;
  }

  metrics(servers: readonly CountedServer[]): { readonly text: string; readonly contentType: string } {
    return this.telemetry.page({ stream: this.buffers.capacity, body: this.bodies.capacity }, servers);
  }
}

function streamLimits({ buffer_pool: pool }: PoolConfig): BufferPoolLimits {
  return { bufferSize: pool.buffer_size, bufferCount: pool.buffer_count, reserve: STREAM_RESERVE };
}

function bodyLimits({ buffer_pool: pool }: PoolConfig): BufferPoolLimits {
  return { bufferSize: pool.body_buffer_size, bufferCount: pool.body_buffer_count, reserve: BODY_RESERVE };
}
