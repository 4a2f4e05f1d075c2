import { read } from "bun:ffi";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { constants as system } from "node:os";
import { setTimeout } from "node:timers/promises";
import { cFunctions } from "../process/c-library.ts";

const EXCLUSIVE_NOW = 2 | 4;
/** Closes the file in child processes, which would keep the lock. Node has no name for it. */
const CLOSE_ON_EXEC = 0o2000000;
/** Milliseconds within which the holder of a lock writes its number. */
const WRITTEN_MS = 200;
/** Milliseconds between two attempts to get a lock that other processes hold for a moment, and their most. @bound */
const AGAIN_MS = 5;
const MAX_ATTEMPTS = 400;

/** The result of `lockFile`: this process has the lock, the system gives none, or its holder (0: unknown). */
export type FileLock = "locked" | "unsupported" | number;

/** Locks a file until this process ends, and writes its number there. Throws if it cannot be opened. */
export function lockFile(path: string): FileLock {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | CLOSE_ON_EXEC, 0o600);
  const code = lock(file);
  if (code === 0) {
    try {
      ftruncateSync(file);
      writeSync(file, String(process.pid), 0);
    } catch {
      // A full disk. The lock itself needs no space.
    }
    return "locked";
  }
  try {
    if (code !== system.errno.EWOULDBLOCK) return "unsupported";
    // The holder writes its number just after it has the lock.
    if (fstatSync(file).size === 0) Bun.sleepSync(WRITTEN_MS);
    const pid = Number(readFileSync(file, "latin1"));
    // Its own number is that of a process in another container.
    return Number.isSafeInteger(pid) && pid !== process.pid ? pid : 0;
  } finally {
    closeSync(file);
  }
}

/**
 * Runs `action` while no other process does it in the same folder. Without locks in the file system it runs at once. Throws if
 * another process holds the folder for two seconds.
 */
export async function inLockedFolder<T>(folder: string, action: () => T): Promise<T> {
  const { O_RDONLY, O_DIRECTORY } = constants;
  const file = openSync(folder, O_RDONLY | O_DIRECTORY | CLOSE_ON_EXEC);
  try {
    for (let attempts = 1; lock(file) === system.errno.EWOULDBLOCK; attempts += 1) {
      if (attempts === MAX_ATTEMPTS) throw new Error(`Cannot lock "${folder}": another process holds it`);
      await setTimeout(AGAIN_MS);
    }
    return action();
  } finally {
    closeSync(file);
  }
}

const libc = cFunctions({
  flock: { args: ["i32", "i32"], returns: "i32" },
  __errno_location: { args: [], returns: "ptr" },
});

/** 0, or the number of the system's error; undefined without a C library. */
function lock(file: number): number | undefined {
  const { flock, __errno_location: errnoLocation } = libc() ?? {};
  const where = errnoLocation?.();
  const result = flock?.(file, EXCLUSIVE_NOW);
  return result === 0 || typeof where !== "number" ? result : read.i32(where);
}
