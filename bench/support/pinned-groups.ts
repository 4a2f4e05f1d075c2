import { cpus } from "node:os";
import { type Children, type Surroundings } from "./children.ts";

/** The CPU of the measured programs, and the CPU of everything else. */
const MEASURED_CPU = 0;
const LOAD_CPU = 1;

/** The process groups of a bench: one for the measured programs, one for load and origin. */
export interface Groups {
  readonly measured: Children;
  readonly load: Children;
}

/**
 * Groups of processes in which the measured programs have a CPU for themselves, so that only their cost is measured.
 * Moves this process to the CPU of the load. Throws an Error on a machine with one CPU.
 */
export function pinnedGroups(children: Children, surroundings: Omit<Surroundings, "cpu"> = {}): Groups {
  if (cpus().length < 2) throw new Error("Cannot pin the proxy to a CPU of its own: this machine has one CPU");
  Bun.spawnSync(["taskset", "-a", "-p", "-c", String(LOAD_CPU), String(process.pid)]);
  return {
    measured: children.group({ ...surroundings, cpu: MEASURED_CPU }),
    load: children.group({ cpu: LOAD_CPU }),
  };
}
