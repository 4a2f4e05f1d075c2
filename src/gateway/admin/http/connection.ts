import { type IncomingMessage } from "node:http";
import { type Socket } from "node:net";

/** Milliseconds from a connection's begin to the end of its first head, the TLS handshake included. */
const HEAD_MS = 10_000;
/** Milliseconds that a connection may be without a request, and the next head may take. */
const IDLE_MS = 60_000;
/** Milliseconds in which a body comes, and in which what is sent is taken. */
const BODY_MS = 30_000;
const WRITE_MS = 30_000;
/** Milliseconds in which a client that has not sent all of its body gets the response, before its connection is cut. */
const LINGER_MS = 1000;
/** Requests of one connection that are under way: clients that send ahead wait for their responses. */
const MAX_OPEN_REQUESTS = 16;

/** What a connection is limited by; tests have less patience. */
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

export const PATIENCE: Patience = { headMs: HEAD_MS, idleMs: IDLE_MS, bodyMs: BODY_MS, writeMs: WRITE_MS };

/**
 * One connection of a client. A single timer bounds what it waits for:
 *
 *   head ─▶ body ─▶ (answer is made: no bound) ─▶ write ─▶ idle ─▶ body ...
 */
export class Connection {
  readonly address: string;
  readonly isSecure: boolean;
  /** It has shown a right key: it is not closed to make room for others. */
  isTrusted = false;
  /** It closes with the responses that are under way. */
  #retired = false;
  #open = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #socket: Socket;
  readonly #patience: Patience;

  constructor(socket: Socket, isSecure: boolean, patience: Patience) {
    this.address = socket.remoteAddress ?? "";
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

  /** A head has come. False: it has sent too many ahead, and is cut. */
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

  bodyRead(): void {
    clearTimeout(this.#timer);
  }

  /** The client must take something before long. */
  writing(): void {
    this.#within(this.#patience.writeMs);
  }

  /** It has taken all that there is so far. */
  written(): void {
    clearTimeout(this.#timer);
  }

  /** The response is sent. `bodyLeft`: the client still sends what nobody reads. */
  requestEnded(bodyLeft: boolean): void {
    this.#open -= 1;
    if (bodyLeft) this.#within(LINGER_MS);
    else if (this.#open > 0) clearTimeout(this.#timer);
    else if (this.#retired) this.#within(LINGER_MS);
    else this.#within(this.#patience.idleMs);
  }

  /** Takes no further request. */
  retire(): void {
    this.#retired = true;
    if (this.isIdle) this.cut();
  }

  cut(): void {
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }

  closed(): void {
    clearTimeout(this.#timer);
  }

  #within(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.cut(), ms);
  }
}
