import { dlopen, ptr } from "bun:ffi";
import { fromCLibrary } from "../../../lib/process/c-library.ts";

/** From linux/sched.h. */
const SCHED_IDLE = 5;

/** struct sched_param: the policy requires priority 0. */
const PARAMETERS = new Int32Array(1);

const schedule = fromCLibrary((name) => {
  const { symbols } = dlopen(name, {
    sched_setscheduler: { args: ["i32", "i32", "ptr"], returns: "i32" },
  });
  return symbols.sched_setscheduler;
});

/**
 * Lets a thread run only when no thread of ordinary priority wants the processor. Does nothing if the system does not
 * support that.
 */
export function runWhenIdle(thread: number): void {
  schedule?.(thread, SCHED_IDLE, ptr(PARAMETERS));
}
