import { type IncomingMessage } from "node:http";
import { type Socket } from "node:net";
import { type Access, type AdminKeys } from "./keys.ts";

/** Milliseconds from the start of a connection to the end of its first head, including the TLS handshake. */
const HEAD_MS = 10_000;
/** Milliseconds that a connection may have no request, and in which the next head must arrive. */
const IDLE_MS = 60_000;
/** Milliseconds in which the client must send a body, and in which it must read data that was sent. */
const BODY_MS = 30_000;
const WRITE_MS = 30_000;
/** Milliseconds that a client with an unfinished body has to read the response. Then its connection is cut. */
const LINGER_MS = 1000;
/** Requests of one connection that are under way. If there are more, the connection is cut. */
const MAX_OPEN_REQUESTS = 16;

/** The access that a connection has proved, and the keys by which it was judged. */
export interface Trust {
  readonly access: Access;
  readonly keys: AdminKeys;
}

/** The time limits of a connection. Tests use shorter ones. */
export interface Patience {
  readonly headMs: number;
  readonly idleMs: number;
  readonly bodyMs: number;
  readonly writeMs: number;
}

/** RFC 9112 §6.3: one of these fields announces a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return coding !== undefined || length !== "0";
}

/** The time limits of a connection, in milliseconds. Tests use shorter ones. */
export const PATIENCE: Patience = { headMs: HEAD_MS, idleMs: IDLE_MS, bodyMs: BODY_MS, writeMs: WRITE_MS };

/**
 * One connection of a client. A single timer limits each of its waits:
 *
 *   head ─▶ body ─▶ (response is made: no limit) ─▶ write ─▶ idle ─▶ body ...
 */
export class Connection {
  readonly address: string;
  /** The address of this machine that the client has reached. */
  readonly localAddress: string;
  readonly isSecure: boolean;
  /** Undefined: no request had a valid key yet. */
  trust: Trust | undefined;
  /** The connection closes after the responses that are under way. */
  #retired = false;
  #open = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #socket: Socket;
  readonly #patience: Patience;

  constructor(socket: Socket, isSecure: boolean, patience: Patience) {
    this.address = socket.remoteAddress ?? "";
    this.localAddress = socket.localAddress ?? "";
    this.isSecure = isSecure;
    this.#socket = socket;
    this.#patience = patience;
    this.#within(patience.headMs);
  }

  get isIdle(): boolean {
    return this.#open === 0;
  }

  get isRetired(): boolean {
    return this.#retired;
  }

  /** A head has arrived. False: the client has pipelined too many requests, and its connection is cut. */
  requestBegun(message: IncomingMessage): boolean {
    this.#open += 1;
    if (this.#open > MAX_OPEN_REQUESTS) {
      this.cut();
      return false;
    }
    clearTimeout(this.#timer);
    if (hasBody(message)) this.#within(this.#patience.bodyMs);
    return true;
  }

  /** Data was sent, and the client must read it in time. */
  writing(): void {
    this.#within(this.#patience.writeMs);
  }

  /** The body has arrived, or the client has read all data that was sent so far. */
  waited(): void {
    clearTimeout(this.#timer);
  }

  /** The response was sent. `bodyLeft`: the client still sends a body that the gateway discards. */
  requestEnded(bodyLeft: boolean): void {
    this.#open -= 1;
    if (bodyLeft) this.#within(LINGER_MS);
    else if (this.#open > 0) clearTimeout(this.#timer);
    else if (this.#retired) this.#within(LINGER_MS);
    else this.#within(this.#patience.idleMs);
  }

  /** Accepts no more requests. */
  retire(): void {
    this.#retired = true;
    if (this.isIdle) this.cut();
  }

  cut(): void {
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }

  #within(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.cut(), ms);
  }
}
