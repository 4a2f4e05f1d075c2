import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { addressKey } from "../../../lib/address-key.ts";
import { codeOf, messageOf } from "../../../lib/caught.ts";
import { Connection, type Patience, PATIENCE } from "./connection.ts";

/** Connections at a time, of all clients and of one address (IPv6: its /64). @internal */
export const MAX_CONNECTIONS = 512;
export const MAX_CONNECTIONS_OF_ADDRESS = 128;
/** RFC 9112 has no bound for a head; nothing here needs more. */
const MAX_HEAD_BYTES = 16_384;
/** Clients of addresses that are not listened to, which are given time to read why; and that time, in milliseconds. */
const MAX_REFUSED = 64;
const REFUSED_MS = 500;
/** Milliseconds that answers under way have when the listener closes. */
const CLOSE_MS = 2000;

export interface ListenerOptions {
  readonly address: string;
  /** 0: one that the kernel chooses. */
  readonly port: number;
  /** Certificate and key; undefined: no TLS. */
  readonly secure: SecureContext | undefined;
  readonly handle: (message: IncomingMessage, response: ServerResponse, connection: Connection) => void;
  /** What an address gets that is not listened to; undefined: it is. */
  readonly refusal: (address: string) => string | undefined;
  /** A head that cannot be read: its response, as it goes out. */
  readonly malformed: (code: string) => string;
  readonly patience?: Patience;
}

/**
 * The port of the admin interface, in front of node:http. It counts connections before anything is read of them, which
 * Bun.serve has no place for, and puts TLS before HTTP by itself, so that a new certificate needs no new port. Decision 1101.
 */
export class Listener {
  readonly #tcp: Server;
  readonly #http: HttpServer;
  readonly #options: ListenerOptions;
  readonly #connections = new Map<Socket, Connection>();
  #secure: SecureContext | undefined;
  #refused = 0;
  #port = 0;

  private constructor(options: ListenerOptions) {
    this.#options = options;
    this.#secure = options.secure;
    this.#http = createHttpServer({ maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: true }, (message, response) =>
      this.#requested(message, response),
    );
    // Its own time-outs know nothing of who may wait for what: `Connection` bounds everything.
    this.#http.headersTimeout = 0;
    this.#http.requestTimeout = 0;
    this.#http.keepAliveTimeout = 0;
    this.#http.timeout = 0;
    this.#http.on("clientError", (error, socket) => this.#malformed(codeOf(error) ?? "", socket));
    this.#http.on("connect", (_message, socket) => this.#malformed("CONNECT", socket));
    this.#tcp = createServer({ noDelay: true, allowHalfOpen: false }, (socket) => this.#accept(socket));
  }

  /** Rejects, saying where and why, if the port cannot be had. */
  static async bind(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    await listener.#listen();
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  get isSecure(): boolean {
    return this.#secure !== undefined;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** True if it can go on for this address and port. */
  serves({ address, port }: { readonly address: string; readonly port: number }): boolean {
    return address === this.#options.address && (port === 0 ? this.#options.port === 0 : port === this.#port);
  }

  /** New connections get TLS by `secure`, or none; others end with the responses that are under way if that is a change of scheme. */
  show(secure: SecureContext | undefined): void {
    const isOther = (secure === undefined) !== (this.#secure === undefined);
    this.#secure = secure;
    if (isOther) this.#retireAll();
  }

  /** Takes no connection any more, lets answers that are under way end, then cuts what is left. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tcp.close(() => resolve());
    this.#retireAll();
    const deadline = performance.now() + CLOSE_MS;
    while (this.#connections.size > 0 && performance.now() < deadline) await Bun.sleep(5);
    for (const connection of this.#connections.values()) connection.cut();
    await promise;
  }

  #retireAll(): void {
    for (const connection of this.#connections.values()) connection.retire();
  }

  #listen(): Promise<void> {
    const { address, port } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = (error: unknown): void => reject(bindError(address, port, error));
    this.#tcp.once("error", failed);
    this.#tcp.listen({ host: address, port }, () => {
      this.#tcp.off("error", failed);
      this.#tcp.on("error", () => {});
      const bound = this.#tcp.address();
      this.#port = isAddress(bound) ? bound.port : port;
      resolve();
    });
    return promise;
  }

  #accept(raw: Socket): void {
    raw.on("error", () => {});
    const address = raw.remoteAddress ?? "";
    const refusal = this.#options.refusal(address);
    if (refusal !== undefined) {
      this.#refuse(raw, refusal);
      return;
    }
    if (!this.#makeRoom(address)) {
      raw.destroy();
      return;
    }
    const secure = this.#secure;
    const socket = secure === undefined ? raw : new TLSSocket(raw, { isServer: true, secureContext: secure });
    const connection = new Connection(raw, secure !== undefined, this.#options.patience ?? PATIENCE);
    this.#connections.set(socket, connection);
    socket.on("error", () => raw.destroy());
    raw.once("close", () => {
      this.#connections.delete(socket);
      connection.closed();
      if (socket !== raw) socket.destroy();
    });
    this.#http.emit("connection", socket);
  }

  /** Nothing is read of it, so that a flood costs half of what its requests would (bench admin). */
  #refuse(raw: Socket, text: string): void {
    if (this.#secure !== undefined || this.#refused >= MAX_REFUSED) {
      raw.destroy();
      return;
    }
    this.#refused += 1;
    const timer = setTimeout(() => raw.destroy(), REFUSED_MS);
    raw.once("close", () => {
      this.#refused -= 1;
      clearTimeout(timer);
    });
    raw.resume();
    raw.end(text);
  }

  /** Closes connections that have shown no right key, the oldest first, so that a flood keeps no operator out. */
  #makeRoom(address: string): boolean {
    const key = addressKey(address, 64);
    let ofAddress = 0;
    let oldestOfAddress: Socket | undefined;
    let oldest: Socket | undefined;
    for (const [socket, connection] of this.#connections) {
      const isSame = addressKey(connection.address, 64) === key;
      if (isSame) ofAddress += 1;
      if (connection.isTrusted) continue;
      oldest ??= socket;
      if (isSame) oldestOfAddress ??= socket;
    }
    if (ofAddress >= MAX_CONNECTIONS_OF_ADDRESS) return this.#cut(oldestOfAddress);
    return this.#connections.size < MAX_CONNECTIONS || this.#cut(oldest);
  }

  /** False: there is none. */
  #cut(socket: Socket | undefined): boolean {
    if (socket === undefined) return false;
    const connection = this.#connections.get(socket);
    // At once: its end is told later, and the next one must not find it again.
    this.#connections.delete(socket);
    connection?.cut();
    return true;
  }

  #requested(message: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(message.socket);
    if (connection === undefined) message.socket.destroy();
    else if (connection.requestBegun(message)) this.#options.handle(message, response, connection);
  }

  #malformed(code: string, socket: { writable: boolean; end(text: string): unknown; destroy(): unknown }): void {
    if (socket.writable) socket.end(this.#options.malformed(code));
    else socket.destroy();
  }
}

function isAddress(bound: AddressInfo | string | null): bound is AddressInfo {
  return typeof bound === "object" && bound !== null;
}

function bindError(address: string, port: number, error: unknown): Error {
  const code = codeOf(error);
  const reason =
    code === "EADDRINUSE"
      ? "the port is in use; stop what uses it, or choose another with admin.port"
      : code === "EACCES"
        ? "this user may not; choose a port from 1024 on with admin.port"
        : code === "EADDRNOTAVAIL"
          ? "this machine does not have the address; see admin.address"
          : messageOf(error);
  const host = address.includes(":") ? `[${address}]` : address;
  return new Error(`Cannot listen on ${host}:${port} for the admin interface: ${reason}`, { cause: error });
}
