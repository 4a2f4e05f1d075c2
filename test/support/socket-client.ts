import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Waiters } from "./waiters.ts";

/** A client's end of a connection to 127.0.0.1, for any protocol. */
export abstract class SocketClient {
  /** "ended" after a FIN, "reset" after an error. */
  state: "open" | "ended" | "reset" = "open";
  readonly socket: Socket;
  readonly #waiters = new Waiters();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.take(chunk);
      this.#waiters.wake();
    });
    socket.on("end", () => this.#finish("ended"));
    socket.on("error", () => this.#finish("reset"));
    socket.on("close", () => this.#finish("ended"));
  }

  /** Opens a connection for the client that `create` makes; over TLS if there is a protocol for ALPN. */
  protected static connected<T extends SocketClient>(
    port: number,
    create: (socket: Socket) => T,
    alpn?: string,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const place = { port, host: "127.0.0.1" };
      const socket =
        alpn === undefined
          ? connect({ ...place, noDelay: true })
          : connectTls({ ...place, ALPNProtocols: [alpn], rejectUnauthorized: false });
      const client = create(socket);
      socket.once(alpn === undefined ? "connect" : "secureConnect", () => resolve(client));
      socket.once("error", reject);
    });
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Half-closes: the server sees the end of the client's data, and may still send. */
  end(): void {
    this.socket.end();
  }

  /** Waits until the server closes the connection. Fails with an Error if it does not. */
  async closed(patienceMs = this.patienceMs): Promise<void> {
    const closed = await this.#waiters.until(() => (this.state === "open" ? undefined : true), patienceMs);
    if (closed === undefined) throw new Error(`The connection is still open: ${this.excerpt()}`);
  }

  protected abstract readonly patienceMs: number;

  protected abstract take(chunk: Buffer): void;

  /** The last received data, for error messages. */
  protected abstract excerpt(): string;

  /**
   * Waits until `probe` returns a value. Fails with an Error that begins with `missing` if the connection ends, or
   * nothing arrives, before.
   */
  protected async until<T>(missing: string, probe: () => T | undefined, patienceMs = this.patienceMs): Promise<T> {
    const found = await this.#waiters.until(probe, patienceMs, () => this.state !== "open");
    if (found === undefined) throw new Error(`${missing}: ${this.state}, ${this.excerpt()}`);
    return found;
  }

  #finish(state: "ended" | "reset"): void {
    if (this.state === "open") this.state = state;
    this.#waiters.wake();
  }
}
