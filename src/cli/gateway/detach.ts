import { spawn } from "node:child_process";
import { messageOf } from "../../lib/caught.ts";
import { INSIDE_ONE_FILE } from "../../lib/files/one-file.ts";
import { StartError } from "../common/start-error.ts";

const FLAG = "--detach";
/** Milliseconds that the process that started this one has to end, and between two looks. @bound */
const PARENT_MS = 5000;
const LOOK_MS = 10;

/**
 * Runs the same command without `--detach` in a process of its own, and resolves with 0 when that process serves. If it ends
 * before, the promise resolves with its exit code. Its output goes where this process writes.
 */
export function runDetached(): Promise<number> {
  const [, module = "", ...args] = process.argv;
  // The single-file program needs no path of a module to start.
  const program = module.startsWith(INSIDE_ONE_FILE) ? [] : [module];
  const child = spawn(process.execPath, [...program, ...args.filter((arg) => arg !== FLAG)], {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      reject(new StartError(`Cannot start the new gateway: ${messageOf(error)}`, { cause: error }));
    });
    child.once("exit", (code) => resolve(code ?? 1));
    child.once("message", () => {
      child.disconnect();
      child.unref();
      resolve(0);
    });
  });
}

/**
 * Tells a process that waits in `runDetached` that this one serves, and resolves when that process has ended: systemd counts on the
 * end of a service's main process only if that is its own child. Does nothing if no process waits.
 */
export async function leaveParent(): Promise<void> {
  if (process.send === undefined) return;
  const parent = process.ppid;
  process.send("serving");
  process.disconnect();
  for (let waited = 0; process.ppid === parent && waited < PARENT_MS; waited += LOOK_MS) await Bun.sleep(LOOK_MS);
}
