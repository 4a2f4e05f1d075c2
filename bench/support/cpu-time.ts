/** CPU time finer than the 10 ms of /proc/PID/stat, the CPUs that processes run on, and what measurements in pairs say. */
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { processTree } from "./children.ts";

/** Nanoseconds on a CPU of all threads of a process that live; 0 for one that is gone. */
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

/** Keeps a process and its descendants on one CPU, if the machine has that one and `taskset`. False: they run where they ran. */
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

/** The median, and an interval that holds the true one in 95 of 100 runs: order statistics, which assume no shape of the noise. */
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
