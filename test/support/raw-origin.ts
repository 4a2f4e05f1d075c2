/** An origin that keeps every byte it receives, and responds with exactly the given bytes. */
import { createServer, type Server, type Socket } from "node:net";
import { listeningPort } from "../../src/lib/testing/listen.ts";
import { type Message, parseMessage } from "./message.ts";
import { Waiters } from "./waiters.ts";

const PATIENCE_MS = 3_000;

export class OriginConnection {
  received = "";
  /** True after the gateway has closed the connection in any way. */
  closed = false;
  readonly socket: Socket;
  parsed = 0;
  /** The length of `received` at which the next request can be complete. */
  needed = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  send(bytes: string): void {
    this.socket.write(bytes, "latin1");
  }

  /** Sends `bytes` and a FIN. */
  end(bytes = ""): void {
    this.socket.end(bytes, "latin1");
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }
}

export type Responder = (request: Message, connection: OriginConnection) => void;

/** `METHOD target body`: the form of requests at the origin in the rows of the tests. */
export function summary(request: Message): string {
  const [method = "", target = ""] = request.startLine.split(" ");
  return `${method} ${target}${request.body === "" ? "" : ` ${request.body}`}`;
}

/** Responds with 200 and the request's summary as the body. */
export const echo: Responder = (request, connection) => {
  const body = summary(request);
  const length = Buffer.byteLength(body, "latin1");
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n`;
  connection.send(request.startLine.startsWith("HEAD ") ? head : head + body);
};

export class RawOrigin {
  /** Open connections, and those that closed since the last reset. */
  readonly connections: OriginConnection[] = [];
  /** Complete requests, in the order of their completion. */
  readonly requests: Message[] = [];
  /** Violations of HTTP/1.1 by a connection. */
  readonly errors: string[] = [];
  /** Called with each complete request. */
  response: Responder = echo;
  /** Called after bytes arrived, before they are parsed. */
  onBytes: ((connection: OriginConnection) => void) | undefined;
  port = 0;
  readonly #server: Server;
  readonly #waiters = new Waiters();

  private constructor() {
    this.#server = createServer({ noDelay: true, allowHalfOpen: false }, (socket) => this.#accept(socket));
  }

  /** Listens on a free loopback port, or on the Unix socket `path`. */
  static start(path?: string): Promise<RawOrigin> {
    const origin = new RawOrigin();
    return new Promise((resolve, reject) => {
      origin.#server.once("error", reject);
      const ready = (): void => {
        if (path === undefined) origin.port = listeningPort(origin.#server);
        resolve(origin);
      };
      if (path === undefined) origin.#server.listen(0, "127.0.0.1", ready);
      else origin.#server.listen(path, ready);
    });
  }

  /** Forgets everything received, and responds with the echo again. Connections stay open. */
  reset(): void {
    this.requests.length = 0;
    this.errors.length = 0;
    this.connections.splice(0, Infinity, ...this.connections.filter((connection) => !connection.closed));
    for (const connection of this.connections) {
      connection.received = "";
      connection.parsed = 0;
      connection.needed = 0;
    }
    this.response = echo;
    this.onBytes = undefined;
  }

  get summaries(): string[] {
    return this.requests.map((request) => summary(request));
  }

  /** All bytes of all connections since the last reset. */
  get bytes(): string {
    return this.connections.map((connection) => connection.received).join("");
  }

  /** Waits until `probe` returns a value. Calls it again after every event on any connection. */
  async until<T>(what: string, probe: () => T | undefined): Promise<T> {
    const found = await this.#waiters.until(probe, PATIENCE_MS);
    if (found === undefined) {
      throw new Error(`The origin did not see ${what}; it received ${JSON.stringify(this.bytes.slice(0, 600))}`);
    }
    return found;
  }

  stop(): Promise<void> {
    for (const connection of this.connections) connection.socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    const connection = new OriginConnection(socket);
    this.connections.push(connection);
    socket.on("data", (chunk) => {
      connection.received += chunk.toString("latin1");
      this.onBytes?.(connection);
      this.#take(connection);
      this.#waiters.wake();
    });
    socket.on("error", () => this.#gone(connection));
    socket.on("end", () => this.#gone(connection));
    socket.on("close", () => this.#gone(connection));
  }

  #gone(connection: OriginConnection): void {
    connection.closed = true;
    this.#waiters.wake();
  }

  #take(connection: OriginConnection): void {
    try {
      for (;;) {
        if (connection.received.length < connection.needed) return;
        const needs = (length: number): void => void (connection.needed = length);
        const parsed = parseMessage(connection.received, connection.parsed, { needs });
        if (parsed === undefined) return;
        connection.parsed = parsed.next;
        this.requests.push(parsed.message);
        this.response(parsed.message, connection);
      }
    } catch (error) {
      this.errors.push(String(error));
    }
  }
}
