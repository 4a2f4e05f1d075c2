/**
 * CPU time with a finer resolution than the 10 ms of /proc/PID/stat, the CPUs of processes, and statistics of paired
 * measurements.
 */
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { processTree } from "./children.ts";

/** CPU nanoseconds of all living threads of a process; 0 if it has ended. */
export function cpuNanoseconds(pid: number): number {
  try {
    let sum = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]);
    }
    return sum;
  } catch {
    return 0;
  }
}

/**
 * Keeps a process and its descendants on one CPU. False: the machine has no such CPU or no `taskset`, and nothing
 * changed.
 */
export function pin(root: number, cpu: number): boolean {
  if (cpu >= cpus().length || Bun.which("taskset") === null) return false;
  return processTree(root).every(
    (pid) => Bun.spawnSync(["taskset", "-a", "-c", "-p", String(cpu), String(pid)]).exitCode === 0,
  );
}

export interface Interval {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** The median, and its 95 % confidence interval by order statistics, which assume no distribution of the noise. */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const at = (index: number): number => sorted[Math.min(Math.max(index, 0), n - 1)] ?? Number.NaN;
  const reach = 0.98 * Math.sqrt(n);
  return {
    low: at(Math.floor(n / 2 - reach)),
    median: (at((n - 1) >> 1) + at(n >> 1)) / 2,
    high: at(Math.ceil(n / 2 + reach) - 1),
  };
}
