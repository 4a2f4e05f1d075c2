import { dlopen, FFIType } from "bun:ffi";
import { fromCLibrary } from "../../lib/process/c-library.ts";

/** True if a standard stream is a terminal. `process.stderr.isTTY` says so, too, but takes 10 ms of CPU time to load the code of streams. */
export function isTerminal(descriptor: 1 | 2): boolean {
  const { i32 } = FFIType;
  const libc = fromCLibrary((name) => dlopen(name, { isatty: { args: [i32], returns: i32 } }).symbols);
  if (libc === undefined) return (descriptor === 1 ? process.stdout : process.stderr).isTTY;
  return libc.isatty(descriptor) === 1;
}
