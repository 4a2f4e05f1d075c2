import { availableParallelism } from "node:os";
import { type Plan } from "../reading/analysis.ts";
import { type Case, type Judged, type JudgingTask } from "./judge.ts";
import { type JudgingReply } from "./judging-worker.ts";

/** Maximum number of threads at most, and tasks that wait for one. Each resolution has one task at a time. */
const MAX_THREADS = 2;
const MAX_WAITING = 64;
/** Milliseconds of one task: a hundred times the usual. A hostile text can make a task slow. */
const MAX_TASK_MS = 10_000;

/** Why a task has no result: it took too long, was aborted, or failed. */
export class JudgingError extends Error {}

interface Task {
  readonly message: JudgingTask;
  readonly resolve: (result: Plan | Judged) => void;
  readonly reject: (error: JudgingError) => void;
}

interface Running {
  readonly task: Task;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Reads questions and judges sources in threads. A thread that takes too long is stopped and replaced. */
export class JudgingThreads {
  readonly #idle: Worker[] = [];
  readonly #waiting: Task[] = [];
  readonly #running = new Map<Worker, Running>();
  readonly #most = Math.min(availableParallelism(), MAX_THREADS);
  readonly #taskMs: number;
  #closed = false;

  constructor(taskMs = MAX_TASK_MS) {
    this.#taskMs = taskMs;
  }

  /** The plan of a question. Fails with a JudgingError, at the latest when the signal aborts. */
  async plan(question: string, criteria: string, now: number, signal: AbortSignal): Promise<Plan> {
    // The task's kind determines the type of the worker's reply.
    return (await this.#run({ kind: "plan", question, criteria, now }, signal)) as Plan;
  }

  /** The judgement of a case. Fails with a JudgingError, at the latest when the signal aborts. */
  async judge(judged: Case, signal: AbortSignal): Promise<Judged> {
    // The task's kind determines the type of the worker's reply.
    return (await this.#run({ kind: "judge", ...judged }, signal)) as Judged;
  }

  close(): void {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(new JudgingError("the service stops"));
    for (const worker of this.#idle.splice(0)) worker.terminate();
    for (const worker of this.#running.keys()) this.#end(worker, "the service stops");
  }

  async #run(message: JudgingTask, signal: AbortSignal): Promise<Plan | Judged> {
    if (this.#closed || this.#waiting.length >= MAX_WAITING) throw new JudgingError("too many are waiting");
    const { promise, resolve, reject } = Promise.withResolvers<Plan | Judged>();
    const task = { message, resolve, reject };
    const giveUp = (): void => this.#giveUp(task);
    signal.addEventListener("abort", giveUp, { once: true });
    this.#queue(task);
    if (signal.aborted) giveUp();
    this.#next();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** Plans go before judgements: they take a hundredth of the time, and a resolution loads no page before its plan. */
  #queue(task: Task): void {
    const first =
      task.message.kind === "plan" ? this.#waiting.findIndex(({ message }) => message.kind === "judge") : -1;
    this.#waiting.splice(first === -1 ? this.#waiting.length : first, 0, task);
  }

  #giveUp(task: Task): void {
    const waiting = this.#waiting.indexOf(task);
    if (waiting !== -1) this.#waiting.splice(waiting, 1);
    for (const [worker, running] of this.#running) if (running.task === task) this.#end(worker, "its time is over");
    task.reject(new JudgingError("its time is over"));
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const worker = this.#idle.pop() ?? (this.#running.size < this.#most ? this.#start() : undefined);
    const task = worker === undefined ? undefined : this.#waiting.shift();
    if (worker === undefined || task === undefined) return;
    const timer = setTimeout(() => this.#end(worker, "it takes too long"), this.#taskMs);
    this.#running.set(worker, { task, timer });
    worker.postMessage(task.message);
  }

  #start(): Worker {
    const worker = new Worker(new URL("./judging-worker.ts", import.meta.url).href, { env: {} });
    worker.unref();
    worker.addEventListener("message", (event: MessageEvent<JudgingReply>) => this.#replied(worker, event.data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#end(worker, "its thread broke");
    });
    worker.addEventListener("close", () => this.#end(worker, "its thread ended"));
    return worker;
  }

  #replied(worker: Worker, reply: JudgingReply): void {
    const running = this.#running.get(worker);
    if (running === undefined) return;
    clearTimeout(running.timer);
    this.#running.delete(worker);
    this.#idle.push(worker);
    if ("result" in reply) running.task.resolve(reply.result);
    else running.task.reject(new JudgingError("it broke"));
    this.#next();
  }

  #end(worker: Worker, reason: string): void {
    const running = this.#running.get(worker);
    const idle = this.#idle.indexOf(worker);
    if (idle !== -1) this.#idle.splice(idle, 1);
    if (running === undefined) return;
    clearTimeout(running.timer);
    this.#running.delete(worker);
    worker.terminate();
    running.task.reject(new JudgingError(reason));
    this.#next();
  }
}
