import { type Config } from "../../gateway/config/config.ts";
import { type ConfigFlags, withFlags } from "../../gateway/config/flags.ts";
import { loadValue } from "../../gateway/config/load.ts";
import { descriptorWarning } from "../../gateway/process/connections/descriptor-limit.ts";
import { type AdministeredGateway } from "../../gateway/process/administered-gateway.ts";
import { startAdministered } from "../../gateway/process/start-administered.ts";
import { urlOf } from "../../gateway/process/listeners/listener-plan.ts";
import { quicPlansOf } from "../../gateway/process/listeners/quic-listeners.ts";
import { defaultStorePath } from "../../gateway/process/gateway/store-path.ts";
import { messageOf } from "../../lib/caught.ts";
import { atBoundary } from "../common/boundary.ts";
import { type ReadConfig, readConfig } from "../common/configuration.ts";
import { commandName } from "../../lib/files/one-file.ts";
import { runDetached } from "./detach.ts";
import { flagsText, readFlags } from "../common/flags.ts";
import { GATEWAY_FLAGS } from "./gateway-flags.ts";
import { rotation } from "./held-signals.ts";
import { reloadOnHangup } from "./reload.ts";
import { StartError } from "../common/start-error.ts";
import { type Predecessor, serveUntilStopped, takeOverFlag } from "./take-over.ts";
import { finishStart, stopSignal } from "../common/stop-signal.ts";
import { sayLog, sayWarning } from "../common/terminal.ts";
import { MAX_PORT } from "../../lib/net/port.ts";
import { UsageError } from "../common/usage-error.ts";

const USAGE = `usage: turnpike [--config FILE] [--address A] [--port N] [--workers N] [--static-root DIR] [--cert FILE --key FILE] [--strict] [--take-over PID [--detach]]

Runs the gateway alone.

${flagsText(GATEWAY_FLAGS)}`;

function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new StartError(`Cannot use --${name} "${value}": it is not a whole number`);
  return Number(value);
}

/** The port of a flag; undefined if the flag is absent. Throws StartError if the value is not a port. */
export function portFlag(name: string, value: string | undefined): number | undefined {
  const port = wholeNumber(name, value);
  if (port !== undefined && port > MAX_PORT)
    throw new StartError(`Cannot use --${name} ${port}: it is not a port number`);
  return port;
}

const FLAG_OF: Readonly<Record<string, string>> = {
  "server.workers": "workers",
  "server.address": "address",
  "server.port": "port",
  "server.static_root": "static-root",
  "tls.cert_path": "cert",
  "tls.key_path": "key",
};

/** Turns parsed command-line values into configuration flags. Throws StartError if one has a value that its key may not have. */
export function configFlags(values: Readonly<Record<string, string | boolean | undefined>>): ConfigFlags {
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const flags: ConfigFlags = {
    workers: wholeNumber("workers", text("workers")),
    address: text("address"),
    port: wholeNumber("port", text("port")),
    staticRoot: text("static-root"),
    cert: text("cert"),
    key: text("key"),
  };
  // Alone, so that the error names the flag and no line of the file.
  const { problems } = loadValue(withFlags({}, flags));
  for (const { path, message } of problems) {
    const name = FLAG_OF[path];
    if (name !== undefined && text(name) !== undefined) {
      throw new StartError(`Cannot use --${name} "${text(name)}": ${message}`);
    }
  }
  return flags;
}

/**
 * `turnpike [--config FILE]`: runs the gateway until a signal stops it. SIGHUP reads the file again; SIGUSR1 reopens the
 * logs. Returns the exit code.
 */
export function runGateway(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, () => run(args));
}

async function run(args: readonly string[]): Promise<number> {
  const values = readFlags(args, GATEWAY_FLAGS);
  if (values.detach === true) {
    if (values["take-over"] === undefined) throw new UsageError("--detach needs --take-over");
    return await runDetached();
  }
  const { gateway, stopped, predecessor } = await startBy(values);
  await serveUntilStopped(gateway, stopped, predecessor);
  return 0;
}

type Flags = ReturnType<typeof readFlags<typeof GATEWAY_FLAGS>>;

interface Started {
  readonly gateway: AdministeredGateway;
  readonly stopped: Promise<void>;
  readonly predecessor: Predecessor | undefined;
}

/** Apart from `run`, which would keep the configuration at the start in memory as long as it waits. */
async function startBy(values: Flags): Promise<Started> {
  const path = values.config;
  const flags = configFlags(values);
  const opened = await readConfig({ path, flags, strict: values.strict });
  const { config } = opened;
  warnOfDescriptors(config);
  const predecessor = takeOverFlag(values["take-over"]);
  // Installed before the start creates anything that a signal would leave behind.
  const stopped = stopSignal();
  const gateway = await finishStart(stopped, () => start(opened, predecessor));
  // Installed before the banner shows the address: an operator's script may send a signal at once.
  heedSignals(gateway);
  for (const listener of gateway.listeners) console.log(`listening on ${urlOf(listener)}`);
  for (const { address, port } of quicPlansOf(config, gateway.listeners)) {
    // A port of HTTP/3 alone that the kernel chose is not known here. Clients learn it from Alt-Svc.
    if (port !== 0) console.log(`listening on ${urlOf({ address, port, scheme: "https" })} by HTTP/3`);
  }
  if (gateway.adminUrl !== undefined) console.log(`admin interface on ${gateway.adminUrl}`);
  if (config.routes.length === 0 && config.server.static_root === "") {
    const init = `Make a configuration by ${commandName()} init, then name it by --config`;
    const add = `Add one by ${commandName()} routes add`;
    console.log(`no routes: every request gets 404. ${gateway.adminUrl === undefined ? init : add}`);
  }
  return { gateway, stopped, predecessor };
}

/** SIGHUP and SIGUSR1. Outside the functions that start, which refer to the configuration at the start. */
export function heedSignals(gateway: AdministeredGateway): void {
  reloadOnHangup(gateway);
  rotation.heed(() => void gateway.reopenLogs());
}

/** Prints a warning if the system's limit of file descriptors is too low for `config`. */
export function warnOfDescriptors(config: Config): void {
  const warning = descriptorWarning(config);
  if (warning !== "") sayWarning(warning);
}

async function start(opened: ReadConfig, predecessor: Predecessor | undefined): Promise<AdministeredGateway> {
  const storePath = defaultStorePath(opened.config, opened.source.path);
  try {
    return await startAdministered(opened, {
      storePath,
      reusePort: false,
      takesOver: await predecessor?.ask(opened.config),
      log: sayLog,
    });
  } catch (error) {
    throw new StartError(messageOf(error), { cause: error });
  }
}
