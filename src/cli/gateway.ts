import { type ConfigFlags, applyFlags } from "../gateway/config/flags.ts";
import { type Config } from "../gateway/config/config.ts";
import { findingText } from "../gateway/config/finding.ts";
import { loadFile, loadValue, type Prepare } from "../gateway/config/load.ts";
import { descriptorWarning } from "../gateway/process/descriptor-limit.ts";
import { type Gateway, startGateway } from "../gateway/process/gateway.ts";
import { urlOf } from "../gateway/process/listener-plan.ts";
import { quicPlansOf } from "../gateway/process/quic-listeners.ts";
import { defaultStorePath } from "../gateway/process/store-path.ts";
import { superviseGateway } from "../gateway/process/supervisor.ts";
import { messageOf } from "../lib/caught.ts";
import { HELP, readFlags } from "./flags.ts";
import { FLAGS_TEXT } from "./gateway-flags.ts";
import { hangup, rotation } from "./held-signals.ts";
import { reloadOnHangup } from "./reload.ts";
import { StartError } from "./start-error.ts";
import { finishStart, stopSignal } from "./stop-signal.ts";

const USAGE = `usage: turnpike [--config FILE] [--address A] [--port N] [--workers N] [--static-root DIR] [--cert FILE --key FILE]

Runs the gateway alone.

${FLAGS_TEXT}`;

/** Milliseconds that requests in flight have to end when the gateway is told to stop. */
export const DRAIN_MS = 30_000;

/** The same flags, as parseArgs wants them. */
const FLAGS = {
  config: { type: "string" },
  address: { type: "string" },
  port: { type: "string" },
  workers: { type: "string" },
  "static-root": { type: "string" },
  cert: { type: "string" },
  key: { type: "string" },
  help: HELP,
} as const;

function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,7}$/.test(value)) throw new StartError(`Cannot use --${name} "${value}": it is not a whole number`);
  return Number(value);
}

/** Turns parsed command-line values into configuration flags. Throws StartError on values that are no numbers. */
export function configFlags(values: Readonly<Record<string, string | boolean | undefined>>): ConfigFlags {
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    workers: wholeNumber("workers", text("workers")),
    address: text("address"),
    port: wholeNumber("port", text("port")),
    staticRoot: text("static-root"),
    cert: text("cert"),
    key: text("key"),
  };
}

/**
 * Loads a configuration file, defaults where there is none, applies flags, prints warnings. Throws StartError naming every
 * problem.
 */
export async function readConfig(path: string | undefined, flags: ConfigFlags, prepare?: Prepare): Promise<Config> {
  const name = path ?? "defaults";
  const first = path === undefined ? loadValue({}) : await loadFile(path, prepare);
  const second = first.config === undefined ? first : applyFlags(first.config, flags);
  for (const warning of new Set([...first.warnings, ...second.warnings].map(findingText))) {
    console.error(`${name}: warning: ${warning}`);
  }
  if (second.config === undefined) {
    throw new StartError(second.problems.map((problem) => `${name}: ${findingText(problem)}`).join("\n"));
  }
  return second.config;
}

const NO_FILE = "Cannot reload: there is no configuration file (--config)";

/** `turnpike [--config FILE]`: runs the gateway until it is told to stop; SIGHUP reads the file again, SIGUSR1 opens the logs again. Returns the exit code. */
export async function runGateway(args: readonly string[]): Promise<number> {
  const values = readFlags(args, FLAGS, USAGE);
  if (typeof values === "number") return values;
  const path = values.config;
  const flags = configFlags(values);
  const config = await readConfig(path, flags);
  warnOfDescriptors(config);
  // Before there is anything that would be left behind.
  const stopped = stopSignal();
  const gateway = await finishStart(stopped, () => start(config, path));
  // Before anybody is told that it listens: an operator's script may send a signal at once.
  if (path === undefined) hangup.heed(() => console.error(NO_FILE));
  else reloadOnHangup({ gateway, config, path, read: () => readConfig(path, flags) });
  rotation.heed(() => void gateway.reopenLogs());
  for (const listener of gateway.listeners) console.log(`listening on ${urlOf(listener)}`);
  for (const { address, port } of quicPlansOf(config, gateway.listeners)) {
    // A port that the kernel chose for HTTP/3 alone is in Alt-Svc.
    if (port !== 0) console.log(`listening on ${urlOf({ address, port, scheme: "https" })} by HTTP/3`);
  }
  await stopped;
  await gateway.close(DRAIN_MS);
  return 0;
}

/** Says so where the system gives a process too few descriptors for `config`. */
export function warnOfDescriptors(config: Config): void {
  const warning = descriptorWarning(config);
  if (warning !== "") console.error(warning);
}

async function start(config: Config, path: string | undefined): Promise<Gateway> {
  const options = {
    config,
    storePath: defaultStorePath(config, path),
    reusePort: false,
    log: (message: string) => console.error(message),
  };
  try {
    return config.server.workers === 1 ? await startGateway(options) : await superviseGateway(options);
  } catch (error) {
    throw new StartError(messageOf(error), { cause: error });
  }
}
