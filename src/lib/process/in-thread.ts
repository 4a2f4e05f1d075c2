interface TaskLimits {
  /** The task of the thread, for errors, such as "checks a configuration". */
  readonly what: string;
  /** Milliseconds after which the thread is stopped. */
  readonly maxMs: number;
  /** Memory that is moved to the thread. */
  readonly transfer?: ArrayBuffer[];
}

/**
 * Gives a task to a thread of its own, and resolves to its first message, which `Reply` describes. The thread has no
 * environment variables. Rejects if it takes too long or breaks.
 */
export function inThread<Reply>(module: URL, task: object, { what, maxMs, transfer = [] }: TaskLimits): Promise<Reply> {
  const worker = new Worker(module.href, { env: {} });
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const late = new Error(`the thread that ${what} took longer than ${maxMs / 1000} s`);
  const timer = setTimeout(() => reject(late), maxMs);
  worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => resolve(data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    reject(new Error(`the thread that ${what} failed: ${event.message}`));
  });
  worker.addEventListener("close", () => reject(new Error(`the thread that ${what} ended`)));
  worker.postMessage(task, transfer);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}
