import { dlopen, FFIType, ptr } from "bun:ffi";
import { fromCLibrary } from "./c-library.ts";

/** `CLOCK_MONOTONIC` of Linux. */
const MONOTONIC = 1;

type ClockGettime = (clock: number, time: ReturnType<typeof ptr>) => number;

/** `struct timespec`: seconds, nanoseconds. */
const time = new BigInt64Array(2);
const timeAt = ptr(time);
const read = fromCLibrary((name): ClockGettime => {
  const { symbols } = dlopen(name, {
    clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
  });
  return symbols.clock_gettime;
});

/**
 * Milliseconds of the machine's monotonic clock. All processes read the same time, and a change of the system time does
 * not affect it. It starts again when the machine starts. On a system without such a clock, the process uses a
 * monotonic clock of its own, which begins at the system time. Decision 0803.
 */
export function machineTime(): number {
  if (process.platform !== "linux" || read?.(MONOTONIC, timeAt) !== 0) {
    return Math.floor(performance.timeOrigin + performance.now());
  }
  return Number((time[0] ?? 0n) * 1000n + (time[1] ?? 0n) / 1_000_000n);
}
