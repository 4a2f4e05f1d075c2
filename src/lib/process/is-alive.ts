import { readFileSync } from "node:fs";
import { codeOf } from "../caught.ts";

/** True if a process with this id runs, also if it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return false;
  }
  return !hasEnded(pid);
}

/** True if the process has ended, and its parent has not read its exit status. In a container without an init process that can last for ever. */
function hasEnded(pid: number): boolean {
  try {
    // The name in parentheses can contain any characters.
    return /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
