/** A client that sends exactly the given bytes, and shows exactly the received ones. */
import { type Message, parseMessage, statusOf } from "./message.ts";
import { SocketClient } from "./socket-client.ts";

export class RawClient extends SocketClient {
  /** All received bytes, as latin1. */
  received = "";
  protected readonly patienceMs = 3000;
  #parsed = 0;

  /** Opens a connection; over TLS with a protocol for ALPN. */
  static open(port: number, alpn?: string): Promise<RawClient> {
    return SocketClient.connected(port, (socket) => new RawClient(socket), alpn);
  }

  send(bytes: string): void {
    if (this.state === "open") this.socket.write(bytes, "latin1");
  }

  /** Writes each byte separately. Stops if the server has sent an error or closed the connection. */
  async sendByteByByte(bytes: string): Promise<void> {
    const before = this.received.length;
    for (const byte of bytes) {
      if (this.state !== "open" || this.received.length > before) return;
      this.socket.write(byte, "latin1");
      await new Promise(setImmediate);
    }
  }

  /**
   * The next response to a request of `method`, 1xx included. Fails with an Error if it does not arrive or is malformed.
   */
  async response(method = "GET", patienceMs = this.patienceMs): Promise<Message> {
    let needed = 0;
    const needs = (length: number): void => void (needed = length);
    const take = (): Message | undefined => {
      if (this.received.length < needed) return undefined;
      const ended = this.state === "ended";
      const parsed = parseMessage(this.received, this.#parsed, { responseTo: method, ended, needs });
      if (parsed !== undefined) this.#parsed = parsed.next;
      return parsed?.message;
    };
    return await this.until("No complete response", take, patienceMs);
  }

  /** The next response that is not 1xx. */
  async finalResponse(method = "GET"): Promise<Message> {
    for (;;) {
      const message = await this.response(method);
      if (statusOf(message) >= 200) return message;
    }
  }

  /** Waits for `text` among all received bytes. */
  async sees(text: string): Promise<void> {
    await this.until(`Not seen: ${JSON.stringify(text)}`, () => (this.received.includes(text) ? true : undefined));
  }

  /** Received data that `response` has not returned. */
  rest(): string {
    return this.received.slice(this.#parsed);
  }

  protected take(chunk: Buffer): void {
    this.received += chunk.toString("latin1");
  }

  protected excerpt(): string {
    return `received ${JSON.stringify(this.rest().slice(0, 600))}`;
  }
}

/** Opens a connection, sends `bytes`, reads one final response and closes the connection. */
export async function once(port: number, bytes: string, method = "GET"): Promise<Message> {
  const client = await RawClient.open(port);
  try {
    client.send(bytes);
    return await client.finalResponse(method);
  } finally {
    client.destroy();
  }
}
