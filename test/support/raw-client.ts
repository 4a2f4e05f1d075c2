/** A client that sends exactly the bytes it is told to, and sees exactly what comes back. */
import { connect, type Socket } from "node:net";
import { type Message, parseMessage, statusOf } from "./message.ts";

const PATIENCE_MS = 3_000;

export class RawClient {
  /** All bytes that came, as latin1. */
  received = "";
  /** "open", "ended" after a FIN, "reset" after an error. */
  state: "open" | "ended" | "reset" = "open";
  readonly socket: Socket;
  #parsed = 0;
  #waiting = new Set<() => void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.received += chunk.toString("latin1");
      this.#wake();
    });
    socket.on("end", () => this.#finish("ended"));
    socket.on("error", () => this.#finish("reset"));
    socket.on("close", () => this.#finish("ended"));
  }

  static open(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      const client = new RawClient(socket);
      socket.once("connect", () => resolve(client));
      socket.once("error", reject);
    });
  }

  send(bytes: string): void {
    if (this.state === "open") this.socket.write(bytes, "latin1");
  }

  /** One write for every byte; stops where the server has answered with an error or hung up. */
  async sendByteByByte(bytes: string): Promise<void> {
    const before = this.received.length;
    for (const byte of bytes) {
      if (this.state !== "open" || this.received.length > before) return;
      this.socket.write(byte, "latin1");
      await new Promise(setImmediate);
    }
  }

  /** Half-closes: the server sees that nothing more will come. */
  end(): void {
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** The next response to a request of `method`, 1xx included; an Error where none comes or it is malformed. */
  async response(method = "GET", patienceMs = PATIENCE_MS): Promise<Message> {
    const take = (): Message | undefined => {
      const parsed = parseMessage(this.received, this.#parsed, { answerTo: method, ended: this.state === "ended" });
      if (parsed !== undefined) this.#parsed = parsed.next;
      return parsed?.message;
    };
    const message = await this.#until(() => take(), patienceMs, true);
    if (message === undefined) throw new Error(`No complete response: ${this.state}, ${this.#excerpt()}`);
    return message;
  }

  /** The next response that is not 1xx. */
  async finalResponse(method = "GET"): Promise<Message> {
    for (;;) {
      const message = await this.response(method);
      if (statusOf(message) >= 200) return message;
    }
  }

  /** Waits for the server to hang up; an Error where it does not. */
  async closed(patienceMs = PATIENCE_MS): Promise<void> {
    const closed = await this.#until(() => (this.state === "open" ? undefined : true), patienceMs, false);
    if (closed === undefined) throw new Error(`The connection is still open: ${this.#excerpt()}`);
  }

  /** Waits for `text` among all bytes that came. */
  async sees(text: string): Promise<void> {
    const seen = await this.#until(() => (this.received.includes(text) ? true : undefined), PATIENCE_MS, true);
    if (seen === undefined) throw new Error(`Not seen: ${JSON.stringify(text)}; ${this.state}, ${this.#excerpt()}`);
  }

  /** What came and was not taken by `response`. */
  rest(): string {
    return this.received.slice(this.#parsed);
  }

  #excerpt(): string {
    return `received ${JSON.stringify(this.rest().slice(0, 600))}`;
  }

  #finish(state: "ended" | "reset"): void {
    if (this.state === "open") this.state = state;
    this.#wake();
  }

  #wake(): void {
    for (const check of this.#waiting) check();
  }

  #until<T>(probe: () => T | undefined, patienceMs: number, untilClosed: boolean): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const finish = (result: T | undefined): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(result);
      };
      const check = (): void => {
        try {
          const result = probe();
          if (result !== undefined || (untilClosed && this.state !== "open")) finish(result);
        } catch (error) {
          clearTimeout(timer);
          this.#waiting.delete(check);
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const timer = setTimeout(() => finish(undefined), patienceMs);
      this.#waiting.add(check);
      check();
    });
  }
}

/** Opens a connection, sends `bytes`, takes one final response and hangs up. */
export async function once(port: number, bytes: string, method = "GET"): Promise<Message> {
  const client = await RawClient.open(port);
  try {
    client.send(bytes);
    return await client.finalResponse(method);
  } finally {
    client.destroy();
  }
}
