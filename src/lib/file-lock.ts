import { dlopen, FFIType } from "bun:ffi";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { fromCLibrary } from "./c-library.ts";

const EXCLUSIVE_NOW = 2 | 4;
/** Closes the file in child processes, which would keep the lock. Node has no name for it. */
const CLOSE_ON_EXEC = 0o2000000;
/** Milliseconds within which the holder of a lock writes its number. */
const WRITTEN_MS = 200;

/**
 * Locks a file until this process ends, however it ends, and writes the process number into it. Returns the number of the
 * process that has the lock if it is another one, 0 if that is unknown; undefined: this process has it.
 */
export function lockFile(path: string): number | undefined {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | CLOSE_ON_EXEC, 0o600);
  const result = fromCLibrary((name) => {
    const library = dlopen(name, { flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } });
    const locked = library.symbols.flock(file, EXCLUSIVE_NOW);
    library.close();
    return locked;
  });
  if (result === -1) {
    // The holder writes its number just after it has the lock.
    if (fstatSync(file).size === 0) Bun.sleepSync(WRITTEN_MS);
    const pid = Number(readFileSync(file, "latin1"));
    closeSync(file);
    return Number.isSafeInteger(pid) ? pid : 0;
  }
  try {
    ftruncateSync(file);
    writeSync(file, String(process.pid), 0);
  } catch {
    // A full disk. The lock itself needs no space.
  }
  return undefined;
}
