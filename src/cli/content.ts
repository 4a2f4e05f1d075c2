import { type BrowserInfo } from "../content/browser/pool.ts";
import { type ContentAddress, startContentService } from "../content/service.ts";
import { messageOf } from "../lib/caught.ts";
import { MAX_UNIX_PATH_BYTES } from "../gateway/config/schema/kinds.ts";
import { atBoundary } from "./boundary.ts";
import { HELP, readFlags } from "./flags.ts";
import { parseResolveOptions } from "./resolve-options.ts";
import { parseSearchOptions } from "./search-options.ts";
import { stateFolder } from "./state-folder.ts";
import { stopSignal } from "./stop-signal.ts";
import { say } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

const USAGE = `usage: turnpike content [--socket PATH | --port N] [--state-dir DIR] [--browser-path PROGRAM] [--allow-private]
                        [--charge-timeouts] [--search JSON] [--resolve JSON] [--gateway URL [--mcp-host NAME ...]]

Runs the content service alone, on a Unix socket or on a port of 127.0.0.1, for a gateway of your own. It takes no payment.
--search takes what a configuration has in content.search, --resolve what it has in content.resolve. With --gateway it says what that gateway asks for the operations, and serves
MCP at /mcp, by calls to that gateway, which must sell the operations at their own paths; --mcp-host names a host that browsers may know it by, "*" for any without an Origin.
--charge-timeouts marks failures of pages that used their time up themselves; the gateway of turnpike start alone charges for them.`;

const FLAGS = {
  socket: { type: "string" },
  port: { type: "string", default: "8081" },
  "state-dir": { type: "string" },
  "browser-path": { type: "string" },
  "allow-private": { type: "boolean" },
  "charge-timeouts": { type: "boolean" },
  search: { type: "string", default: "{}" },
  resolve: { type: "string", default: "{}" },
  gateway: { type: "string" },
  "mcp-host": { type: "string", multiple: true },
  help: HELP,
} as const;

/** The one message that the service sends to its parent process. */
export type ContentReport =
  | { readonly kind: "ready"; readonly address: ContentAddress; readonly browser: BrowserInfo | undefined }
  | { readonly kind: "failed"; readonly reason: string };

/** `turnpike content`: runs the content service until a signal stops it. Returns the exit code. */
export function content(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, () => run(args));
}

async function run(args: readonly string[]): Promise<number | "help"> {
  const values = readFlags(args, FLAGS);
  if (values.help === true) return "help";
  if (!/^\d{1,5}$/.test(values.port)) throw new UsageError(`--port "${values.port}" is not a port number`);
  const { socket } = values;
  if (socket !== undefined && Buffer.byteLength(socket) > MAX_UNIX_PATH_BYTES) {
    throw new UsageError(`--socket "${socket}" is longer than ${MAX_UNIX_PATH_BYTES} bytes`);
  }
  const browserPath = values["browser-path"];
  const gateway = values.gateway === undefined ? undefined : URL.parse(values.gateway);
  if (gateway === null || (gateway !== undefined && !/^https?:$/.test(gateway.protocol))) {
    throw new UsageError("--gateway takes an http or https URL");
  }
  // Listens from the beginning. Otherwise the service would miss a parent that ends while the browser starts.
  const gone = process.send === undefined ? undefined : parentGone();
  try {
    const service = await startContentService({
      listen: socket === undefined ? { hostname: "127.0.0.1", port: Number(values.port) } : { unix: socket },
      stateDir: stateFolder(values["state-dir"]),
      allowPrivate: values["allow-private"] === true,
      chargeTimeouts: values["charge-timeouts"] === true,
      search: parseSearchOptions(values.search),
      ...parseResolveOptions(values.resolve),
      mcp:
        gateway === undefined
          ? undefined
          : { gatewayUrl: gateway.href.replace(/\/+$/, ""), hosts: values["mcp-host"] ?? [] },
      log: (level, message) => say(`content: ${level}: ${message}`),
      ...(browserPath === undefined || browserPath === "" ? {} : { browserPath }),
    });
    const { address, browser } = service;
    // Installed before the service reports that it is ready: a signal may follow at once.
    const stopped = gone ?? stopSignal();
    if (gone === undefined) console.log(`listening on ${addressText(address)}`);
    else report({ kind: "ready", address, browser });
    await stopped;
    await service.close();
    return 0;
  } catch (error) {
    if (gone === undefined) throw error;
    report({ kind: "failed", reason: messageOf(error) });
    return 1;
  }
}

function report(message: ContentReport): void {
  if (process.connected) process.send?.(message);
}

/** The address in readable form. */
export function addressText(address: ContentAddress): string {
  return "unix" in address ? `unix:${address.unix}` : `http://${address.hostname}:${address.port}`;
}

/** Resolves when the parent process closes the IPC channel or ends. */
async function parentGone(): Promise<void> {
  // Terminals and service managers signal the whole process group, but the gateway needs this process until it has drained.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  await new Promise<void>((resolve) => process.once("disconnect", () => resolve()));
}
