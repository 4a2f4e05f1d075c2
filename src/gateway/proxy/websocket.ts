import { type TurnpikeError } from "../../lib/errors.ts";
import { fieldValue } from "../../lib/http/fields.ts";
import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { newWebSocketKey } from "../../lib/http/websocket-handshake.ts";
import { type BodySink, type Exchange, type RequestHead, type ResponseHead } from "../exchange/exchange.ts";
import { type ClientConnection } from "../http1/client-connection.ts";
import { type ClientTunnel } from "../http1/client-tunnel.ts";
import { FrameCursor, GOING_AWAY } from "../../lib/http/websocket-frames.ts";

/**
 * Milliseconds that the upstream has to send its remaining bytes after the client's end, and that the client has to end
 * after the Close frame of a gateway that drains. Beyond them the tunnel is closed.
 * @bound
 */
const CLOSING_MS = 5000;
/**
 * Checks for bytes within the idle time, so that a message needs no reading of the clock. The tunnel is closed at most this
 * fraction of the idle time late.
 */
const CHECKS = 32;

/** The time limits of a WebSocket tunnel (RFC 6455), and the receiver of its end. */
export interface TunnelOptions {
  readonly wheel: TimerWheel;
  /** Milliseconds without a byte in either direction. */
  readonly idleMs: number;
  /** Milliseconds for which the upstream may accept nothing. */
  readonly writeMs: number;
  /** Called once, when the tunnel has ended. */
  readonly onOver: () => void;
}

/** The key of the handshake: the client's own with HTTP/1, else a new one, which is added to the fields. */
export function handshakeKey(head: RequestHead): string {
  const own = fieldValue(head.fields, "sec-websocket-key");
  if (own !== undefined) return own;
  const key = newWebSocketKey();
  head.fields += `Sec-WebSocket-Key: ${key}\r\n`;
  return key;
}

/** Receives the bytes of the client. */
class ClientBytes implements BodySink {
  readonly #tunnel: Tunnel;
  constructor(tunnel: Tunnel) {
    this.#tunnel = tunnel;
  }
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    return this.#tunnel.send(chunk, start, end);
  }
  end(): void {
    this.#tunnel.clientEnded();
  }
  abort(error: TurnpikeError): void {
    this.#tunnel.cutOff(error);
  }
}

/**
 * A tunnel between a client and an upstream that have switched to WebSocket (RFC 6455). The gateway only
 * follows the upstream's frames, so that it can end the tunnel between two of them by a Close frame when the client's
 * connection drains. The upstream's end is passed on and closes the tunnel. The client's end is passed on, and the upstream may still
 * send for a while.
 *
 *   client ── exchange.body ──▶ send ─▶ upstream
 *   client ◀─ exchange.response ◀─ data ── upstream
 */
export class Tunnel extends Deadline implements BodySink {
  readonly #exchange: Exchange;
  readonly #options: TunnelOptions;
  readonly #upstream: ClientTunnel;
  readonly #frames = new FrameCursor();
  /** The client's connection drains. The second: the client got the last frame. */
  #isLeaving = false;
  #hasLeft = false;
  /** One side has ended, and the other has `CLOSING_MS`. */
  #isEnding = false;
  /** A byte has passed since the last check. `#passedAt` is the check before which the last byte passed, in wheel time. */
  #passed = false;
  #passedAt = 0;
  /** The client takes no more, or pays for no more. This has time limits of its own. */
  #isPaused = false;
  #over = false;

  /** Call this during `start` for the connection's 101. */
  constructor(exchange: Exchange, connection: ClientConnection, options: TunnelOptions) {
    super();
    this.#exchange = exchange;
    this.#options = options;
    this.#upstream = connection.takeTunnel(this, options.writeMs);
  }

  /** Sends the 101 in `head`, then all bytes that follow. */
  open(head: ResponseHead): void {
    const exchange = this.#exchange;
    exchange.onCancel = () => this.#break();
    exchange.onDrain = () => {
      this.#isPaused = false;
      this.#passed = true;
      this.#upstream.resume();
    };
    exchange.onGoAway = () => this.#goAway();
    this.#upstream.onSendable = () => exchange.body.resume();
    exchange.response.start(head);
    // A policy may have refused the response.
    if (this.#over) return;
    this.#passedAt = this.#options.wheel.now();
    this.#checkLater(this.#options.idleMs);
    exchange.body.readTo(new ClientBytes(this));
  }

  /** Takes bytes of the client. False: `body.resume` follows. */
  send(chunk: Uint8Array, start: number, end: number): boolean {
    if (this.#over) return true;
    this.#passed = true;
    return this.#upstream.data(chunk, start, end);
  }

  clientEnded(): void {
    if (this.#over) return;
    this.#upstream.end();
    this.#endSoon();
  }

  #endSoon(): void {
    this.#isEnding = true;
    this.#options.wheel.set(this, CLOSING_MS);
  }

  #goAway(): void {
    if (this.#over || this.#isLeaving) return;
    this.#isLeaving = true;
    if (this.#frames.isBetweenFrames) this.#leave();
  }

  /** The client responds to the frame, and its Close frame is passed on to the upstream (RFC 6455 §5.5.1). */
  #leave(): void {
    this.#hasLeft = true;
    if (!this.#frames.sawClose) this.#exchange.response.data(GOING_AWAY, 0, GOING_AWAY.length);
    this.#endSoon();
  }

  /** Closes both sides after an error. */
  cutOff(error: TurnpikeError): void {
    if (this.#over) return;
    this.#break();
    this.#exchange.response.abort(error);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.#passed = true;
    if (this.#hasLeft) return true;
    const frameEnd = this.#frames.read(chunk, start, end, this.#isLeaving);
    const takesMore = this.#exchange.response.data(chunk, start, frameEnd);
    this.#isPaused = !takesMore;
    if (this.#isLeaving && this.#frames.isBetweenFrames) this.#leave();
    return takesMore;
  }

  end(): void {
    this.#close();
  }

  abort(error: TurnpikeError): void {
    this.cutOff(error);
  }

  override onDeadline(): void {
    const { wheel, idleMs } = this.#options;
    const now = wheel.now();
    if (this.#passed || this.#isPaused) this.#passedAt = now;
    this.#passed = false;
    const left = this.#passedAt + idleMs - now;
    if (left > 0 && !this.#isEnding) this.#checkLater(left);
    else this.#close();
  }

  #checkLater(left: number): void {
    const { wheel, idleMs } = this.#options;
    wheel.set(this, Math.min(left, idleMs / CHECKS));
  }

  /** Closes both sides after the bytes that were sent to them. */
  #close(): void {
    if (this.#over) return;
    this.#finish();
    this.#upstream.close();
    this.#exchange.response.end("");
  }

  #break(): void {
    if (this.#over) return;
    this.#finish();
    this.#upstream.destroy();
  }

  #finish(): void {
    this.#over = true;
    this.#options.wheel.remove(this);
    this.#options.onOver();
  }
}
