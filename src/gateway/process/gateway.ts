import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../lib/caught.ts";
import { BufferPool, type BufferPoolLimits } from "../../lib/buffer-pool.ts";
import { TimerWheel } from "../../lib/timer-wheel.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { type Config } from "../config/config.ts";
import { flushCork } from "../wire/outgoing.ts";
import { Http1ServerConnection } from "../http1/server-connection.ts";
import { type ServerConnection, type ServerHost } from "../server-host.ts";
import { logRefused, serve } from "../pipeline.ts";
import { ANSWER_BOUNDS, Answers } from "../policy/payment/answers.ts";
import { listen, type Listener } from "../wire/tcp.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { compile, type Compiled, type ProcessDeps } from "./compile.ts";
import { LogFiles } from "./log-files.ts";
import { RefusedConnection } from "./refused-connection.ts";

export interface GatewayOptions {
  readonly config: Config;
  /** The SQLite file of ledger and usage, or `:memory:`. */
  readonly storePath: string;
  /** Other processes bind the same ports. */
  readonly reusePort: boolean;
  readonly log: (message: string) => void;
}

export interface BoundListener {
  readonly address: string;
  readonly port: number;
  readonly scheme: "http" | "https";
}

/** A gateway that serves, in this process. */
export interface Gateway {
  readonly listeners: readonly BoundListener[];
  readonly connections: number;
  /** Serves by `config` from now on; rejects, with the old one left running, where it cannot. Listeners stay as they are. */
  reload(config: Config): Promise<void>;
  /** Takes no more connections, lets what is in flight end within `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** Binds the configured listeners and serves. Throws, with nothing left bound, where that cannot be. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const gateway = new RunningGateway(options);
  await gateway.start(options.config);
  return gateway;
}

class RunningGateway implements Gateway {
  listeners: readonly BoundListener[] = [];
  readonly #options: GatewayOptions;
  readonly #wheel = new TimerWheel(undefined, (error) => this.#fault(error));
  readonly #logFiles = new LogFiles();
  readonly #buffers: BufferPool;
  readonly #open = new Set<ServerConnection>();
  #bound: Listener[] = [];
  #store: Store | undefined;
  #compiled: Compiled | undefined;
  #deps: ProcessDeps | undefined;
  #draining = false;
  #drained: (() => void) | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#buffers = new BufferPool(bufferLimits(options.config));
  }

  get connections(): number {
    return this.#open.size;
  }

  async start(config: Config): Promise<void> {
    try {
      const wanted = listenersOf(config);
      // Whoever connects is served at once, so all is ready before; a port that the kernel chooses is known only when bound.
      const early = wanted.some(({ port }) => port === 0);
      if (early) this.#bindAll(config, wanted);
      else this.listeners = wanted.map(placeOf);
      const [first] = this.listeners;
      this.#deps = {
        wheel: this.#wheel,
        buffers: this.#buffers,
        answers: new Answers(ANSWER_BOUNDS),
        logFiles: this.#logFiles,
        store: () => (this.#store ??= openStore(this.#options.storePath)),
        clock: Date.now,
        log: this.#options.log,
        onFault: (error) => this.#fault(error),
        baseUrl: first === undefined ? "" : urlOf(first),
        listeners: this.listeners,
      };
      this.#compiled = await compile(config, this.#deps);
      if (!early) this.#bindAll(config, wanted);
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  async reload(config: Config): Promise<void> {
    if (this.#deps === undefined) return;
    const next = await compile(config, this.#deps);
    const previous = this.#compiled;
    this.#compiled = next;
    this.#buffers.limits = bufferLimits(config);
    previous?.close();
  }

  async close(graceMs: number): Promise<void> {
    this.#draining = true;
    for (const listener of this.#bound.splice(0)) listener.stop();
    for (const connection of this.#open) connection.drain();
    if (this.#open.size > 0 && graceMs > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#drained = resolve;
      const timer = setTimeout(resolve, graceMs);
      await promise;
      clearTimeout(timer);
    }
    for (const connection of this.#open) connection.cutOff();
    this.#compiled?.close();
    this.#wheel.close();
    await this.#logFiles.close();
    await this.#store?.close();
  }

  #bindAll(config: Config, wanted: readonly WantedListener[]): void {
    this.listeners = wanted.map((listener) => this.#bind(config, listener));
  }

  #bind(config: Config, wanted: WantedListener): BoundListener {
    const { address, port, useTls } = wanted;
    const place = placeOf(wanted);
    const host = this.#hostFor(place.scheme);
    const listener = bindOrExplain({ address, port }, () =>
      listen({
        address,
        port,
        reusePort: this.#options.reusePort,
        ...(useTls ? { tls: readCertificate(config.tls.cert_path, config.tls.key_path) } : {}),
        accept: (wire) => this.#accept(wire, host),
        onFault: (error) => this.#fault(error),
      }),
    );
    this.#bound.push(listener);
    return { ...place, port: listener.port };
  }

  #hostFor(scheme: "http" | "https"): ServerHost {
    return {
      settings: () => this.#ready().settings,
      draining: () => this.#draining,
      wheel: this.#wheel,
      buffers: this.#buffers,
      scheme,
      handle: (exchange) => serve(this.#ready().pipeline, exchange),
      refused: (request) => logRefused(this.#ready().pipeline, request),
      closed: (connection) => this.#closed(connection),
    };
  }

  #ready(): Compiled {
    if (this.#compiled === undefined) throw new Error("Cannot serve: the gateway is not started");
    return this.#compiled;
  }

  #accept(wire: Wire, host: ServerHost): WireHandler {
    if (this.#open.size >= this.#ready().maxConnections || this.#draining)
      return new RefusedConnection(wire, this.#wheel);
    const connection = new Http1ServerConnection(wire, host);
    this.#open.add(connection);
    return connection;
  }

  #closed(connection: ServerConnection): void {
    this.#open.delete(connection);
    if (this.#open.size === 0) this.#drained?.();
  }

  #fault(error: unknown): void {
    // Whatever threw did not come to the end of its event.
    flushCork();
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#options.log(`fault: ${text}`);
  }
}

/** A request may have one buffer each way: a new one is taken on while two are free. */
function bufferLimits({ buffer_pool: pool }: Config): BufferPoolLimits {
  return { bufferSize: pool.buffer_size, bufferCount: pool.buffer_count, reserve: 2 };
}

interface WantedListener {
  readonly address: string;
  readonly port: number;
  readonly useTls: boolean;
}

function placeOf({ address, port, useTls }: WantedListener): BoundListener {
  return { address, port, scheme: useTls ? "https" : "http" };
}

/** Throws where somebody listens already on a configured place, even one who shares its ports. */
export function probeListeners(config: Config): void {
  const probe: WireHandler = { onData() {}, onDrain() {}, onEnd() {}, onClose() {} };
  for (const { address, port } of listenersOf(config)) {
    if (port === 0) continue;
    bindOrExplain({ address, port }, () =>
      listen({ address, port, reusePort: false, accept: () => probe, onFault() {} }),
    ).stop();
  }
}

function listenersOf({ server, tls }: Config): WantedListener[] {
  if (server.listeners.length === 0) {
    return [{ address: server.address, port: server.port, useTls: tls.cert_path !== "" }];
  }
  return server.listeners.map((listener) => ({
    address: listener.address,
    port: listener.port,
    useTls: listener.use_tls,
  }));
}

function readCertificate(certPath: string, keyPath: string): { cert: string; key: string } {
  try {
    return { cert: readFileSync(certPath, "utf8"), key: readFileSync(keyPath, "utf8") };
  } catch (error) {
    const message = messageOf(error);
    throw new Error(`Cannot read the certificate: ${message}`, { cause: error });
  }
}

function bindOrExplain(where: { address: string; port: number }, bind: () => Listener): Listener {
  try {
    return bind();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const place = `${where.address}:${where.port}`;
    if (code === "EADDRINUSE") {
      throw new Error(
        `Cannot listen on ${place}: the port is in use; stop what uses it, or choose another with --port`,
        {
          cause: error,
        },
      );
    }
    if (code === "EACCES") {
      throw new Error(`Cannot listen on ${place}: this user may not; choose one from 1024 on with --port`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** The URL of a listener as this machine reaches it. */
export function urlOf({ address, port, scheme }: BoundListener): string {
  const anywhere = address === "0.0.0.0" || address === "::";
  const host = anywhere ? "127.0.0.1" : address;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Where a configuration keeps its ledger when nobody says otherwise: beside the file. */
export function defaultStorePath(config: Config, configPath: string | undefined): string {
  if (config.state_path !== "") return `${config.state_path}/turnpike.db`;
  return configPath === undefined ? ":memory:" : `${dirname(configPath)}/turnpike.db`;
}
