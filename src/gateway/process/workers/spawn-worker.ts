import { type Subprocess } from "bun";
import { messageOf } from "../../../lib/caught.ts";
import { childEnvironment } from "../../../lib/process/child-environment.ts";
import { type FromWorker } from "./messages.ts";

/** The system gives no process now. A later attempt may succeed; the existing workers serve meanwhile. */
export class NoRoomError extends Error {}

/** Starts the process of a worker, with the shared memory as descriptor `zone`. Throws NoRoomError. */
export function spawnWorker(
  zone: number,
  heard: { readonly ipc: (message: FromWorker) => void; readonly onExit: () => void },
): Subprocess {
  try {
    return Bun.spawn([process.execPath, new URL("./worker.ts", import.meta.url).pathname], {
      stdio: ["ignore", "inherit", "inherit", zone],
      // The variables that the configuration names follow in a message.
      env: childEnvironment(),
      ...heard,
    });
  } catch (error) {
    throw new NoRoomError(`Cannot start a worker: ${messageOf(error)}`, { cause: error });
  }
}
