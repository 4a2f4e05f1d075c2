import { readFileSync } from "node:fs";
import { VERSION } from "../../lib/process/version.ts";
import { COLUMN } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

const PAGE_BYTES = 4096;

/** Writes the version, and the processes with their memory. */
export function writeProcesses(page: Page, { rows }: Snapshot): void {
  page.metric("turnpike_build_info", "gauge", "The running version; always 1.").sample(1, { version: VERSION });
  const running = rows.flatMap((row, worker) => (at(row, COLUMN.pid) === 0 ? [] : [{ row, worker }]));
  page.metric("turnpike_worker_start_time_seconds", "gauge", "Start of a worker, in Unix seconds.");
  for (const { row, worker } of running) page.sample(at(row, COLUMN.startedAt), { worker });
  page.metric("turnpike_worker_resident_memory_bytes", "gauge", "Resident memory of a worker.");
  for (const { row, worker } of running) {
    const bytes = residentBytes(at(row, COLUMN.pid));
    if (bytes !== undefined) page.sample(bytes, { worker });
  }
}

/** Capacities of each worker in bytes: of its pools, and of the disk for responses to slow clients. */
export type Capacities = Readonly<Record<"stream" | "body" | "disk", number>>;

/** Writes the limits of the buffers. */
export function writeBufferLimits(page: Page, capacities: Capacities): void {
  page.metric("turnpike_buffer_limit_bytes", "gauge", "Bytes of buffers that one worker may use.");
  for (const pool of ["stream", "body", "disk"] as const) page.sample(capacities[pool], { pool });
}

/** Resident memory in bytes. Undefined if the process has ended. */
function residentBytes(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}
