import { type ControlLink } from "../runtime/filter.ts";
import { commandError } from "./protocol/command.ts";
import { type CommandOutcome, ControlConnection, type ControlTimings } from "./protocol/control-connection.ts";
import { failLater, fullLater } from "./fail-later.ts";

export interface TransportSettings {
  readonly path: string;
  /** `wasm_control_connections`. */
  readonly connections: number;
  /** Milliseconds that a command can take after it is sent. */
  readonly commandMs: number;
}

/** The configured part of a `ControlTransport`, and the functions that it calls. */
export interface TransportOptions extends TransportSettings, ControlTimings {
  /** Receives a line for the first failure of a connection, and one when all connections work again. */
  readonly log: (message: string) => void;
  /** Called when the first connection accepts commands, and with the reason when none does any more. */
  readonly onReady: (isReady: boolean, error?: string) => void;
}

/** Host calls of filters, over the configured number of connections to the sandbox. */
export class ControlTransport implements ControlLink {
  readonly #options: TransportOptions;
  #connections: readonly ControlConnection[] = [];
  /** Connections that accept no more commands, and still have some in progress. */
  readonly #retired = new Set<ControlConnection>();
  readonly #failed = new Set<ControlConnection>();
  #commandMs: number;
  /** The state that was reported last; undefined if none was. */
  #wasReady: boolean | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#commandMs = options.commandMs;
    this.use(options);
  }

  get path(): string {
    return this.#options.path;
  }

  /** True if a connection accepts commands and replies to them. */
  get isReady(): boolean {
    return this.#connections.some(({ isReady }) => isReady);
  }

  /** True if a retired transport has no calls in progress. */
  get isDone(): boolean {
    return [...this.#connections, ...this.#retired].every(({ isClosed }) => isClosed);
  }

  /** Sets the number of connections, and the timeout of commands that are sent from now on. */
  use({ connections, commandMs }: Omit<TransportSettings, "path">): void {
    this.#commandMs = commandMs;
    // Working connections stay.
    const before = this.#connections.toSorted((a, b) => Number(b.isReady) - Number(a.isReady));
    const kept = before.slice(0, connections);
    const surplus = before.slice(connections);
    this.#connections = [...kept, ...Array.from({ length: connections - kept.length }, () => this.#connect())];
    for (const connection of surplus) this.#retire(connection);
  }

  /** Sends a command on the connection with the fewest commands. */
  call(bytes: Buffer, done: (outcome: CommandOutcome) => void): () => void {
    const error = commandError(bytes);
    if (error !== undefined) return failLater(`the filter's command cannot be sent: ${error}`, done);
    const free = this.#connections
      .flatMap((connection) => (connection.load === undefined ? [] : [{ connection, load: connection.load }]))
      .toSorted((a, b) => a.load - b.load || Number(b.connection.isReady) - Number(a.connection.isReady));
    const [first] = free;
    if (first !== undefined) return first.connection.take({ bytes, done });
    const isAway = this.#connections.every(({ isReady }) => !isReady);
    return isAway ? failLater("the control socket is not connected", done) : fullLater(done);
  }

  /** Accepts no more commands. Those in progress continue unchanged. */
  retire(): void {
    this.use({ connections: 0, commandMs: this.#commandMs });
  }

  close(): void {
    for (const connection of [...this.#connections, ...this.#retired]) connection.close();
  }

  #connect(): ControlConnection {
    return new ControlConnection({
      ...this.#options,
      commandMs: () => this.#commandMs,
      onState: (connection, error) => this.#heard(connection, error),
    });
  }

  #retire(connection: ControlConnection): void {
    for (const retired of this.#retired) if (retired.isClosed) this.#retired.delete(retired);
    this.#failed.delete(connection);
    connection.retire();
    if (!connection.isClosed) this.#retired.add(connection);
  }

  #heard(connection: ControlConnection, error: string | undefined): void {
    if (this.#retired.has(connection)) return;
    const { path, log, onReady } = this.#options;
    if (error !== undefined) {
      if (this.#failed.size === 0) log(`Cannot use the control socket "${path}": ${error}; trying again`);
      this.#failed.add(connection);
    } else if (this.#failed.delete(connection) && this.#failed.size === 0) {
      log(`control socket "${path}": it responds again`);
    }
    const { isReady } = this;
    if (isReady === this.#wasReady) return;
    this.#wasReady = isReady;
    onReady(isReady, error);
  }
}
