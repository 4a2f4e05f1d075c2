import { availableParallelism } from "node:os";
import { TurnpikeError } from "../../lib/errors.ts";
import { type SemaphoreFigures } from "../figures/figures.ts";
import { type ExtractionResponse, type ExtractionJob, type ExtractionOutcome } from "../extraction/extraction.ts";

/** A longer page is not parsed; far above any that is read. In characters, or bytes where it has not been decoded. */
const MAX_INPUT_LENGTH = 10_000_000;
/** Hostile pages send some of the libraries into loops that never end. @bound */
const DEADLINE_MS = 10_000;
const MAX_WORKERS = 4;
const MAX_QUEUED = 128;
/** The process may take this much while something is extracted: a document of kilobytes may hide gigabytes. */
const MAX_PROCESS_BYTES = 2 * 1024 * 1024 * 1024;
/** The memory of a worker may always grow by this much: earlier pages must not reduce the memory for this one. @bound */
const MIN_GROWTH_BYTES = 1024 * 1024 * 1024;
/** A worker fills about 200 MB in this time. @bound */
const MEMORY_LOOK_MS = 100;

interface Task {
  readonly job: ExtractionJob;
  /** Whose request it is for. */
  readonly owner: object;
  resolve(outcome: ExtractionOutcome): void;
  reject(error: TurnpikeError): void;
}

/** Runs all parsing of strangers' HTML in workers, which are stopped and replaced when they take too long. */
export class Extractor {
  readonly #idle: Worker[] = [];
  readonly #queue: Task[] = [];
  readonly #running = new Map<Worker, { task: Task; timer: ReturnType<typeof setTimeout> }>();
  readonly #maxWorkers = Math.min(availableParallelism(), MAX_WORKERS);
  readonly #deadlineMs: number;
  readonly #maxProcessBytes: number;
  readonly #minGrowthBytes: number;
  /** Memory of the process when the first of those that run began. */
  #bytesBefore = 0;
  #looking: ReturnType<typeof setInterval> | undefined;
  #closed = false;
  #nextId = 1;
  /** When each owner was served last. */
  readonly #turns = new WeakMap<object, number>();

  constructor(deadlineMs = DEADLINE_MS, maxProcessBytes = MAX_PROCESS_BYTES, minGrowthBytes = MIN_GROWTH_BYTES) {
    this.#deadlineMs = deadlineMs;
    this.#maxProcessBytes = maxProcessBytes;
    this.#minGrowthBytes = minGrowthBytes;
  }

  /**
   * Fails with `page-failed` where the page is too long, takes too long or too much memory, or breaks the extraction, and as soon as
   * `stopped` fails: then nobody waits for the response any more. A worker goes to the `owner` who has the fewest.
   */
  extract(job: ExtractionJob, stopped?: Promise<never>, owner: object = {}): Promise<ExtractionOutcome> {
    if (job.source.body.length > MAX_INPUT_LENGTH)
      return Promise.reject(failed(`it has over ${MAX_INPUT_LENGTH} characters`));
    if (this.#closed || this.#queue.length >= MAX_QUEUED) {
      return Promise.reject(new TurnpikeError("overloaded", "Cannot read the page: too many pages are waiting"));
    }
    const { promise, resolve, reject } = Promise.withResolvers<ExtractionOutcome>();
    const task = { job, owner, resolve, reject };
    this.#queue.push(task);
    stopped?.catch(() => this.#giveUp(task));
    this.#next();
    return promise;
  }

  get figures(): SemaphoreFigures {
    return { places: this.#maxWorkers, under_way: this.#running.size, waiting: this.#queue.length };
  }

  close(): void {
    this.#closed = true;
    // The queue first: each worker that ends makes room for what is in there.
    for (const task of this.#queue.splice(0)) task.reject(failed("the service stops"));
    for (const worker of this.#idle) worker.terminate();
    for (const [worker, { task }] of this.#running) this.#end(worker, () => task.reject(failed("the service stops")));
  }

  #giveUp(task: Task): void {
    const queued = this.#queue.indexOf(task);
    if (queued !== -1) this.#queue.splice(queued, 1);
    for (const [worker, { task: running }] of this.#running) if (running === task) this.#end(worker, () => undefined);
    task.reject(failed("nobody waits for it"));
  }

  #next(): void {
    if (this.#queue.length === 0) return;
    const worker = this.#idle.pop() ?? (this.#running.size < this.#maxWorkers ? this.#start() : undefined);
    const task = worker === undefined ? undefined : this.#takeNext();
    if (worker === undefined || task === undefined) return;
    const timer = setTimeout(() => this.#end(worker, () => task.reject(failed("it takes too long"))), this.#deadlineMs);
    if (this.#running.size === 0) this.#bytesBefore = process.memoryUsage.rss();
    this.#running.set(worker, { task, timer });
    this.#looking ??= setInterval(() => this.#lookAtMemory(), MEMORY_LOOK_MS).unref();
    worker.postMessage({ id: this.#nextId++, job: task.job });
  }

  /** The owner with the fewest workers, of several the one served longest ago: a batch of slow pages holds up itself alone. */
  #takeNext(): Task | undefined {
    const running = [...this.#running.values()];
    const [first] = this.#queue;
    if (first === undefined) return undefined;
    const share = ({ owner }: Task) => running.filter(({ task }) => task.owner === owner).length;
    const turn = ({ owner }: Task) => this.#turns.get(owner) ?? 0;
    const task = this.#queue.reduce((best, other) => {
      const fewer = share(other) - share(best) || turn(other) - turn(best);
      return fewer < 0 ? other : best;
    }, first);
    this.#queue.splice(this.#queue.indexOf(task), 1);
    this.#turns.set(task.owner, this.#nextId);
    return task;
  }

  /** Workers share the process's memory, so that nobody but their own work tells who took it: the one longest at it ends. */
  #lookAtMemory(): void {
    const [longest] = this.#running;
    if (longest === undefined) {
      clearInterval(this.#looking);
      this.#looking = undefined;
    } else if (process.memoryUsage.rss() > Math.max(this.#maxProcessBytes, this.#bytesBefore + this.#minGrowthBytes)) {
      const [worker, { task }] = longest;
      this.#end(worker, () => task.reject(failed("it takes too much memory")));
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL("./extract-worker.ts", import.meta.url).href, { env: {} });
    worker.unref();
    worker.addEventListener("message", (event: MessageEvent<ExtractionResponse>) =>
      this.#responded(worker, event.data),
    );
    const broke = () => {
      const task = this.#running.get(worker)?.task;
      this.#end(worker, () => task?.reject(failed("it breaks the parser")));
    };
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      broke();
    });
    // Without an error where it was not our end of it: nobody would answer its task.
    worker.addEventListener("close", broke);
    return worker;
  }

  #responded(worker: Worker, response: ExtractionResponse): void {
    const entry = this.#running.get(worker);
    if (entry === undefined) return;
    if (!response.ok) {
      // What threw may have left the worker's engine in pieces.
      this.#end(worker, () => entry.task.reject(failed("it breaks the parser")));
      return;
    }
    clearTimeout(entry.timer);
    this.#running.delete(worker);
    this.#idle.push(worker);
    entry.task.resolve(response.outcome);
    this.#next();
  }

  #end(worker: Worker, settle: () => void): void {
    clearTimeout(this.#running.get(worker)?.timer);
    this.#running.delete(worker);
    // What a document left behind may fail when its response has been given.
    const idle = this.#idle.indexOf(worker);
    if (idle !== -1) this.#idle.splice(idle, 1);
    worker.terminate();
    settle();
    this.#next();
  }
}

function failed(reason: string): TurnpikeError {
  return new TurnpikeError("page-failed", `Cannot read the page: ${reason}`);
}
