import { type Subprocess } from "bun";
import { messageOf } from "../../lib/caught.ts";
import { childEnvironment } from "../../lib/child-environment.ts";
import { type FromWorker } from "./messages.ts";

/** The system gives no process now: it may give one later, and those that there are serve meanwhile. */
export class NoRoomError extends Error {}

/** Starts the process of a worker, which gets the shared memory as descriptor `zone`. Throws NoRoomError. */
export function spawnWorker(
  zone: number,
  heard: { readonly ipc: (message: FromWorker) => void; readonly onExit: () => void },
): Subprocess {
  try {
    return Bun.spawn([process.execPath, new URL("./worker.ts", import.meta.url).pathname], {
      stdio: ["ignore", "inherit", "inherit", zone],
      // What the configuration names comes with it.
      env: childEnvironment(),
      ...heard,
    });
  } catch (error) {
    throw new NoRoomError(`Cannot start a worker: ${messageOf(error)}`, { cause: error });
  }
}
