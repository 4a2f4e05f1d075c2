/** CPU time with a finer resolution than the 10 ms of /proc/PID/stat, and the CPUs of processes. */
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

/** Keeps a process and its descendants on one CPU. False: there is no such CPU or `taskset`; nothing changed. */
export function pin(root: number, cpu: number): boolean {
  if (cpu >= cpus().length || Bun.which("taskset") === null) return false;
  return processTree(root).every(
    (pid) => Bun.spawnSync(["taskset", "-a", "-c", "-p", String(cpu), String(pid)]).exitCode === 0,
  );
}
