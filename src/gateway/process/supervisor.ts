import { cpus } from "node:os";
import { type Subprocess } from "bun";
import { type Config } from "../config/config.ts";
import { type BoundListener, type Gateway, type GatewayOptions } from "./gateway.ts";
import { type FromWorker, type ToWorker } from "./messages.ts";

/** A worker that dies younger than this, in milliseconds, died at once. */
const YOUNG_MS = 1000;
/** So many workers in a row that die at once stop the server: starting more would change nothing. */
const MAX_EARLY_DEATHS = 3;
const RESTART_MS = 100;

interface Worker {
  readonly process: Subprocess;
  readonly bornAt: number;
  /** Answers the message that was sent last. */
  reply: ((message: FromWorker) => void) | undefined;
}

/** Runs the gateway in worker processes that share its ports. Throws where the first of them cannot start. */
export async function superviseGateway(options: GatewayOptions): Promise<Gateway> {
  const supervisor = new Supervisor(options);
  await supervisor.start();
  return supervisor;
}

class Supervisor implements Gateway {
  listeners: readonly BoundListener[] = [];
  readonly connections = 0;
  readonly #options: GatewayOptions;
  readonly #workers = new Set<Worker>();
  #config: Config;
  #closing = false;
  #earlyDeaths = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#config = options.config;
  }

  async start(): Promise<void> {
    const { workers } = this.#config.server;
    const count = workers === 0 ? cpus().length : workers;
    this.listeners = await this.#spawn();
    // Where the kernel chose a port, the others must take the same one.
    this.#config = withPorts(this.#config, this.listeners);
    try {
      await Promise.all(Array.from({ length: count - 1 }, () => this.#spawn()));
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  async reload(config: Config): Promise<void> {
    const next = withPorts(config, this.listeners);
    await Promise.all([...this.#workers].map((worker) => this.#ask(worker, { kind: "reload", config: next })));
    this.#config = next;
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const workers = [...this.#workers];
    for (const { process } of workers) process.send({ kind: "close", graceMs } satisfies ToWorker);
    const kill = setTimeout(() => {
      for (const { process } of workers) process.kill("SIGKILL");
    }, graceMs + 2000);
    await Promise.all(workers.map(({ process }) => process.exited));
    clearTimeout(kill);
  }

  async #spawn(): Promise<readonly BoundListener[]> {
    const worker: Worker = {
      bornAt: performance.now(),
      reply: undefined,
      process: Bun.spawn([process.execPath, new URL("./worker.ts", import.meta.url).pathname], {
        stdio: ["ignore", "inherit", "inherit"],
        ipc: (message: FromWorker) => worker.reply?.(message),
        onExit: () => this.#died(worker),
      }),
    };
    this.#workers.add(worker);
    const { storePath } = this.#options;
    const answer = await this.#ask(worker, { kind: "start", config: this.#config, storePath }).catch(
      (error: unknown) => {
        this.#workers.delete(worker);
        worker.process.kill("SIGKILL");
        throw error;
      },
    );
    return answer.kind === "started" ? answer.listeners : [];
  }

  async #ask(worker: Worker, message: ToWorker): Promise<FromWorker> {
    const answer = await new Promise<FromWorker>((resolve) => {
      worker.reply = resolve;
      worker.process.send(message);
    });
    if (answer.kind === "failed") throw new Error(answer.reason);
    return answer;
  }

  #died(worker: Worker): void {
    worker.reply?.({ kind: "failed", reason: "Cannot start a worker: its process ended" });
    if (!this.#workers.delete(worker) || this.#closing) return;
    this.#earlyDeaths = performance.now() - worker.bornAt < YOUNG_MS ? this.#earlyDeaths + 1 : 0;
    if (this.#earlyDeaths >= MAX_EARLY_DEATHS) {
      this.#options.log(`Cannot go on: ${MAX_EARLY_DEATHS} workers in a row ended as soon as they had started`);
      process.exit(1);
    }
    this.#options.log(`worker ${worker.process.pid} ended; starting another`);
    setTimeout(
      () => {
        if (this.#closing) return;
        this.#spawn().catch((error: unknown) => {
          this.#options.log(`Cannot start a worker: ${error instanceof Error ? error.message : String(error)}`);
          process.exit(1);
        });
      },
      RESTART_MS * (this.#earlyDeaths + 1),
    );
  }
}

/** The configuration with the ports that are really bound. */
function withPorts(config: Config, bound: readonly BoundListener[]): Config {
  const { server } = config;
  if (server.listeners.length === 0) return { ...config, server: { ...server, port: bound[0]?.port ?? server.port } };
  const listeners = server.listeners.map((listener, i) => ({ ...listener, port: bound[i]?.port ?? listener.port }));
  return { ...config, server: { ...server, listeners } };
}
