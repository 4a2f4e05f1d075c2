import { dlopen } from "bun:ffi";
import { pollUntil } from "../../lib/time/poll-until.ts";
import { childrenOf, killQuietly, processName } from "./program/process-table.ts";

/** From linux/prctl.h: when a child ends, its children become children of this process and not of process 1. */
const PR_SET_CHILD_SUBREAPER = 36;
/** From bits/waitflags.h: do not wait. */
const WNOHANG = 1;

/**
 * Milliseconds. A browser's helpers notice its end within milliseconds; helpers that still run after this time have
 * hung and are killed.
 */
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
    // With another C library, process 1 adopts the orphans, which is the default.
    return undefined;
  }
}

const reaper = openReaper();
const living = new Set<number>();

/** Registers a browser that this process started. Its helpers become children of this process when it ends. */
export function ownBrowser(pid: number): void {
  reaper?.become();
  living.add(pid);
}

/**
 * Ends the processes that a browser left behind, and removes the ended ones from the process table. Otherwise they stay
 * there as zombies if process 1 does not reap them, as in most containers. `name` is in the format of `processName`.
 */
export async function reapOrphans(pid: number, name: string): Promise<void> {
  living.delete(pid);
  if (reaper === undefined) return;
  const sweep = (kills: boolean): boolean => {
    const children = childrenOf(process.pid).filter((child) => processName(child) === name);
    const orphans = children.filter((child) => !living.has(child));
    for (const orphan of orphans) {
      if (kills) killQuietly(orphan);
      reaper.reap(orphan);
    }
    return orphans.length === 0;
  };
  const haveEnded = await pollUntil(() => sweep(false), { everyMs: SWEEP_EVERY_MS, mostMs: PATIENCE_MS });
  if (!haveEnded) await pollUntil(() => sweep(true), { everyMs: SWEEP_EVERY_MS, mostMs: GIVE_UP_MS - PATIENCE_MS });
}
