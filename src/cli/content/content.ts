import { type BrowserInfo } from "../../content/browser/program/browser-opener.ts";
import { type ContentOptions } from "../../content/content-options.ts";
import { type ModelFigures } from "../../content/figures/model-figures.ts";
import { type ContentAddress, type Protection } from "../../content/listen.ts";
import { AI_USES, type AiUse } from "../../content/page/ai-terms.ts";
import { BEARER_TOKEN } from "../../lib/http/authorization.ts";
import { MAX_PORT } from "../../lib/net/port.ts";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { type LearnedTemplate } from "../../store/template-store.ts";
import { readSecret } from "../../payments/facilitator/secrets.ts";
import { MAX_UNIX_PATH_BYTES } from "../../gateway/config/schema/kinds.ts";
import { atBoundary } from "../common/boundary.ts";
import { parseEndpoint, variableName } from "../facilitator/facilitator-options.ts";
import { flagsText, flagTable, readFlags } from "../common/flags.ts";
import { configuredOptions } from "./configured-options.ts";
import { StartError } from "../common/start-error.ts";
import { serviceLog } from "../common/service-log.ts";
import { stateFolder } from "../common/state-folder.ts";
import { stopSignal } from "../common/stop-signal.ts";
import { UsageError } from "../common/usage-error.ts";

/** The port without a flag. */
const PORT = "8081";
/** Characters of the shortest token that is accepted. */
const MIN_TOKEN_LENGTH = 16;
/** Seconds for which a service on a network address still listens after the signal to stop. */
const DRAIN_DELAY_S = 5;

const FLAGS = flagTable({
  "socket PATH": "listen on this Unix socket",
  "port N": `listen on this port of 127.0.0.1 (${PORT})`,
  "listen HOST:PORT": "listen on this address, for gateways on other machines",
  "token-env NAME": "the environment variable with the token",
  "token-file FILE": "the file with the token",
  "tls-cert FILE": "the certificate of --listen",
  "tls-key FILE": "its private key",
  plaintext: "without TLS, if another layer encrypts",
  "drain-delay SECONDS": `time after SIGTERM for which the service still listens (${DRAIN_DELAY_S} with --listen, else 0)`,
  "state-dir DIR": "state folder of turnpike start (default $TURNPIKE_HOME, else ~/.turnpike)",
  "browser-path PROGRAM": "the browser program",
  "allow-private": "allow pages on private and loopback addresses",
  "charge-timeouts":
    "mark failures of pages that used up their own time; only the gateway of turnpike start charges for them",
  "no-discovery": "do not serve /llms.txt, and MCP's server card and catalogue",
  firecrawl: "serve the API of Firecrawl too, at /v2 and /v1",
  "browser JSON": { default: "{}", text: "the object content.browser of a configuration, for a remote browser" },
  "browsers JSON": {
    default: "{}",
    text: "the object content.browsers of a configuration, for browsers by the minute",
  },
  "ai-use USE...": `refuse pages whose site denies this use (${AI_USES.join(", ")})`,
  "proxies JSON": { default: "[]", text: "the list content.proxies of a configuration" },
  "page-cache JSON": { default: "{}", text: "the object content.page_cache of a configuration" },
  "files JSON": { default: "{}", text: "the object content.files of a configuration" },
  "jobs JSON": { default: "{}", text: "the object content.jobs of a configuration" },
  "search JSON": { default: "{}", text: "the object content.search of a configuration" },
  "resolve JSON": { default: "{}", text: "the object content.resolve of a configuration" },
  "gateway URL":
    "show the prices of this gateway, and serve MCP at /mcp by calls to it; it must sell the operations at their own paths",
  "mcp-host NAME...": 'a host by which browsers may call /mcp; "*" allows every host, for requests without an Origin',
});

const USAGE = `usage: turnpike content [--socket PATH | --port N | --listen HOST:PORT] [--state-dir DIR] [--browser-path PROGRAM] [--allow-private]
                        [--token-env NAME | --token-file FILE] [--tls-cert FILE --tls-key FILE | --plaintext]
                        [--drain-delay SECONDS] [--charge-timeouts] [--firecrawl] [--no-discovery] [--browser JSON] [--browsers JSON]
                        [--ai-use USE ...] [--proxies JSON] [--page-cache JSON] [--files JSON]
                        [--jobs JSON] [--search JSON] [--resolve JSON] [--gateway URL [--mcp-host NAME ...]]

Runs the content service alone, on a Unix socket or on a port of 127.0.0.1, for a gateway of your own. It takes no payment.
With --listen, gateways on other machines can use it. This requires a token, which they send as Authorization: Bearer (token_env of their
upstream), and TLS; --plaintext replaces TLS if another layer encrypts. SIGTERM drains it: /ready responds with 503, the service listens
for --drain-delay seconds more, and then ends after its last request.

${flagsText(FLAGS)}`;

function aiUseOf(name: string): AiUse {
  const use = AI_USES.find((known) => known === name);
  if (use === undefined) throw new UsageError(`--ai-use "${name}" is not one of ${AI_USES.join(", ")}`);
  return use;
}

/** The first message that the service sends to its parent process. */
export type ContentReport =
  | { readonly kind: "ready"; readonly address: ContentAddress; readonly browser: BrowserInfo | undefined }
  | { readonly kind: "failed"; readonly reason: string };

/** The message about each use of the language model. */
export interface ModelReport {
  readonly kind: "model";
  readonly figures: ModelFigures;
}

/** The message about what the service has learned of a template of pages. */
export interface TemplateReport {
  readonly kind: "template";
  readonly template: LearnedTemplate;
}

/** `turnpike content`: runs the content service until a signal stops it. Returns the exit code. */
export function content(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, () => run(args));
}

async function run(args: readonly string[]): Promise<number> {
  const values = readFlags(args, FLAGS);
  const listen = endpointOf(values);
  const protection = protectionOf(values);
  const drainMs = drainMsOf(values);
  const browserPath = values["browser-path"];
  const gateway = values.gateway === undefined ? undefined : URL.parse(values.gateway);
  if (gateway === null || (gateway !== undefined && !/^https?:$/.test(gateway.protocol))) {
    throw new UsageError("--gateway takes an http or https URL");
  }
  // Listens from the beginning. Otherwise the service would miss a parent that ends while the browser starts.
  const gone = process.send === undefined ? undefined : parentGone();
  const log = serviceLog();
  try {
    const options: ContentOptions = {
      listen,
      protection,
      stateDir: stateFolder(values["state-dir"]),
      allowPrivate: values["allow-private"] === true,
      chargeTimeouts: values["charge-timeouts"] === true,
      firecrawl: values.firecrawl === true,
      discovery: values["no-discovery"] !== true,
      aiUses: (values["ai-use"] ?? []).map(aiUseOf),
      ...configuredOptions(values, process.env),
      mcp:
        gateway === undefined
          ? undefined
          : { gatewayUrl: gateway.href.replace(/\/+$/, ""), hosts: values["mcp-host"] ?? [] },
      onModelUsed: (figures) => report({ kind: "model", figures }),
      onCompared: (template) => report({ kind: "template", template }),
      log: (level, message) => log(`content: ${level}: ${message}`),
      ...(browserPath === undefined || browserPath === "" ? {} : { browserPath }),
    };
    // Loading it takes four fifths of the CPU time until here.
    const { startContentService } = await import("../../content/service.ts");
    const service = await startContentService(options);
    const { address, browser } = service;
    // Installed before the service reports that it is ready: a signal may follow at once.
    const stopped = gone ?? stopSignal();
    if (gone === undefined) console.log(`listening on ${addressText(address, protection.tls !== undefined)}`);
    else {
      // The parent sends only what other services of the fleet have learned.
      process.on("message", (templates: readonly LearnedTemplate[]) => service.learn(templates));
      report({ kind: "ready", address, browser });
    }
    await stopped;
    if (gone === undefined) await service.drain(drainMs);
    await service.close();
    return 0;
  } catch (error) {
    if (gone === undefined) throw error;
    report({ kind: "failed", reason: messageOf(error) });
    return 1;
  }
}

type Values = ReturnType<typeof readFlags<typeof FLAGS>>;

function endpointOf({ socket, port, listen }: Values): ContentAddress {
  if ([socket, port, listen].filter((value) => value !== undefined).length > 1) {
    throw new UsageError("--socket, --port and --listen exclude each other");
  }
  if (socket !== undefined) {
    if (Buffer.byteLength(socket) <= MAX_UNIX_PATH_BYTES) return { unix: socket };
    throw new UsageError(`--socket "${socket}" is longer than ${MAX_UNIX_PATH_BYTES} bytes`);
  }
  if (listen !== undefined) {
    const endpoint = parseEndpoint(listen);
    if ("unix" in endpoint) throw new UsageError("--listen takes HOST:PORT; a Unix socket is named with --socket");
    return endpoint;
  }
  if (!/^\d{1,5}$/.test(port ?? PORT) || Number(port) > MAX_PORT)
    throw new UsageError(`--port "${port}" is not a port number`);
  return { hostname: "127.0.0.1", port: Number(port ?? PORT) };
}

function protectionOf(values: Values): Protection {
  const { "tls-cert": cert, "tls-key": key, plaintext: allowPlaintext = false } = values;
  if ((cert === undefined) !== (key === undefined)) throw new UsageError("--tls-cert and --tls-key require each other");
  if (cert !== undefined && allowPlaintext) throw new UsageError("--plaintext excludes --tls-cert");
  const tls = cert === undefined || key === undefined ? undefined : readPair(cert, key);
  return { token: tokenOf(values), tls, allowPlaintext };
}

/** Throws StartError, never with the token. */
function tokenOf({ "token-env": variable, "token-file": file }: Values): string | undefined {
  if (variable !== undefined && file !== undefined)
    throw new UsageError("--token-env and --token-file exclude each other");
  if (variable === undefined && file === undefined) return undefined;
  const flag = variable === undefined ? "--token-file" : "--token-env";
  const token =
    variable === undefined
      ? readText(file ?? "", flag).trim()
      : readSecret(process.env, variableName(flag, variable), flag);
  if (BEARER_TOKEN.test(token) && token.length >= MIN_TOKEN_LENGTH) return token;
  throw new StartError(
    `Cannot use ${flag}: a token has at least ${MIN_TOKEN_LENGTH} characters (letters, digits, and - . _ ~ + /); make one with: openssl rand -hex 32`,
  );
}

function readPair(certPath: string, keyPath: string): { cert: string; key: string } {
  const cert = readText(certPath, "--tls-cert");
  const key = readText(keyPath, "--tls-key");
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new StartError(`Cannot use --tls-cert "${certPath}" with --tls-key "${keyPath}": ${messageOf(error)}`);
  }
  return { cert, key };
}

function readText(path: string, flag: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartError(`Cannot read ${flag} "${path}" (${codeOf(error) ?? "unknown"})`);
  }
}

function drainMsOf({ "drain-delay": text, listen }: Values): number {
  if (text === undefined) return listen === undefined ? 0 : DRAIN_DELAY_S * 1000;
  if (/^\d{1,3}$/.test(text)) return Number(text) * 1000;
  throw new UsageError(`--drain-delay "${text}" is not a number of seconds from 0 to 999`);
}

function report(message: ContentReport | ModelReport | TemplateReport): void {
  if (process.connected) process.send?.(message);
}

function addressText(address: ContentAddress, isTls: boolean): string {
  return "unix" in address
    ? `unix:${address.unix}`
    : `${isTls ? "https" : "http"}://${address.hostname}:${address.port}`;
}

/** Resolves when the parent process closes the IPC channel or ends. */
async function parentGone(): Promise<void> {
  // Terminals and service managers signal the whole process group, but the gateway needs this process until it has drained.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  await new Promise<void>((resolve) => process.once("disconnect", () => resolve()));
}
