import { dlopen, FFIType } from "bun:ffi";
import { readFileSync } from "node:fs";

const CLOCK_MONOTONIC = 1;

/** Milliseconds since the machine started. Coarser by up to 10 ms where there is no C library to be asked, as on musl. */
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
    // Below.
  }
  return Number(readFileSync("/proc/uptime", "utf8").split(" ", 1)[0]) * 1000;
}

/**
 * What must be added to this process's `performance.now()` (milliseconds) to have a time that all processes of the machine
 * share, and that no setting of the clock moves.
 */
export function sharedTimeOffset(): number {
  return machineTime() - performance.now();
}
