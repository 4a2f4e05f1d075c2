/** An upstream that accepts WebSocket handshakes and gives the bytes after them to the test. */
import { createHash } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { listeningPort } from "../../../src/lib/testing/listen.ts";
import { LOCALHOST } from "../../support/certificates.ts";
import { type Message, parseMessage, valuesOf } from "../../support/message.ts";
import { Waiters } from "../../support/waiters.ts";
import { End } from "./end.ts";

const PATIENCE_MS = 8000;
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export function acceptOf(request: Message): string {
  const [key = ""] = valuesOf(request, "sec-websocket-key");
  return createHash("sha1")
    .update(key + GUID)
    .digest("base64");
}

/** The head of a correct response to the handshake. */
export function switching(request: Message, more = ""): string {
  return (
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Accept: ${acceptOf(request)}\r\n${more}\r\n`
  );
}

/** Responds to a request; `accept` follows the 101 response. */
export type Reply = (request: Message, socket: Socket, accept: () => End) => void;

export const accepting: Reply = (request, socket, accept) => {
  socket.write(switching(request));
  accept();
};

export class TunnelOrigin {
  port = 0;
  reply: Reply = accepting;
  /** Requests in the order of their arrival. */
  readonly requests: Message[] = [];
  readonly tunnels: End[] = [];
  connections = 0;
  readonly #sockets = new Set<Socket>();
  readonly #waiters = new Waiters();
  readonly #server: Server;

  private constructor(tls: boolean) {
    const accept = (socket: Socket): void => this.#accept(socket);
    const options = { allowHalfOpen: true, noDelay: true };
    this.#server = tls
      ? createTlsServer({ ...options, cert: LOCALHOST.cert, key: LOCALHOST.key }, accept)
      : createServer(options, accept);
  }

  /** Listens on a loopback port, or on the Unix socket at `path`. */
  static start({ path, tls = false }: { path?: string; tls?: boolean } = {}): Promise<TunnelOrigin> {
    const origin = new TunnelOrigin(tls);
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

  reset(): void {
    this.requests.length = 0;
    this.tunnels.length = 0;
    this.reply = accepting;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The tunnel with this number, after it was opened. */
  async tunnel(index = 0): Promise<End> {
    const found = await this.#waiters.until(() => this.tunnels[index], PATIENCE_MS);
    if (found === undefined) throw new Error(`No tunnel ${index} came to the origin`);
    return found;
  }

  async asked(count: number): Promise<void> {
    const found = await this.#waiters.until(() => (this.requests.length >= count ? true : undefined), PATIENCE_MS);
    if (found === undefined) throw new Error(`The origin got ${this.requests.length} requests and not ${count}`);
  }

  /** Open connections. */
  get open(): number {
    return this.#sockets.size;
  }

  stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    this.connections++;
    this.#sockets.add(socket);
    let head = "";
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    const take = (chunk: Buffer): void => {
      head += chunk.toString("latin1");
      const parsed = parseMessage(head, 0);
      if (parsed === undefined) return;
      const rest = Buffer.from(head.slice(parsed.next), "latin1");
      head = "";
      this.requests.push(parsed.message);
      this.reply(parsed.message, socket, () => {
        socket.off("data", take);
        const end = new End(socket, rest);
        this.tunnels.push(end);
        return end;
      });
      this.#waiters.wake();
    };
    socket.on("data", take);
    socket.on("end", () => {
      if (head === "" && socket.listenerCount("data") === 1 && this.tunnels.every(({ stream }) => stream !== socket)) {
        socket.end();
      }
    });
  }
}
