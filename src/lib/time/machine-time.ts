import { readFileSync } from "node:fs";
import { cFunctions } from "../process/c-library.ts";
import { nativeMemory } from "../memory/native-memory.ts";

/** `CLOCK_MONOTONIC` of Linux. */
const MONOTONIC = 1;

/** `struct timespec`: seconds, nanoseconds. */
const memory = nativeMemory(16);
const time = new BigInt64Array(memory.buffer);
const libc = cFunctions({ clock_gettime: { args: ["i32", "ptr"], returns: "i32" } });

/** Milliseconds since the machine started; undefined if the C library cannot be called. */
function readMonotonic(): number | undefined {
  if (libc()?.clock_gettime(MONOTONIC, memory.address) !== 0) return undefined;
  return Number(time[0] ?? 0n) * 1000 + Number(time[1] ?? 0n) / 1e6;
}

/**
 * Whole milliseconds of the machine's monotonic clock. All processes read the same time, and a change of the system time does
 * not affect it. It starts again when the machine starts. On a system without such a clock, the process uses a
 * monotonic clock of its own, which begins at the system time. Leases in SQLite use it, because a
 * step of the system time must not end them.
 */
export function machineTime(): number {
  return Math.floor(readMonotonic() ?? performance.timeOrigin + performance.now());
}

/**
 * Milliseconds to add to this process's `performance.now()`. The sum is the same time in all processes of the machine,
 * and a change of the system time does not affect it. If the C library cannot be called, it is up to 10 ms coarser.
 */
export function machineTimeOffset(): number {
  const machine = readMonotonic() ?? Number(readFileSync("/proc/uptime", "utf8").split(" ", 1)[0]) * 1000;
  return machine - performance.now();
}
