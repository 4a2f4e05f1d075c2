import { availableParallelism } from "node:os";
import { TurnpikeError } from "../../lib/errors.ts";
import { type SemaphoreFigures } from "../figures/figures.ts";
import { type ExtractionResponse, type ExtractionJob, type ExtractionOutcome } from "../extraction/tree/extraction.ts";
import { kindOf } from "../documents/kind.ts";
import { MemoryWatch } from "./memory-watch.ts";

/**
 * Characters of a page that is parsed, or bytes if it is not decoded yet. @operator No real article is
 * that long.
 */
const MAX_INPUT_LENGTH = 10_000_000;
/** Bytes of a PDF document or another file, whose parts have bounds of their own. @operator */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Milliseconds of one extraction, threads, and waiting pages. @operator Hostile pages can send some libraries into endless loops. @bound */
const DEADLINE_MS = 10_000;
const MAX_WORKERS = 4;
const MAX_QUEUED = 128;
/**
 * Bytes of the process's memory during an extraction: a document of kilobytes can expand to gigabytes.
 * @operator
 */
const MAX_PROCESS_BYTES = 2 * 1024 * 1024 * 1024;
/**
 * Bytes by which a worker's memory may always grow, so that earlier pages do not reduce the memory for this one. @bound
 */
const MIN_GROWTH_BYTES = 1024 * 1024 * 1024;
/** Milliseconds between two checks of the memory. A worker fills about 200 MB in this time. @bound */
const MEMORY_LOOK_MS = 100;

interface Task {
  readonly job: ExtractionJob;
  /** The request that the task belongs to. */
  readonly owner: object;
  resolve(outcome: ExtractionOutcome): void;
  reject(error: TurnpikeError): void;
}

/** Parses all HTML from other servers in workers. A worker that takes too long is stopped and replaced. */
export class Extractor {
  readonly #idle: Worker[] = [];
  readonly #queue: Task[] = [];
  readonly #running = new Map<Worker, { task: Task; timer: ReturnType<typeof setTimeout> }>();
  readonly #maxWorkers = Math.min(availableParallelism(), MAX_WORKERS);
  readonly #deadlineMs: number;
  readonly #memory: MemoryWatch;
  #looking: ReturnType<typeof setInterval> | undefined;
  #closed = false;
  #nextId = 1;
  /** The turn in which each owner was last served. */
  readonly #turns = new WeakMap<object, number>();

  constructor(deadlineMs = DEADLINE_MS, maxProcessBytes = MAX_PROCESS_BYTES, minGrowthBytes = MIN_GROWTH_BYTES) {
    this.#deadlineMs = deadlineMs;
    this.#memory = new MemoryWatch({
      maxBytes: maxProcessBytes,
      minGrowth: minGrowthBytes,
      rss: () => process.memoryUsage.rss(),
      now: () => performance.now(),
    });
  }

  /**
   * Extracts content in a worker. Fails with `page-failed` if the page is too long, takes too much time or memory, or
   * breaks the extraction. It also fails as soon as `stopped` rejects, because its result is then not needed. The
   * `owner` with the fewest workers gets the next one.
   */
  extract(job: ExtractionJob, stopped?: Promise<never>, owner: object = {}): Promise<ExtractionOutcome> {
    const { body, contentType } = job.source;
    if (body.length > MAX_INPUT_LENGTH) {
      const kind = kindOf(contentType, body);
      const most = kind === "file" || kind === "pdf" ? MAX_FILE_BYTES : MAX_INPUT_LENGTH;
      if (body.length > most) return Promise.reject(failed(`it has more than ${most} characters`));
    }
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
    // The queue is cleared first, because each worker that ends starts the next task in it.
    for (const task of this.#queue.splice(0)) task.reject(failed("the service stops"));
    for (const worker of this.#idle) worker.terminate();
    for (const [worker, { task }] of this.#running) this.#end(worker, () => task.reject(failed("the service stops")));
  }

  #giveUp(task: Task): void {
    const queued = this.#queue.indexOf(task);
    if (queued !== -1) this.#queue.splice(queued, 1);
    for (const [worker, { task: running }] of this.#running) if (running === task) this.#end(worker, () => undefined);
    task.reject(failed("the client closed the connection"));
  }

  #next(): void {
    if (this.#queue.length === 0) return;
    this.#looking ??= setInterval(() => this.#lookAtMemory(), MEMORY_LOOK_MS).unref();
    if (this.#memory.isReturning()) return;
    const worker = this.#idle.pop() ?? (this.#running.size < this.#maxWorkers ? this.#start() : undefined);
    const task = worker === undefined ? undefined : this.#takeNext();
    if (worker === undefined || task === undefined) return;
    const timer = setTimeout(() => this.#endFor("it takes too long", worker, task), this.#deadlineMs);
    if (this.#running.size === 0) this.#memory.begin();
    this.#running.set(worker, { task, timer });
    worker.postMessage({ id: this.#nextId++, job: task.job });
  }

  /**
   * Takes the task of the owner with the fewest workers. Among equals, the one served longest ago is first, so that a
   * batch of slow pages delays only itself.
   */
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

  /**
   * Workers share the process's memory, so it is not known which one uses it. The worker that has run longest is ended.
   * Its memory comes back within seconds. New tasks wait until the process is below its limit again.
   */
  #lookAtMemory(): void {
    // Tasks may wait for the memory of an ended worker.
    for (let started = 0; started < this.#maxWorkers; started += 1) this.#next();
    const [longest] = this.#running;
    if (longest === undefined && this.#queue.length === 0) {
      clearInterval(this.#looking);
      this.#looking = undefined;
    } else if (longest !== undefined && this.#memory.isExceeded()) {
      const [worker, { task }] = longest;
      this.#endFor("it takes too much memory", worker, task);
    }
  }

  #endFor(reason: string, worker: Worker, task: Task): void {
    this.#memory.ended();
    this.#end(worker, () => task.reject(failed(reason)));
  }

  #start(): Worker {
    const worker = new Worker(new URL("./extract-worker.ts", import.meta.url).href, { env: {} });
    worker.unref();
    worker.addEventListener("message", (event: MessageEvent<ExtractionResponse>) =>
      this.#responded(worker, event.data),
    );
    const broke = () => {
      const task = this.#running.get(worker)?.task;
      this.#end(worker, () => task?.reject(failed("the parser failed on it")));
    };
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      broke();
    });
    // Called without an error if the worker ended by itself. Otherwise its task would never be settled.
    worker.addEventListener("close", broke);
    return worker;
  }

  #responded(worker: Worker, response: ExtractionResponse): void {
    const entry = this.#running.get(worker);
    if (entry === undefined) return;
    if (!response.ok) {
      // An error can leave the worker's engine in a broken state.
      this.#end(worker, () => entry.task.reject(failed("the parser failed on it")));
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
    // A worker can still fail after its response, because of something that the document left behind.
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
