import { commandFault } from "./command.ts";
import { type CommandOutcome, ControlConnection, type ControlOptions } from "./control-connection.ts";

/** Stands for a worker's index, from 0, in the path of the control socket. */
export const WORKER_PLACEHOLDER = "{worker}";

export interface TransportOptions extends ControlOptions {
  /** `wasm_control_connections`. */
  readonly connections: number;
}

/** Host calls of filters, over as many connections to the sandbox as are configured. */
export class ControlTransport {
  readonly #connections: readonly ControlConnection[];

  constructor({ connections, ...options }: TransportOptions) {
    this.#connections = Array.from({ length: connections }, () => new ControlConnection(options));
  }

  /** Some connection takes commands and answers them. */
  get isReady(): boolean {
    return this.#connections.some(({ isReady }) => isReady);
  }

  /** Sends a command by the connection that has least to do; `done` is called once, never from within. What is given back forgets the command. */
  call(bytes: Buffer, done: (outcome: CommandOutcome) => void): () => void {
    const fault = commandFault(bytes);
    if (fault !== undefined) return failLater(`the filter's command cannot be sent: ${fault}`, done);
    const free = this.#connections
      .flatMap((connection) => (connection.load === undefined ? [] : [{ connection, load: connection.load }]))
      .toSorted((a, b) => a.load - b.load || Number(b.connection.isReady) - Number(a.connection.isReady));
    const [first] = free;
    if (first !== undefined) return first.connection.take({ bytes, done });
    const isAway = this.#connections.every(({ isReady }) => !isReady);
    return failLater(isAway ? "the control socket is not connected" : "too many commands wait for it", done);
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

function failLater(detail: string, done: (outcome: CommandOutcome) => void): () => void {
  let isForgotten = false;
  queueMicrotask(() => {
    if (!isForgotten) done({ kind: "failed", detail });
  });
  return () => {
    isForgotten = true;
  };
}
