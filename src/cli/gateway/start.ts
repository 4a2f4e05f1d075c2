import { runDetached } from "./detach.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type BrowserInfo } from "../../content/browser/program/browser-opener.ts";
import { type ConfigSource } from "../../gateway/admin/running-config/config-source.ts";
import { type LiveConfig } from "../../gateway/admin/running-config/live-config.ts";
import { type Config } from "../../gateway/config/config.ts";
import { type OwnParts } from "../../gateway/config/own-parts.ts";
import { type AdministeredGateway } from "../../gateway/process/administered-gateway.ts";
import { startAdministered } from "../../gateway/process/start-administered.ts";
import { urlOf } from "../../gateway/process/listeners/listener-plan.ts";
import { messageOf } from "../../lib/caught.ts";
import { OwnAdmin } from "./own-admin.ts";
import { atBoundary } from "../common/boundary.ts";
import { remoteBrowserOf } from "../content/browser-options.ts";
import { GATEWAY_FLAGS } from "./gateway-flags.ts";
import { flagsText, flagTable, readFlags } from "../common/flags.ts";
import { type ReadConfig, readConfig } from "../common/configuration.ts";
import { configFlags, heedSignals, portFlag, warnOfDescriptors } from "./gateway.ts";
import { STARTING, ContentProcess, type ContentProcessOptions, contentSocket } from "../content/content-process.ts";
import { readListings } from "./listed-routes.ts";
import { mcpEndpoint } from "../content/mcp-endpoint.ts";
import { SharedTemplates } from "../content/shared-templates.ts";
import { openConfiguredTemplates } from "../../store/open/configured-store.ts";
import { stamped } from "../../lib/text/stamped.ts";
import { StartError } from "../common/start-error.ts";
import { WaitingRoom } from "../content/waiting-room.ts";
import { lockStateFolder, stateFolder } from "../common/state-folder.ts";
import { type Predecessor, serveUntilStopped, takeOverFlag } from "./take-over.ts";
import { commandName } from "../../lib/files/one-file.ts";
import { finishStart, stopSignal } from "../common/stop-signal.ts";
import { sayLog, sayWarning } from "../common/terminal.ts";
import { UsageError } from "../common/usage-error.ts";

const FLAGS = flagTable({
  "port N": "listen on this port (8080)",
  "state-dir DIR": "folder for browser, ledger, socket and admin key ($TURNPIKE_HOME, else ~/.turnpike)",
  "allow-private": "allow pages on private and loopback addresses; for local tests",
  "config FILE":
    'the configuration; default: turnpike.json in the state folder, to which changes are persisted, or else the shipped one. Its upstream "content" is the content service',
  "admin-port N":
    'serve the admin interface and its console on this port of 127.0.0.1 (9180, or another if that is taken; 0: a free port); excluded by a configuration with "admin"',
  "no-admin": "do not serve the admin interface",
  strict: GATEWAY_FLAGS.strict,
  "take-over PID":
    "replace the gateway and content service of this process on the same ports; the old one ends after its last request (docs/guides/upgrade.md)",
  detach: "with --take-over: end when the new gateway serves; it continues in the background",
});

const USAGE = `usage: turnpike start [--port N] [--state-dir DIR] [--allow-private] [--config FILE] [--admin-port N | --no-admin]
                      [--strict] [--take-over PID [--detach]]

Starts the gateway with one worker (server.workers has no effect) and, behind it, the content service.
${flagsText(FLAGS)}

The first start creates the key of the admin interface in the file admin-key of the state folder, where turnpike status, top
and so on find it.`;

const SHIPPED = new URL("../../../config/turnpike.json", import.meta.url).pathname;
/** The upstream that `turnpike start` connects to its content service. */
const CONTENT_UPSTREAM = "content";
/** The maximum of `max_fails` in a configuration. */
const MOST_FAILS = 1_000_000;
/** Bytes in a socket path, limited by the kernel's socket address. A longer path is an error. */
const MAX_SOCKET_BYTES = 103 - STARTING.length;

/** `turnpike start`: gateway and content service together. Returns the exit code. */
export function start(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, () => run(args));
}

async function run(args: readonly string[]): Promise<number> {
  const values = readFlags(args, FLAGS);
  if (values["no-admin"] === true && values["admin-port"] !== undefined) {
    throw new UsageError("--admin-port and --no-admin exclude each other");
  }
  if (values.detach === true) {
    if (values["take-over"] === undefined) throw new UsageError("--detach needs --take-over");
    return await runDetached();
  }
  const predecessor = takeOverFlag(values["take-over"]);
  const stateDir = stateFolder(values["state-dir"]);
  lockStateFolder(stateDir, predecessor?.pid);
  const socket = socketIn(stateDir);
  const source = sourceOf(values.config, stateDir);
  const flags = configFlags(values);
  const listings = await readListings();
  const admin = await OwnAdmin.open({
    stateDir,
    port: portFlag("admin-port", values["admin-port"]),
    isOff: values["no-admin"] === true,
    takesOver: predecessor !== undefined,
    trafficPort: flags.port,
  });
  // The only server must stay in rotation. Its ejection would last longer than a restart of the service.
  const upstream = { name: CONTENT_UPSTREAM, servers: [{ unix: socket, max_fails: MOST_FAILS }] };
  const parts = (): OwnParts => ({ ...admin.parts, upstream, listings });
  const read = (): Promise<ReadConfig> => readConfig({ ...source, flags, parts, strict: values.strict });
  const opened = await read();
  admin.startsWith(opened.document);
  const { config } = opened;
  warnOfDescriptors(config);
  const isRemote = remoteBrowserOf(config.content.browser, process.env) !== undefined;
  const allowPrivate = values["allow-private"] === true || config.content.allow_private;
  // Installed before the start creates anything that a signal would leave behind.
  const stopped = stopSignal();
  const { gateway, service, browser, room } = await finishStart(stopped, () =>
    startBoth({ opened, admin, read, predecessor }, { socket, stateDir, allowPrivate, config: config.content }),
  );
  // Installed before the banner is printed: a signal may follow at once.
  heedSignals(gateway);
  printLines(contentLines(gateway, browser, isRemote));
  await serveUntilStopped(gateway, stopped, predecessor);
  admin.close();
  await service.close();
  room.close();
  return 0;
}

function socketIn(stateDir: string): string {
  const socket = contentSocket(stateDir);
  if (Buffer.byteLength(socket) <= MAX_SOCKET_BYTES) return socket;
  throw new StartError(`Cannot make the socket "${socket}": its path is too long; name a shorter --state-dir`);
}

/**
 * The named configuration, else the one that was persisted in the state folder, else the shipped one. The shipped file is
 * part of the package and never written: changes are persisted in the state folder.
 */
function sourceOf(named: string | undefined, stateDir: string): Pick<ConfigSource, "path" | "writesTo"> {
  if (named !== undefined) return { path: named };
  const own = join(stateDir, "turnpike.json");
  return { path: existsSync(own) ? own : SHIPPED, writesTo: own };
}

interface Started {
  readonly gateway: AdministeredGateway;
  readonly service: ContentProcess;
  readonly browser: BrowserInfo | undefined;
  readonly room: WaitingRoom;
}

/** The input of a start. `read` reads the configuration again, for a start on other ports. */
interface Given {
  readonly opened: ReadConfig;
  readonly admin: OwnAdmin;
  readonly read: () => Promise<ReadConfig>;
  readonly predecessor: Predecessor | undefined;
}

/** Starts the gateway first, because it fails fast, then the service. Stops both if one fails. Throws StartError. */
async function startBoth(
  { opened, admin, read, predecessor }: Given,
  options: Omit<ContentProcessOptions, "mcp" | "templates">,
): Promise<Started> {
  const { config } = opened;
  const storePath = join(config.state_path === "" ? options.stateDir : config.state_path, "turnpike.db");
  const takesOver = await predecessor?.ask(config);
  const room = new WaitingRoom(options.socket);
  room.open();
  let service: ContentProcess | undefined;
  const serving = {
    storePath,
    isSingle: true,
    reusePort: false,
    takesOver,
    contentUpstream: CONTENT_UPSTREAM,
    contentSocket: options.socket,
    otherMetrics: () => service?.metrics() ?? "",
    log: sayLog,
    onAdminMoved: (url: string | undefined) => admin.moved(url),
  } as const;
  const startOn = async (reading: ReadConfig): Promise<AdministeredGateway> =>
    await startAdministered(reading, serving);
  const gateway = await startOn(opened)
    .catch(async (error: unknown) => {
      if (!(await admin.move())) throw error;
      return await startOn(await read());
    })
    .catch((error: unknown) => {
      room.close();
      throw new StartError(messageOf(error), { cause: error });
    });
  try {
    // Printed before the service starts: unpacking its browser takes seconds, and the gateway already serves.
    printLines([...gatewayLines(gateway, config, options), ...admin.listens(gateway.adminUrl)]);
    const mcp = mcpEndpoint(config, gateway.listeners);
    const store = openConfiguredTemplates(config.postgres);
    const templates = store && new SharedTemplates(store, (text) => sayWarning(stamped(text)));
    const started = await ContentProcess.start({ ...options, mcp, templates }, room);
    service = started.service;
    return { gateway, room, ...started };
  } catch (error) {
    await gateway.close(0);
    admin.close();
    room.close();
    throw error;
  }
}

type Line = readonly [name: string, text: string];

function printLines(lines: readonly Line[]): void {
  console.log(lines.map(([name, text]) => `${name.padEnd(10)}${text}`).join("\n"));
}

/** The path of the configuration, and the path that changes are persisted in, if it differs. */
function configText({ path, writesTo }: LiveConfig["file"]): string {
  return path === writesTo ? (path ?? "") : `${path} (shipped; changes are persisted in ${writesTo})`;
}

type ContentPaths = Pick<ContentProcessOptions, "socket" | "stateDir" | "allowPrivate">;

function gatewayLines(
  { listeners, config: running }: AdministeredGateway,
  config: Config,
  { socket, stateDir, allowPrivate }: ContentPaths,
): Line[] {
  return [
    ...listeners.map((listener) => ["gateway", urlOf(listener)] as const),
    ["content", `unix:${socket}`],
    ["state", stateDir],
    ["config", configText(running.file)],
    ["payments", paymentsText(config)],
    ...(allowPrivate ? [["pages", "private and loopback addresses may be read (--allow-private)"] as const] : []),
  ];
}

function contentLines(
  { listeners: [first] }: AdministeredGateway,
  browser: BrowserInfo | undefined,
  isRemote: boolean,
): Line[] {
  const url = first === undefined ? "" : urlOf(first);
  const elsewhere = url === "http://127.0.0.1:8080" ? "" : ` --gateway ${url}`;
  return [
    ["browser", browserText(browser, isRemote)],
    ["try", `${commandName()} call read https://example.com/${elsewhere}`],
  ];
}

function browserText(browser: BrowserInfo | undefined, isRemote: boolean): string {
  if (browser === undefined && isRemote) return "remote, not connected; pages that need it fail until it is";
  if (browser === undefined) return "none; pages that need one fail";
  const sandbox = browser.sandboxed ? "sandboxed" : "without its sandbox";
  return `${browser.name} ${browser.version} (${browser.source}, ${sandbox})`;
}

function paymentsText({ x402 }: Config): string {
  if (!x402.enabled) return "off";
  if (x402.test_mode) return "embedded facilitator in test mode: signatures are checked, no money moves";
  if (x402.embedded.enabled) {
    return `settled by this gateway's own key on ${x402.chains.map(({ network }) => network).join(", ")}`;
  }
  return "through the configured facilitator";
}
