import { join } from "node:path";
import { type BrowserInfo } from "../content/browser/pool.ts";
import { type Config } from "../gateway/config/config.ts";
import { type Gateway, startGateway } from "../gateway/process/gateway.ts";
import { urlOf } from "../gateway/process/listener-plan.ts";
import { messageOf } from "../lib/caught.ts";
import { HELP, readFlags } from "./flags.ts";
import { configFlags, DRAIN_MS, readConfig, warnOfDescriptors } from "./gateway.ts";
import { ContentProcess, type ContentProcessOptions, contentSocket } from "./content-process.ts";
import { readListings, withListings } from "./listed-routes.ts";
import { mcpPlace } from "./mcp-place.ts";
import { rotation } from "./held-signals.ts";
import { reloadOnHangup } from "./reload.ts";
import { StartError } from "./start-error.ts";
import { stateFolder } from "./state-folder.ts";
import { finishStart, stopSignal } from "./stop-signal.ts";

const USAGE = `usage: turnpike start [--port N] [--state-dir DIR] [--allow-private] [--config FILE]

Starts the gateway and, behind it, the content service.

  --port N          listen on this port (8080)
  --state-dir DIR   keep browser, ledger and socket here ($TURNPIKE_HOME, else ~/.turnpike)
  --allow-private   let pages on private and loopback addresses be read; for local trials
  --config FILE     in place of the shipped configuration; its upstream "content" is the content service`;

const FLAGS = {
  port: { type: "string" },
  "state-dir": { type: "string" },
  "allow-private": { type: "boolean" },
  config: { type: "string" },
  help: HELP,
} as const;

const SHIPPED = new URL("../../config/turnpike.json", import.meta.url).pathname;
/** The upstream that `turnpike start` points at the service it starts. */
const CONTENT_UPSTREAM = "content";
/** As many failures as a configuration may allow. */
const MOST_FAILS = 1_000_000;
/** The kernel's socket address holds no more. */
const MAX_SOCKET_BYTES = 103;

/** `turnpike start`: gateway and content service together. Returns the exit code. */
export async function start(args: readonly string[]): Promise<number> {
  const values = readFlags(args, FLAGS, USAGE);
  if (typeof values === "number") return values;
  const stateDir = stateFolder(values["state-dir"]);
  const socket = contentSocket(stateDir);
  if (Buffer.byteLength(socket) > MAX_SOCKET_BYTES) {
    throw new StartError(`Cannot make the socket "${socket}": its path is too long; name a shorter --state-dir`);
  }
  const path = values.config ?? SHIPPED;
  const flags = configFlags(values);
  const listings = await readListings();
  const prepare = (value: unknown): unknown => withListings(withContent(value, socket), CONTENT_UPSTREAM, listings);
  const read = (): Promise<Config> => readConfig(path, flags, prepare);
  const config = await read();
  warnOfDescriptors(config);
  const allowPrivate = values["allow-private"] === true || config.content.allow_private;
  // Before there is anything that would be left behind.
  const stopped = stopSignal();
  const { gateway, service, browser } = await finishStart(stopped, () =>
    startBoth(config, {
      socket,
      stateDir,
      browserPath: config.content.browser_path,
      allowPrivate,
      search: JSON.stringify(config.content.search),
    }),
  );
  // Before anybody is told that it is ready: a signal may come at once.
  reloadOnHangup({ gateway, config, path, read });
  rotation.heed(() => void gateway.reopenLogs());
  console.log(banner({ gateway, config, browser, stateDir, socket, allowPrivate }));
  await stopped;
  await gateway.close(DRAIN_MS);
  await service.close();
  return 0;
}

/** The configuration with its upstream named `content` served by `socket`; what is wrong with it is for the loader to say. */
function withContent(value: unknown, socket: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const upstreams: unknown = Reflect.get(value, "upstreams") ?? [];
  if (!Array.isArray(upstreams)) return value;
  const others: unknown[] = upstreams.filter((upstream: unknown) => nameOf(upstream) !== CONTENT_UPSTREAM);
  const own: unknown = upstreams.find((upstream: unknown) => nameOf(upstream) === CONTENT_UPSTREAM);
  // There is no other server: out of rotation after a restart, it would leave everybody without for longer than that takes.
  const server = { unix: socket, max_fails: MOST_FAILS };
  const content = { name: CONTENT_UPSTREAM, ...(typeof own === "object" ? own : {}), servers: [server] };
  return { ...value, upstreams: [...others, content] };
}

function nameOf(upstream: unknown): unknown {
  return typeof upstream === "object" && upstream !== null ? Reflect.get(upstream, "name") : undefined;
}

interface Started {
  readonly gateway: Gateway;
  readonly service: ContentProcess;
  readonly browser: BrowserInfo;
}

/** Starts the gateway, which fails fast, then the service; where that cannot, stops the gateway. Throws StartError. */
async function startBoth(config: Config, options: Omit<ContentProcessOptions, "mcp">): Promise<Started> {
  const storePath = join(config.state_path === "" ? options.stateDir : config.state_path, "turnpike.db");
  const gateway = await startGateway({ config, storePath, reusePort: false, log: logLine }).catch((error: unknown) => {
    throw new StartError(messageOf(error), { cause: error });
  });
  try {
    const mcp = mcpPlace(config, gateway.listeners);
    return { gateway, ...(await ContentProcess.start({ ...options, mcp })) };
  } catch (error) {
    await gateway.close(0);
    throw error;
  }
}

function logLine(message: string): void {
  console.error(message);
}

interface Facts {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly browser: BrowserInfo;
  readonly stateDir: string;
  readonly socket: string;
  readonly allowPrivate: boolean;
}

function banner({ gateway, config, browser, stateDir, socket, allowPrivate }: Facts): string {
  const [first] = gateway.listeners;
  const url = first === undefined ? "" : urlOf(first);
  const elsewhere = url === "http://127.0.0.1:8080" ? "" : ` --gateway ${url}`;
  const sandbox = browser.sandboxed ? "sandboxed" : "without its sandbox";
  const lines: (readonly [string, string])[] = [
    ...gateway.listeners.map((listener) => ["gateway", urlOf(listener)] as const),
    ["content", `unix:${socket}`],
    ["browser", `${browser.name} ${browser.version} (${browser.source}, ${sandbox})`],
    ["state", stateDir],
    ["payments", paymentsText(config)],
    ...(allowPrivate ? [["pages", "private and loopback addresses may be read (--allow-private)"] as const] : []),
    ["try", `npx turnpike call read https://example.com/${elsewhere}`],
  ];
  return lines.map(([name, text]) => `${name.padEnd(10)}${text}`).join("\n");
}

function paymentsText({ x402 }: Config): string {
  if (!x402.enabled) return "off";
  if (x402.test_mode) return "embedded facilitator in test mode: signatures are checked for real, nothing real moves";
  if (x402.embedded.enabled) {
    return `settled by this gateway's own key on ${x402.chains.map(({ network }) => network).join(", ")}`;
  }
  return "through the configured facilitator";
}
