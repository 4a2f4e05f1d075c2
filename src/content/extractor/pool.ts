import { TurnpikeError } from "../../lib/errors.ts";
import { type SemaphoreFigures } from "../figures/figures.ts";
import { isMemoryError } from "../documents/kinds/file-error.ts";
import { type ExtractionJob, type ExtractionOutcome, type ExtractionResponse } from "../extraction/tree/extraction.ts";
import { type Host, type HostEvents, PARSER_FAILED } from "./host.ts";
import { type MemoryWatch } from "./memory-watch.ts";

/** Milliseconds between two checks of the memory. A worker fills about 200 MB in this time. @bound */
const MEMORY_LOOK_MS = 100;

interface Task {
  readonly job: ExtractionJob;
  /** The request that the task belongs to. */
  readonly owner: object;
  resolve(outcome: ExtractionOutcome): void;
  reject(error: TurnpikeError): void;
}

export interface PoolOptions {
  /** Hosts at the same time, and tasks that wait for one. */
  readonly places: number;
  readonly maxQueued: number;
  readonly deadlineMs: number;
  /** Starts a host. Throws if the system starts none now. */
  readonly start: (events: HostEvents) => Host;
  /** For hosts that share the memory of this process. */
  readonly memory?: MemoryWatch;
}

/** Hosts that do jobs. One that takes too long is stopped and replaced. */
export class ExtractionPool {
  readonly #options: PoolOptions;
  readonly #idle: Host[] = [];
  readonly #queue: Task[] = [];
  readonly #running = new Map<Host, { task: Task; timer: ReturnType<typeof setTimeout> }>();
  #looking: ReturnType<typeof setInterval> | undefined;
  #closed = false;
  #nextId = 1;
  /** The turn in which each owner was last served. */
  readonly #turns = new WeakMap<object, number>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Does a job in a host. Fails with `page-failed` if the page takes too much time or memory, or breaks the extraction. It
   * also fails as soon as `stopped` rejects. The `owner` with the fewest hosts gets the next one.
   */
  extract(job: ExtractionJob, stopped: Promise<never> | undefined, owner: object): Promise<ExtractionOutcome> {
    if (this.#closed || this.#queue.length >= this.#options.maxQueued) return Promise.reject(overloaded());
    const { promise, resolve, reject } = Promise.withResolvers<ExtractionOutcome>();
    const task = { job, owner, resolve, reject };
    this.#queue.push(task);
    stopped?.catch(() => this.#giveUp(task));
    this.#next();
    return promise;
  }

  get figures(): SemaphoreFigures {
    return { places: this.#options.places, under_way: this.#running.size, waiting: this.#queue.length };
  }

  close(): void {
    this.#closed = true;
    // The queue is cleared first, because each host that ends starts the next task in it.
    for (const task of this.#queue.splice(0)) task.reject(failed("the service stops"));
    for (const host of this.#idle) host.end();
    for (const [host, { task }] of this.#running) this.#end(host, () => task.reject(failed("the service stops")));
  }

  #giveUp(task: Task): void {
    const queued = this.#queue.indexOf(task);
    if (queued !== -1) this.#queue.splice(queued, 1);
    for (const [host, { task: running }] of this.#running) if (running === task) this.#end(host, () => undefined);
    task.reject(failed("the client closed the connection"));
  }

  #next(): void {
    if (this.#queue.length === 0) return;
    const { memory, places, deadlineMs } = this.#options;
    if (memory !== undefined) {
      this.#looking ??= setInterval(() => this.#lookAtMemory(memory), MEMORY_LOOK_MS).unref();
      if (memory.isReturning()) return;
    }
    const host = this.#idle.pop() ?? (this.#running.size < places ? this.#start() : undefined);
    const task = host === undefined ? undefined : this.#takeNext();
    if (host === undefined || task === undefined) return;
    const timer = setTimeout(() => this.#endFor("it takes too long", host, task), deadlineMs);
    if (this.#running.size === 0) memory?.begin();
    this.#running.set(host, { task, timer });
    host.send(this.#nextId++, task.job);
  }

  /**
   * Takes the task of the owner with the fewest hosts. Among equals, the one served longest ago is first, so that a
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
   * Threads share the process's memory, so it is not known which one uses it. The one that has run longest is ended.
   * Its memory comes back within seconds. New tasks wait until the process is below its limit again.
   */
  #lookAtMemory(memory: MemoryWatch): void {
    // Tasks may wait for the memory of an ended host.
    for (let started = 0; started < this.#options.places; started += 1) this.#next();
    const [longest] = this.#running;
    if (longest === undefined && this.#queue.length === 0) {
      clearInterval(this.#looking);
      this.#looking = undefined;
    } else if (longest !== undefined && memory.isExceeded()) {
      const [host, { task }] = longest;
      this.#endFor("it takes too much memory", host, task);
    }
  }

  #endFor(reason: string, host: Host, task: Task): void {
    this.#options.memory?.ended();
    this.#end(host, () => task.reject(failed(reason)));
  }

  #start(): Host | undefined {
    try {
      const host: Host = this.#options.start({
        responded: (response) => this.#responded(host, response),
        broke: (reason) => this.#broke(host, reason),
      });
      return host;
    } catch {
      this.#takeNext()?.reject(overloaded());
      return undefined;
    }
  }

  #broke(host: Host, reason: string): void {
    const task = this.#running.get(host)?.task;
    this.#end(host, () => task?.reject(failed(reason)));
  }

  #responded(host: Host, response: ExtractionResponse): void {
    const entry = this.#running.get(host);
    if (entry === undefined) return;
    if (!response.ok) {
      // An error can leave the engine of the host in a broken state.
      const reason = isMemoryError(response.reason) ? "it takes too much memory" : PARSER_FAILED;
      this.#end(host, () => entry.task.reject(failed(reason)));
      return;
    }
    if (response.isLast === true) {
      this.#end(host, () => entry.task.resolve(response.outcome));
      return;
    }
    clearTimeout(entry.timer);
    this.#running.delete(host);
    this.#idle.push(host);
    entry.task.resolve(response.outcome);
    this.#next();
  }

  #end(host: Host, settle: () => void): void {
    clearTimeout(this.#running.get(host)?.timer);
    this.#running.delete(host);
    // A host can still fail after its response, because of something that the document left behind.
    const idle = this.#idle.indexOf(host);
    if (idle !== -1) this.#idle.splice(idle, 1);
    host.end();
    settle();
    this.#next();
  }
}

/** The error for a page that was not read. The reason completes "Cannot read the page: ". */
export function failed(reason: string): TurnpikeError {
  return new TurnpikeError("page-failed", `Cannot read the page: ${reason}`);
}

function overloaded(): TurnpikeError {
  return new TurnpikeError("overloaded", "Cannot read the page: too many pages are waiting");
}
