import { dlopen, FFIType } from "bun:ffi";
import { readFileSync } from "node:fs";

const CLOCK_MONOTONIC = 1;

/**
 * Milliseconds since the machine started. If the C library cannot be called, as on musl, the result is up to 10 ms
 * coarser.
 */
function machineTime(): number {
  try {
    const time = new BigInt64Array(2);
    const library = dlopen("libc.so.6", {
      clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
    });
    const failed = library.symbols.clock_gettime(CLOCK_MONOTONIC, time) !== 0;
    library.close();
    if (!failed) return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
  } catch {
    // The file below has the same time.
  }
  return Number(readFileSync("/proc/uptime", "utf8").split(" ", 1)[0]) * 1000;
}

/**
 * Milliseconds to add to this process's `performance.now()`. The sum is the same time in all processes of the machine,
 * and a change of the system time does not affect it.
 */
export function sharedTimeOffset(): number {
  return machineTime() - performance.now();
}
