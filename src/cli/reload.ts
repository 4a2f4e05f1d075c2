import { isDeepStrictEqual } from "node:util";
import { type Config } from "../gateway/config/config.ts";
import { type Gateway } from "../gateway/process/gateway.ts";
import { messageOf } from "../lib/caught.ts";
import { hangup } from "./held-signals.ts";

export interface Reloadable {
  readonly gateway: Gateway;
  /** What the gateway was started with. */
  readonly config: Config;
  readonly path: string;
  /** Reads the file again; throws, with every problem, where it cannot be served. */
  readonly read: () => Promise<Config>;
}

/** Has SIGHUP read the configuration again, one that came while the gateway was started too. */
export function reloadOnHangup(reloadable: Reloadable): void {
  // One after the other, so that the file's last state is what stays; one that waits reads it late enough for all that come.
  let turn = Promise.resolve();
  let waits = false;
  hangup.heed(() => {
    if (waits) return;
    waits = true;
    turn = turn.then(() => {
      waits = false;
      return reload(reloadable);
    });
  });
}

/** Serves by the file as it is now; where that fails, says why and leaves everything as it was. */
async function reload({ gateway, config, path, read }: Reloadable): Promise<void> {
  try {
    const next = await read();
    await gateway.reload(next);
    gateway.countReload(true);
    if (!isDeepStrictEqual(boundAtStart(config), boundAtStart(next))) {
      console.error(`${path}: warning: workers and the content service change with the next start only`);
    }
    console.error(`reloaded ${path}`);
  } catch (error) {
    gateway.countReload(false);
    console.error(
      `${messageOf(error)}\nCannot reload ${path}: the configuration above has problems; the old one stays`,
    );
  }
}

/** What a running gateway cannot change. */
function boundAtStart({ server, content }: Config): unknown {
  return { workers: server.workers, content };
}
