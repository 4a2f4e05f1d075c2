import { parseArgs } from "node:util";
import { type BrowserInfo } from "../content/browser/pool.ts";
import { type ContentAddress, startContentService } from "../content/service.ts";
import { stateFolder } from "./state-folder.ts";
import { stopSignal } from "./stop-signal.ts";

const USAGE = `usage: turnpike content [--socket PATH | --port N] [--state-dir DIR] [--browser-path PROGRAM] [--allow-private]

Runs the content service alone, on a Unix socket or on a port of 127.0.0.1, for a gateway of your own. It takes no payment.`;

/** What the service tells the process that started it, once. */
export type ContentReport =
  | { readonly kind: "ready"; readonly address: ContentAddress; readonly browser: BrowserInfo }
  | { readonly kind: "failed"; readonly reason: string };

/** `turnpike content`: runs the content service until it is told to stop. Returns the exit code. */
export async function content(args: readonly string[]): Promise<number> {
  const values = parse(args);
  if (values === undefined) {
    console.error(USAGE);
    return 2;
  }
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const browserPath = values["browser-path"];
  try {
    const service = await startContentService({
      listen:
        values.socket === undefined ? { hostname: "127.0.0.1", port: Number(values.port) } : { unix: values.socket },
      stateDir: stateFolder(values["state-dir"]),
      allowPrivate: values["allow-private"] === true,
      log: (level, message) => console.error(`content: ${level}: ${message}`),
      ...(browserPath === undefined || browserPath === "" ? {} : { browserPath }),
    });
    const { address, browser } = service;
    if (process.send === undefined) console.log(`listening on ${addressText(address)}`);
    else process.send({ kind: "ready", address, browser } satisfies ContentReport);
    await (process.send === undefined ? stopSignal() : parentGone());
    await service.close();
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (process.send === undefined) console.error(`turnpike content: ${reason}`);
    else process.send({ kind: "failed", reason } satisfies ContentReport);
    return 1;
  }
}

/** The address as people write it. */
export function addressText(address: ContentAddress): string {
  return "unix" in address ? `unix:${address.unix}` : `http://${address.hostname}:${address.port}`;
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        socket: { type: "string" },
        port: { type: "string", default: "8081" },
        "state-dir": { type: "string" },
        "browser-path": { type: "string" },
        "allow-private": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    return /^\d{1,5}$/.test(values.port) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves when the process that started this one lets go of it or is gone. */
async function parentGone(): Promise<void> {
  // Terminals and service managers signal the whole group, but this one is needed until the gateway has drained.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  await new Promise<void>((resolve) => process.once("disconnect", () => resolve()));
}
