import { inThread } from "../../../lib/process/in-thread.ts";
import { type PreparedModule } from "./prepare.ts";
import { type PrepareReply, type PrepareJob } from "./prepare-worker.ts";
import { ModuleRefused } from "./reading/refused.ts";

/** Milliseconds in which a module is read. One that takes longer is refused. */
const MAX_PREPARING_MS = 60_000;

/**
 * Prepares a module in a separate thread. 2.8 MB take 15 ms, and 60 ms the first time, in which a worker could not
 * serve requests. The file is transferred to the thread. Throws ModuleRefused.
 */
export async function prepareInThread(job: PrepareJob): Promise<PreparedModule> {
  const limits = { what: "reads modules", maxMs: MAX_PREPARING_MS, transfer: [job.file.buffer] };
  const reply = await inThread<PrepareReply>(new URL("./prepare-worker.ts", import.meta.url), job, limits);
  if (reply.ok) return reply.prepared;
  throw reply.isRefused ? ModuleRefused.told(reply.reason, reply.offset) : new Error(reply.reason);
}
