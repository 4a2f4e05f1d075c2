import { cFunctions } from "../../lib/process/c-library.ts";

const libc = cFunctions({ isatty: { args: ["i32"], returns: "i32" } });

/** True if a standard stream is a terminal. `process.stderr.isTTY` says so, too, but takes 10 ms of CPU time to load the code of streams. */
export function isTerminal(descriptor: 1 | 2): boolean {
  const result = libc()?.isatty(descriptor);
  return result === undefined ? (descriptor === 1 ? process.stdout : process.stderr).isTTY : result === 1;
}
