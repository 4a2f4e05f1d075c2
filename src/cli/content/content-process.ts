import { stamped } from "../../lib/text/stamped.ts";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Subprocess } from "bun";
import { type BrowserInfo } from "../../content/browser/program/browser-opener.ts";
import { childEnvironment } from "../../lib/process/child-environment.ts";
import { codeOf } from "../../lib/caught.ts";
import { isAlive } from "../../lib/process/is-alive.ts";
import { type ModelFigures, modelMetrics } from "../../content/figures/model-figures.ts";
import { type ContentReport, type ModelReport, type TemplateReport } from "./content.ts";
import { type SharedTemplates } from "./shared-templates.ts";
import { type Config } from "../../gateway/config/config.ts";
import { type BrowserConfig } from "./browser-options.ts";
import { type McpEndpoint } from "./mcp-endpoint.ts";
import { sayError, sayWarning } from "../common/terminal.ts";
import { type WaitingRoom } from "./waiting-room.ts";
import { StartError } from "../common/start-error.ts";

/** The parts of the command line and the configuration that `turnpike start` passes to its content service. */
export interface ContentProcessOptions {
  readonly socket: string;
  readonly stateDir: string;
  readonly allowPrivate: boolean;
  readonly config: Config["content"];
  /** Undefined: the service does not serve MCP. */
  readonly mcp: McpEndpoint | undefined;
  /** Undefined: the service learns by itself. */
  readonly templates: SharedTemplates | undefined;
}

/** Parts of `content` that are passed as JSON, each by the flag of its name. */
const SECTIONS = ["page_cache", "jobs", "search", "resolve", "browsers", "files", "proxies"] as const;

/** Suffix of the socket's path until the service is ready. */
export const STARTING = ".next";

/** Milliseconds until an ended content service is started again. Doubles with each failure, up to the maximum. */
const RESTART_MS = 200;
const MAX_RESTART_MS = 10_000;
/** Milliseconds that a service has to stop before it is killed. */
const CLOSE_MS = 5000;
/** A service that has run this many milliseconds counts as started: the restart delay begins again at its minimum. */
const SETTLED_MS = 10_000;

/** Runs the content service in a process of its own, and restarts it when it ends unexpectedly. */
export class ContentProcess {
  readonly #options: ContentProcessOptions;
  readonly #room: WaitingRoom;
  readonly #clock: () => number;
  #child: Subprocess | undefined;
  #closing = false;
  #restartMs = RESTART_MS;
  #model: ModelFigures | undefined;

  private constructor(options: ContentProcessOptions, room: WaitingRoom, clock: () => number) {
    this.#options = options;
    this.#clock = clock;
    this.#room = room;
  }

  /** Resolves when the service listens. `clock` returns monotonic milliseconds. Throws StartError if the service cannot start. */
  static async start(
    options: ContentProcessOptions,
    room: WaitingRoom,
    clock: () => number = () => performance.now(),
  ): Promise<{ service: ContentProcess; browser: BrowserInfo | undefined }> {
    const service = new ContentProcess(options, room, clock);
    const report = await service.#spawn();
    if (report.kind === "failed") {
      service.#closing = true;
      throw new StartError(report.reason);
    }
    options.templates?.start((templates) => service.#child?.send(templates));
    return { service, browser: report.browser };
  }

  /** The metrics of the language model, as of its last use. Empty without one. */
  metrics(now = Date.now()): string {
    const model = this.#model;
    if (model === undefined) return "";
    const isToday = model.day === new Date(now).toISOString().slice(0, 10);
    return modelMetrics(isToday ? model : { ...model, tokens_of_day: 0 });
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#options.templates?.close();
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // The service ignores SIGTERM and stops when its parent closes the IPC channel.
    child.disconnect();
    const kill = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
    await child.exited;
    clearTimeout(kill);
  }

  async #spawn(): Promise<ContentReport> {
    const { socket, config } = this.#options;
    const path = `${socket}${STARTING}`;
    const { args: browserArgs, environment } = browserFlag(config.browser);
    const { promise, resolve } = Promise.withResolvers<ContentReport>();
    const bornAt = this.#clock();
    this.#child = Bun.spawn([process.execPath, Bun.main, ...argumentsOf(path, this.#options), ...browserArgs], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...childEnvironment(variablesOf(config)), ...environment },
      ipc: (message: ContentReport | ModelReport | TemplateReport) => {
        if (message.kind === "model") this.#model = message.figures;
        else if (message.kind === "template") this.#options.templates?.add(message.template);
        else resolve(message);
      },
      onExit: () => {
        resolve({ kind: "failed", reason: "Cannot start the content service: its process ended" });
        if (this.#clock() - bornAt > SETTLED_MS) this.#restartMs = RESTART_MS;
        if (!this.#closing) this.#room.open();
        this.#restart();
      },
    });
    const report = await promise;
    if (report.kind === "ready") this.#room.admit(path);
    return report;
  }

  #restart(): void {
    if (this.#closing) return;
    const wait = this.#restartMs;
    this.#restartMs = Math.min(wait * 2, MAX_RESTART_MS);
    sayWarning(stamped(`the content service ended; restarting it in ${wait} ms`));
    setTimeout(() => {
      if (!this.#closing) void this.#again();
    }, wait);
  }

  async #again(): Promise<void> {
    const report = await this.#spawn();
    if (report.kind === "failed") sayError(stamped(report.reason));
  }
}

/** The command line without the remote browser. */
function argumentsOf(path: string, { stateDir, allowPrivate, config, mcp }: ContentProcessOptions): string[] {
  const args = ["content", "--socket", path, "--state-dir", stateDir, "--browser-path", config.browser_path];
  for (const name of SECTIONS) args.push(`--${name.replace("_", "-")}`, JSON.stringify(config[name]));
  if (allowPrivate) args.push("--allow-private");
  args.push(...config.ai_uses.flatMap((use) => ["--ai-use", use]));
  if (config.charge_timeouts) args.push("--charge-timeouts");
  if (config.firecrawl) args.push("--firecrawl");
  if (!config.discovery) args.push("--no-discovery");
  if (mcp !== undefined) args.push("--gateway", mcp.gatewayUrl, ...mcp.hosts.flatMap((host) => ["--mcp-host", host]));
  return args;
}

/** Environment variables that the service needs, beyond those of the system. */
function variablesOf({ search, resolve, jobs, proxies }: Config["content"]): string[] {
  const names = [search.brave_key_env, resolve.model?.key_env ?? "", jobs.postgres.password_env];
  return [...names, ...proxies.map(({ url_env: name }) => name)].filter((name) => name !== "");
}

/** The variable in which the service gets the URL of its remote browser: other users can read command lines. */
const ENDPOINT_VARIABLE = "TURNPIKE_BROWSER_ENDPOINT";

function browserFlag(config: BrowserConfig): { args: string[]; environment: Record<string, string> } {
  const { endpoint, endpoint_env: variable, ...rest } = config;
  const url = variable === "" ? endpoint : (process.env[variable] ?? "");
  if (url === "") return { args: [], environment: {} };
  return {
    args: ["--browser", JSON.stringify({ ...rest, endpoint_env: ENDPOINT_VARIABLE })],
    environment: { [ENDPOINT_VARIABLE]: url },
  };
}

/** A socket path of this process in the state folder. Removes those of ended processes. Throws StartError. */
export function contentSocket(stateDir: string): string {
  const folder = join(stateDir, "run");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = codeOf(error) ?? "unknown";
    throw new StartError(
      `Cannot make the folder "${folder}" (${code}); remove what is there, or name another --state-dir`,
    );
  }
  for (const name of readdirSync(folder)) {
    const pid = /^content-(\d+)\.sock(?:\.\w+)?$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
  return join(folder, `content-${process.pid}.sock`);
}
