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
 * Milliseconds of the machine's monotonic clock: all of its processes read the same, and setting the time of day does not move
 * it. It begins anew when the machine starts. Where the system has no such clock, it is this process's own, which began at
 * the time of day. Decision 0803.
 */
export function machineTime(): number {
  if (process.platform !== "linux" || read?.(MONOTONIC, timeAt) !== 0) {
    return Math.floor(performance.timeOrigin + performance.now());
  }
  return Number((time[0] ?? 0n) * 1000n + (time[1] ?? 0n) / 1_000_000n);
}
