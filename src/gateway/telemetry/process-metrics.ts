import { readFileSync } from "node:fs";
import { VERSION } from "../../lib/process/version.ts";
import { COLUMN } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

const PAGE_BYTES = 4096;

/** Writes the version, the processes and their memory, reloads, and the state of the access logs. */
export function writeProcesses(page: Page, { rows, totals }: Snapshot): void {
  page.metric("turnpike_build_info", "gauge", "The running version; always 1.").sample(1, { version: VERSION });
  const running = rows.flatMap((row, worker) => (at(row, COLUMN.pid) === 0 ? [] : [{ row, worker }]));
  page.metric("turnpike_worker_start_time_seconds", "gauge", "Start of a worker, in Unix seconds.");
  for (const { row, worker } of running) page.sample(at(row, COLUMN.startedAt), { worker });
  page.metric("turnpike_worker_resident_memory_bytes", "gauge", "Resident memory of a worker.");
  for (const { row, worker } of running) {
    const bytes = residentBytes(at(row, COLUMN.pid));
    if (bytes !== undefined) page.sample(bytes, { worker });
  }
  page
    .metric("turnpike_worker_restarts_total", "counter", "Workers started to replace one that ended.")
    .sample(at(totals, COLUMN.workerRestarts));
  page
    .metric("turnpike_config_reloads_total", "counter", "Reloads of the configuration.")
    .sample(at(totals, COLUMN.reloads), { result: "success" })
    .sample(at(totals, COLUMN.reloadFailures), { result: "failure" });
  page
    .metric(
      "turnpike_access_log_lines_dropped_total",
      "counter",
      "Log lines dropped because a disk or pipe was full or slow.",
    )
    .sample(at(totals, COLUMN.logLinesDropped));
  page
    .metric("turnpike_access_logs_failing", "gauge", "Access logs that lose lines, summed over workers.")
    .sample(at(totals, COLUMN.logsFailing));
}

/** The pools of buffers: `stream` for data that waits for a slow peer, and `body` for gathered bodies. */
export type PoolName = "stream" | "body";

/** Capacities of each worker in bytes: of its pools, and of the disk for responses to slow clients. */
export type Capacities = Record<PoolName | "disk", number>;

/** Writes the use and the limits of the buffers. */
export function writeBuffers(page: Page, totals: Float64Array, capacities: Capacities): void {
  page
    .metric("turnpike_buffer_bytes", "gauge", "Bytes of buffers in use, over all workers.")
    .sample(at(totals, COLUMN.bufferBytes), { pool: "stream" })
    .sample(at(totals, COLUMN.bodyBufferBytes), { pool: "body" })
    .sample(at(totals, COLUMN.diskBufferBytes), { pool: "disk" });
  page
    .metric("turnpike_buffer_limit_bytes", "gauge", "Bytes of buffers that one worker may use.")
    .sample(capacities.stream, { pool: "stream" })
    .sample(capacities.body, { pool: "body" })
    .sample(capacities.disk, { pool: "disk" });
  page
    .metric("turnpike_buffer_refusals_total", "counter", "Requests refused or cut off because no buffer was free.")
    .sample(at(totals, COLUMN.bufferRefusals), { pool: "stream" })
    .sample(at(totals, COLUMN.bodyBufferRefusals), { pool: "body" });
}

/** Resident memory in bytes. Undefined if the process has ended. */
function residentBytes(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}
