import { type PreparedModule } from "./prepare.ts";
import { type PrepareReply, type PrepareJob } from "./prepare-worker.ts";
import { ModuleRefused } from "./refused.ts";

/**
 * Prepares a module in a separate thread. 2.8 MB take 15 ms, and 60 ms the first time, in which a worker could not
 * serve requests. The file is transferred to the thread. Throws ModuleRefused.
 */
export function prepareInThread(job: PrepareJob): Promise<PreparedModule> {
  const worker = new Worker(new URL("./prepare-worker.ts", import.meta.url).href, { env: {} });
  const { promise, resolve, reject } = Promise.withResolvers<PreparedModule>();
  worker.addEventListener("message", ({ data }: MessageEvent<PrepareReply>) => {
    if (data.ok) resolve(data.prepared);
    else reject(data.isRefused ? ModuleRefused.told(data.reason, data.offset) : new Error(data.reason));
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    reject(new Error(`the thread that reads modules failed: ${event.message}`));
  });
  worker.addEventListener("close", () => reject(new Error("the thread that reads modules ended")));
  worker.postMessage(job, [job.file.buffer]);
  return promise.finally(() => worker.terminate());
}
