import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { addressKey } from "../../../lib/net/address-key.ts";
import { codeOf, messageOf } from "../../../lib/caught.ts";
import { Connection, type Patience, PATIENCE } from "./connection.ts";
import { hostAndPort } from "../../../lib/http/url-host.ts";
import { pollUntil } from "../../../lib/time/poll-until.ts";

/**
 * Concurrent connections to the admin interface: of all clients, and of one address (for IPv6: of its /64). @operator
 *
 */
const MAX_CONNECTIONS = 512;
const MAX_CONNECTIONS_OF_ADDRESS = 128;
/** RFC 9112 sets no limit for a head. No request to this interface needs more. */
const MAX_HEAD_BYTES = 16_384;
/** Concurrent connections that are refused with a reason, and the milliseconds that each client has to read it. */
const MAX_REFUSED = 64;
const REFUSED_MS = 500;
/** Milliseconds that responses under way have when the listener closes. */
const CLOSE_MS = 2000;

/** The address of the admin listener, and the functions that handle its requests. */
export interface ListenerOptions {
  readonly address: string;
  /** 0: the kernel chooses a port. */
  readonly port: number;
  /** Certificate and key; undefined: no TLS. */
  readonly secure: SecureContext | undefined;
  readonly handle: (message: IncomingMessage, response: ServerResponse, connection: Connection) => void;
  /** The response for an address whose connections are refused; undefined if they are accepted. */
  readonly refusal: (address: string) => string | undefined;
  /** The raw response to a head that cannot be parsed. */
  readonly malformed: (code: string) => string;
  readonly patience?: Patience;
}

/**
 * The port of the admin interface, in front of node:http. It counts connections before it reads from them, which
 * Bun.serve cannot do. It puts TLS before HTTP itself, so that a new certificate needs no new port. When connections run
 * out, the oldest one without a valid key closes, so that an operator can always connect.
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
    this.#http = createHttpServer({ maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false }, (message, response) =>
      this.#requested(message, response),
    );
    // The timeouts that node:http has by default are off: `Connection` limits every wait instead.
    this.#http.headersTimeout = 0;
    this.#http.requestTimeout = 0;
    this.#http.keepAliveTimeout = 0;
    this.#http.on("clientError", (error, socket) => this.#malformed(codeOf(error) ?? "", socket));
    this.#http.on("connect", (_message, socket) => this.#malformed("CONNECT", socket));
    this.#tcp = createServer({ noDelay: true, allowHalfOpen: false }, (socket) => this.#accept(socket));
  }

  /** Rejects with the endpoint and the reason if the port cannot be bound. */
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

  /** True if this listener can serve this address and port too. */
  serves({ address, port }: { readonly address: string; readonly port: number }): boolean {
    return address === this.#options.address && (port === 0 ? this.#options.port === 0 : port === this.#port);
  }

  /**
   * New connections get TLS with `secure`, or no TLS if it is undefined. If the scheme changes, the other connections
   * close after their responses that are under way.
   */
  show(secure: SecureContext | undefined): void {
    const isOther = (secure === undefined) !== (this.#secure === undefined);
    this.#secure = secure;
    if (isOther) this.#retireAll();
  }

  /** Accepts no more connections, waits for responses under way, then cuts the remaining connections. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tcp.close(() => resolve());
    this.#retireAll();
    await pollUntil(() => this.#connections.size === 0, { everyMs: 5, mostMs: CLOSE_MS });
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
      this.#port = (this.#tcp.address() as AddressInfo).port; // a bound TCP server has an address
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
      connection.waited();
      if (socket !== raw) socket.destroy();
    });
    this.#http.emit("connection", socket);
  }

  /** Reads nothing from the connection, so that a flood costs half as much as its requests would. */
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

  /** Makes room, so that neither a flood nor the read-only key can lock operators out. False: there is no room. */
  #makeRoom(address: string): boolean {
    const key = addressKey(address, 64);
    const all = [...this.#connections];
    const ofAddress = all.filter(([, connection]) => addressKey(connection.address, 64) === key);
    if (ofAddress.length >= MAX_CONNECTIONS_OF_ADDRESS) return this.#cutOneOf(ofAddress);
    return all.length < MAX_CONNECTIONS || this.#cutOneOf(all);
  }

  /**
   * Closes the oldest connection without a key or with the read-only key, whichever are more. If both are empty, it closes
   * the oldest idle one. False: all have a request of the full key under way.
   */
  #cutOneOf(connections: readonly (readonly [Socket, Connection])[]): boolean {
    const strangers = connections.filter(([, { trust }]) => trust === undefined);
    const readers = connections.filter(([, { trust }]) => trust?.access === "read");
    const [oldest] = readers.length > strangers.length ? readers : strangers;
    const found = oldest ?? connections.find(([, { isIdle }]) => isIdle);
    if (found === undefined) return false;
    const [socket, connection] = found;
    // Deleted at once: the close event comes later, and the next call must not find this socket again.
    this.#connections.delete(socket);
    connection.cut();
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

function bindError(address: string, port: number, error: unknown): Error {
  const code = codeOf(error);
  const reason =
    code === "EADDRINUSE"
      ? "the port is in use; stop what uses it, or choose another with admin.port"
      : code === "EACCES"
        ? "this user may not use the port; choose one from 1024 on with admin.port"
        : code === "EADDRNOTAVAIL"
          ? "this machine does not have the address; see admin.address"
          : messageOf(error);
  return new Error(`Cannot listen on ${hostAndPort(address, port)} for the admin interface: ${reason}`, {
    cause: error,
  });
}
