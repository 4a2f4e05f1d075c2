import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Subprocess } from "bun";
import { type BrowserInfo } from "../content/browser/pool.ts";
import { childEnvironment } from "../lib/child-environment.ts";
import { codeOf } from "../lib/caught.ts";
import { isAlive } from "../lib/is-alive.ts";
import { type ContentReport } from "./content.ts";
import { type McpPlace } from "./mcp-place.ts";
import { sayError, sayWarning } from "./terminal.ts";
import { type WaitingRoom } from "./waiting-room.ts";
import { StartError } from "./start-error.ts";

export interface ContentProcessOptions {
  readonly socket: string;
  readonly stateDir: string;
  readonly browserPath: string;
  readonly allowPrivate: boolean;
  readonly chargeTimeouts: boolean;
  /** Environment variables that it needs, beyond those of the system. */
  readonly variables: readonly string[];
  /** What the configuration has in `content.search`, as JSON. */
  readonly search: string;
  /** What it has in `content.resolve`, as JSON. */
  readonly resolve: string;
  /** Undefined: it serves no MCP. */
  readonly mcp: McpPlace | undefined;
}

/** Ends the path of a service's socket until the service is ready. */
export const STARTING = ".next";

/** Milliseconds until a content service that ended is started again, doubled each time in a row up to the most. */
const RESTART_MS = 200;
const MAX_RESTART_MS = 10_000;
/** Milliseconds that a service has to stop by itself. */
const CLOSE_MS = 5000;
/** A service that ran this long, in milliseconds, did start. */
const SETTLED_MS = 10_000;

/** The content service in a process of its own: started again when it ends by itself. */
export class ContentProcess {
  readonly #options: ContentProcessOptions;
  readonly #room: WaitingRoom;
  #child: Subprocess | undefined;
  #closing = false;
  #restartMs = RESTART_MS;

  private constructor(options: ContentProcessOptions, room: WaitingRoom) {
    this.#options = options;
    this.#room = room;
  }

  /** Resolves when the service listens. Throws StartError where it cannot start. */
  static async start(
    options: ContentProcessOptions,
    room: WaitingRoom,
  ): Promise<{ service: ContentProcess; browser: BrowserInfo | undefined }> {
    const service = new ContentProcess(options, room);
    const report = await service.#spawn();
    if (report.kind === "failed") {
      service.#closing = true;
      throw new StartError(report.reason);
    }
    return { service, browser: report.browser };
  }

  async close(): Promise<void> {
    this.#closing = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // It stops when nobody listens to it any more; a signal it leaves to its parent.
    child.disconnect();
    const kill = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
    await child.exited;
    clearTimeout(kill);
  }

  async #spawn(): Promise<ContentReport> {
    const {
      socket,
      stateDir,
      browserPath,
      allowPrivate,
      chargeTimeouts,
      search,
      resolve: resolving,
      mcp,
    } = this.#options;
    const path = `${socket}${STARTING}`;
    const args = ["content", "--socket", path, "--state-dir", stateDir, "--browser-path", browserPath];
    args.push("--search", search, "--resolve", resolving);
    if (allowPrivate) args.push("--allow-private");
    if (chargeTimeouts) args.push("--charge-timeouts");
    if (mcp !== undefined) args.push("--gateway", mcp.gatewayUrl, ...mcp.hosts.flatMap((host) => ["--mcp-host", host]));
    const { promise, resolve } = Promise.withResolvers<ContentReport>();
    const bornAt = performance.now();
    this.#child = Bun.spawn([process.execPath, Bun.main, ...args], {
      stdio: ["ignore", "ignore", "inherit"],
      env: childEnvironment(this.#options.variables),
      ipc: (message: ContentReport) => resolve(message),
      onExit: () => {
        resolve({ kind: "failed", reason: "Cannot start the content service: its process ended" });
        if (performance.now() - bornAt > SETTLED_MS) this.#restartMs = RESTART_MS;
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
    sayWarning(`the content service ended; starting it again in ${wait} ms`);
    setTimeout(() => {
      if (!this.#closing) void this.#again();
    }, wait);
  }

  async #again(): Promise<void> {
    const report = await this.#spawn();
    if (report.kind === "failed") sayError(report.reason);
  }
}

/** A socket path for this process below the state folder; those of processes that are gone are removed. Throws StartError. */
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
