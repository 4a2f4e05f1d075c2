import { type BrowserInfo } from "../content/browser/pool.ts";
import { type ContentAddress, startContentService } from "../content/service.ts";
import { messageOf } from "../lib/caught.ts";
import { HELP, readFlags, wrongUsage } from "./flags.ts";
import { parseSearchOptions } from "./search-options.ts";
import { stateFolder } from "./state-folder.ts";
import { stopSignal } from "./stop-signal.ts";

const USAGE = `usage: turnpike content [--socket PATH | --port N] [--state-dir DIR] [--browser-path PROGRAM] [--allow-private]
                        [--search JSON] [--gateway URL [--mcp-host NAME ...]]

Runs the content service alone, on a Unix socket or on a port of 127.0.0.1, for a gateway of your own. It takes no payment.
--search takes what a configuration has in content.search. With --gateway it serves MCP at /mcp, by calls to that gateway, which
must sell the operations at their own paths; --mcp-host names a host that browsers may know it by, "*" for any without an Origin.`;

const FLAGS = {
  socket: { type: "string" },
  port: { type: "string", default: "8081" },
  "state-dir": { type: "string" },
  "browser-path": { type: "string" },
  "allow-private": { type: "boolean" },
  search: { type: "string", default: "{}" },
  gateway: { type: "string" },
  "mcp-host": { type: "string", multiple: true },
  help: HELP,
} as const;

/** What the service tells the process that started it, once. */
export type ContentReport =
  | { readonly kind: "ready"; readonly address: ContentAddress; readonly browser: BrowserInfo }
  | { readonly kind: "failed"; readonly reason: string };

/** `turnpike content`: runs the content service until it is told to stop. Returns the exit code. */
export async function content(args: readonly string[]): Promise<number> {
  const values = readFlags(args, FLAGS, USAGE);
  if (typeof values === "number") return values;
  if (!/^\d{1,5}$/.test(values.port)) return wrongUsage(USAGE, "--port takes a number");
  const browserPath = values["browser-path"];
  const gateway = values.gateway === undefined ? undefined : URL.parse(values.gateway);
  if (gateway === null || (gateway !== undefined && !/^https?:$/.test(gateway.protocol))) {
    return wrongUsage(USAGE, "--gateway takes an http or https URL");
  }
  // From the beginning: a parent that goes while the browser starts is not heard of later.
  const gone = process.send === undefined ? undefined : parentGone();
  try {
    const service = await startContentService({
      listen:
        values.socket === undefined ? { hostname: "127.0.0.1", port: Number(values.port) } : { unix: values.socket },
      stateDir: stateFolder(values["state-dir"]),
      allowPrivate: values["allow-private"] === true,
      search: parseSearchOptions(values.search),
      mcp:
        gateway === undefined
          ? undefined
          : { gatewayUrl: gateway.href.replace(/\/+$/, ""), hosts: values["mcp-host"] ?? [] },
      log: (level, message) => console.error(`content: ${level}: ${message}`),
      ...(browserPath === undefined || browserPath === "" ? {} : { browserPath }),
    });
    const { address, browser } = service;
    // Before anybody is told that it is ready: a signal may come at once.
    const stopped = gone ?? stopSignal();
    if (gone === undefined) console.log(`listening on ${addressText(address)}`);
    else report({ kind: "ready", address, browser });
    await stopped;
    await service.close();
    return 0;
  } catch (error) {
    const reason = messageOf(error);
    if (gone === undefined) console.error(`turnpike content: ${reason}`);
    else report({ kind: "failed", reason });
    return 1;
  }
}

function report(message: ContentReport): void {
  if (process.connected) process.send?.(message);
}

/** The address as people write it. */
export function addressText(address: ContentAddress): string {
  return "unix" in address ? `unix:${address.unix}` : `http://${address.hostname}:${address.port}`;
}

/** Resolves when the process that started this one lets go of it or is gone. */
async function parentGone(): Promise<void> {
  // Terminals and service managers signal the whole group, but this one is needed until the gateway has drained.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  await new Promise<void>((resolve) => process.once("disconnect", () => resolve()));
}
