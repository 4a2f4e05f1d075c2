import { dlopen } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

/** From linux/prctl.h: children of children come to us, not to process 1, when their parent ends. */
const PR_SET_CHILD_SUBREAPER = 36;
/** From bits/waitflags.h: do not wait. */
const WNOHANG = 1;

/** A browser's helpers notice that it is gone within milliseconds; those that do not are hung, and killed. */
const PATIENCE_MS = 1_000;
const GIVE_UP_MS = 3_000;
const SWEEP_EVERY_MS = 20;

interface Reaper {
  become(): void;
  reap(pid: number): void;
}

function openReaper(): Reaper | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const { symbols } = dlopen("libc.so.6", {
      prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
      waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
    });
    return {
      become: () => void symbols.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0),
      reap: (pid) => void symbols.waitpid(pid, null, WNOHANG),
    };
  } catch {
    // Another C library: then process 1 takes the orphans, as it does everywhere by default.
    return undefined;
  }
}

const reaper = openReaper();
const living = new Set<number>();

/** Takes note of a browser that we started; its helpers become our children when it ends. */
export function ownBrowser(pid: number): void {
  reaper?.become();
  living.add(pid);
}

/**
 * Ends what a browser that is gone left behind and takes the ended ones out of the process table. Without it they
 * stay there as zombies wherever process 1 does not care, as in most containers. `name` is as `processName` gives it.
 */
export async function reapOrphans(pid: number, name: string): Promise<void> {
  living.delete(pid);
  if (reaper === undefined) return;
  const started = performance.now();
  while (performance.now() - started < GIVE_UP_MS) {
    const orphans = childrenNamed(name).filter((child) => !living.has(child));
    if (orphans.length === 0) return;
    for (const orphan of orphans) {
      if (performance.now() - started > PATIENCE_MS) killQuietly(orphan);
      reaper.reap(orphan);
    }
    await Bun.sleep(SWEEP_EVERY_MS);
  }
}

/** What the kernel names a process of this program: the first 15 characters of the file's name. */
export function shortName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).slice(0, 15);
}

/** The name of a running process as the kernel has it; "" where there is no such process. */
export function processName(pid: number): string {
  return readQuietly(`/proc/${pid}/comm`).trim();
}

function childrenNamed(name: string): number[] {
  const found: number[] = [];
  for (const thread of readdirSync("/proc/self/task")) {
    const children = readQuietly(`/proc/self/task/${thread}/children`).split(" ");
    for (const child of children) {
      if (child.trim() !== "" && processName(Number(child)) === name) found.push(Number(child));
    }
  }
  return found;
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // It ended while we looked.
    return "";
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
