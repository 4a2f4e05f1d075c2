import { readdirSync, readFileSync } from "node:fs";

/** The kernel's data about a process. */
export interface ProcessFacts {
  readonly pid: number;
  readonly threads: number;
  readonly residentBytes: number;
  /** Milliseconds of CPU time of all its threads since it started. */
  readonly cpuMs: number;
}

/** Bytes in the unit of resident memory in /proc/PID/stat, on all machines that the browser supports. */
const PAGE_BYTES = 4096;
/** USER_HZ is 100 on every architecture. */
const MS_PER_TICK = 10;
const NS_PER_MS = 1e6;
/** Positions of fields in /proc/PID/stat, counted from the field after the program's name. */
const STATE = 0;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const THREADS = 17;
const RESIDENT_PAGES = 21;

/** Undefined if the process has ended, or the system has no process table. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const fields = statOf(pid);
  if (fields.length <= RESIDENT_PAGES) return undefined;
  const number = (at: number): number => Number(fields[at]);
  return {
    pid,
    threads: number(THREADS),
    residentBytes: number(RESIDENT_PAGES) * PAGE_BYTES,
    cpuMs: (number(USER_TICKS) + number(SYSTEM_TICKS)) * MS_PER_TICK,
  };
}

/**
 * Milliseconds that a thread of a process, by default its main thread, has run or waited for a processor since it
 * started. For a thread that always has work this is the whole time, however busy the machine is; but a wait is counted
 * only when it ends. 0 if the kernel does not report it.
 */
export function runnableMs(pid: number, thread = pid): number {
  const [ran = 0, waited = 0] = readQuietly(`/proc/${pid}/task/${thread}/schedstat`).split(" ").map(Number);
  return (ran + waited) / NS_PER_MS;
}

/** True while a thread of a process runs or waits for a processor. */
export function isRunnable(pid: number, thread: number): boolean {
  return statOf(`${pid}/task/${thread}`)[STATE] === "R";
}

/** The thread identifiers of a process; empty if it has ended. */
export function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    // The process ended in the meantime.
    return [];
  }
}

/** The process identifiers of the children of a process; empty if it has ended. */
export function childrenOf(pid: number): readonly number[] {
  // The kernel lists a child under the thread that created it.
  return threadsOf(pid).flatMap((thread) =>
    readQuietly(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
}

/** The words of its command line; empty after it has ended. */
export function commandOf(pid: number): readonly string[] {
  return readQuietly(`/proc/${pid}/cmdline`).split(/[\0 ]/);
}

/** The kernel's name for a process of this program: the first 15 characters of the file's name. */
export function shortName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).slice(0, 15);
}

/** The kernel's name of a running process; "" if there is no such process. */
export function processName(pid: number): string {
  return readQuietly(`/proc/${pid}/comm`).trim();
}

/** Kills a process, unless it has ended. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process ended by itself.
  }
}

/** The fields of /proc/PID/stat from the one after the program's name, which can contain spaces and parentheses. */
function statOf(process: number | string): readonly string[] {
  const text = readQuietly(`/proc/${process}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
