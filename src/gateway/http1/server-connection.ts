import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { hasPeerEnded } from "../../lib/net/has-peer-ended.ts";
import { latin1Text } from "../../lib/memory/latin1.ts";
import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { plainAddress } from "../exchange/client-address.ts";
import { BodyTime } from "../exchange/body-time.ts";
import { type ClientLines } from "../exchange/exchange.ts";
import { type HeadError } from "../exchange/refusal.ts";
import {
  bodyLimit,
  type ConnectionPermit,
  type ServerConnection,
  type ServerHost,
  type ServerSettings,
} from "../exchange/server-host.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { type Taken } from "../wire/arrivals.ts";
import { headEnd, headText, unfinishedHeadError } from "./head-text.ts";
import { type Outgoing } from "../wire/outgoing.ts";
import { type SendingOwner, SendingSide } from "../wire/sending-side.ts";
import { refuse } from "./refusal.ts";
import { type BodySource, Http1RequestBody } from "./request-body.ts";
import { isHeadError, type ParsedRequest, parseRequestHead } from "./request-head.ts";
import { type ExchangeConnection, Http1Exchange } from "./server-exchange.ts";
import { TunnelBytes, type TunnelSource } from "./tunnel-bytes.ts";
import { UnreadBytes } from "./unread-bytes.ts";
import { beginEvent, endEvent } from "../../lib/time/event-clock.ts";

/**
 * Milliseconds for which a closing connection is still read, so that a reset does not destroy the last response (RFC 9112
 * §9.6). @bound
 */
const LINGER_MS = 2000;
/**
 * Bytes of the rest of a request body that are read and dropped to keep the connection. If more remain, the connection
 * closes.
 */
const MAX_DISCARD_BYTES = 65_536;
/** Milliseconds between two looks for the FIN of a client that is not read, because its bytes have to wait. @bound */
const HELD_LOOK_MS = 1000;
/** Position and context of a head, set for each one: two more objects a request would be 2 % of its allocations. */
const place = { from: 0, end: 0 };
const context: { scheme: "http" | "https"; isRequest: true; maxCount: number } = {
  scheme: "http",
  isRequest: true,
  maxCount: 0,
};
const CR = 0x0d;
const LF = 0x0a;
const IDLE = 0;
const HEAD = 1;
const BUSY = 2;
const TUNNEL = 3;
const LINGERING = 4;
const CLOSED = 5;
/**
 * An HTTP/1 connection of a client (RFC 9112). Finds requests in the bytes, runs one exchange at a time, and keeps the rest
 * of a pipeline for later.
 *
 *   IDLE ─ bytes ─▶ HEAD ─ head complete ─▶ BUSY ─ response sent, body read ─▶ IDLE
 *                                             ├─ must close ─▶ LINGERING ─▶ CLOSED
 *                                             └─ 101 ─▶ TUNNEL ─▶ LINGERING ─▶ CLOSED
 */
export class Http1ServerConnection
  extends Deadline
  implements WireHandler, ServerConnection, ExchangeConnection, BodySource, TunnelSource, SendingOwner
{
  listIndex = -1;
  permit: ConnectionPermit | undefined;
  clientLines: ClientLines | undefined = undefined;
  readonly out: Outgoing;
  readonly peerAddress: string;
  readonly wire: Wire;
  readonly #host: ServerHost;
  readonly #sending: SendingSide;
  #state = IDLE;
  /** The beginning of an unfinished head. */
  #partial = "";
  /** Bytes after the current request: the next requests of a pipeline. */
  #unread: UnreadBytes | undefined;
  #exchange: Http1Exchange | undefined;
  #body: Http1RequestBody | undefined;
  /** Set if the current request asks for a tunnel. */
  #tunnel: TunnelBytes | undefined;
  /** Created with the first body. */
  #bodyTime: BodyTime | undefined;
  #held = false;
  #closing = false;
  #peerEnded = false;

  constructor(wire: Wire, host: ServerHost) {
    super();
    this.wire = wire;
    this.#host = host;
    this.peerAddress = plainAddress(host.peerAddress ?? wire.remoteAddress ?? "");
    this.#sending = new SendingSide(this);
    this.out = this.#sending.out;
    host.wheel.set(this, host.settings().idleMs);
  }

  get wheel(): TimerWheel {
    return this.#host.wheel;
  }

  get writeMs(): number {
    return this.limits.writeMs;
  }

  onArrived(): void {
    if (this.#state === LINGERING) this.#linger();
  }

  get limits(): ServerSettings {
    return this.#host.settings();
  }
  get buffers(): BufferPool {
    return this.#host.buffers;
  }

  onData(chunk: Buffer): void {
    beginEvent();
    switch (this.#state) {
      case IDLE:
      case HEAD:
        this.#readHeads(chunk);
        break;
      case BUSY:
        this.#readHeads(chunk, this.#readBody(chunk, 0));
        break;
      case TUNNEL:
        this.#tunnel?.receive(chunk);
        break;
      default:
    }
    endEvent();
  }

  onDrain(): void {
    if (!this.#sending.drain()) return;
    if (this.#state === LINGERING) this.#linger();
    else if (this.#exchange !== undefined) this.#exchange.drained();
    else if (this.#state === IDLE) this.#readUnread();
  }

  onEnd(): void {
    this.#peerEnded = true;
    this.#sending.peerEnded();
    // A client may end its side and still wait for the response (RFC 9112 §9.6). A client that has closed both sides looks
    // the same until a write fails, and an upstream that works for a client that has left costs more. As in nginx, a client that ends
    // its side has left.
    if (this.#state === TUNNEL) this.#tunnel?.receiveEnd();
    else if (this.#exchange !== undefined) this.wire.terminate();
    else if (this.#state === LINGERING) this.#linger();
    else this.#close();
  }

  onClose(isReset = false): void {
    if (this.#state === CLOSED) return;
    this.#state = CLOSED;
    this.#host.wheel.remove(this);
    this.#sending.closed(isReset);
    this.#body?.forget();
    this.#unread?.take();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    // Before the body is aborted, so that no error response is sent to a client that has left.
    exchange?.cancel();
    if (this.#body !== undefined && !this.#body.complete) {
      this.#body.abort(
        new TurnpikeError("bad-request", "the client closed the connection before its body was complete"),
      );
    }
    this.#host.closed(this);
  }

  /** Accepts no further request: an idle connection closes at once, a busy one after its response. */
  drain(): void {
    this.#closing = true;
    if (this.#state === IDLE) this.#close();
    else if (this.#state === TUNNEL) this.#exchange?.onGoAway?.();
  }

  override onDeadline(): void {
    switch (this.#state) {
      case HEAD:
        this.#refuse({ code: "request-timeout", detail: "the request head did not arrive in time" }, this.#partial);
        break;
      case BUSY:
        if (this.#held) {
          this.#lookForEnd();
          break;
        }
        // A body with an error closes the connection after the response.
        this.#body?.abort(new TurnpikeError("request-timeout", "the request body did not arrive in time"));
        if (this.#exchange === undefined) this.#close();
        break;
      case IDLE:
        // The write deadline applies to a response that is still being sent.
        if (this.out.blocked) this.#host.wheel.set(this, this.limits.idleMs);
        else this.#closeForGood();
        break;
      case LINGERING:
        // Not `terminate`: the kernel may still hold much of the response for a slow client.
        this.wire.close();
        break;
      default:
    }
  }

  holdReading(hold: boolean): void {
    if (this.#held === hold || this.#state === CLOSED) return;
    this.#held = hold;
    if (hold) {
      this.wire.pause();
      this.#bodyTime?.rest(this.#host.wheel.now());
      if (this.#state === BUSY) this.#host.wheel.set(this, HELD_LOOK_MS);
      else this.#host.wheel.clear(this);
    } else {
      this.wire.resume();
      const left = this.#bodyTime?.run(this.#host.wheel.now()) ?? 0;
      if (this.#body !== undefined && !this.#body.complete) this.#host.wheel.set(this, left);
      else if (this.#state === BUSY) this.#host.wheel.clear(this);
    }
  }

  /** A paused socket does not report that its client has left. */
  #lookForEnd(): void {
    if (hasPeerEnded(this.wire.fd ?? -1)) this.onEnd();
    else this.#host.wheel.set(this, HELD_LOOK_MS);
  }

  staysOpen(exchange: Http1Exchange, endsByClosing: boolean): boolean {
    const body = this.#body;
    if (endsByClosing || this.#host.draining() || !exchange.keepAlive || body?.error !== undefined)
      this.#closing = true;
    else if (body !== undefined && !body.complete) {
      // A client that waits for 100 may send the body or not, so the next bytes would be ambiguous.
      if (body.remaining > MAX_DISCARD_BYTES || exchange.head.expectContinue) this.#closing = true;
    }
    return !this.#closing;
  }

  finished(exchange: Http1Exchange): void {
    if (exchange !== this.#exchange) return;
    this.#exchange = undefined;
    const body = this.#body;
    if (!exchange.keepAlive && body === undefined && this.#unread === undefined && this.#tunnel === undefined)
      this.#closeForGood();
    else if (this.#closing || body?.error !== undefined) this.#close();
    else if (body !== undefined && !body.complete) body.discard();
    else this.#next();
  }

  /** Derived from the deadline, which is `idle_ms` after the last request, so that no time must be stored for each request. */
  get idleSince(): number {
    if (this.#state === LINGERING && !this.out.blocked) return this.due - LINGER_MS;
    return this.#state === IDLE && !this.out.blocked ? this.due - this.limits.idleMs : Number.POSITIVE_INFINITY;
  }

  makeWay(): void {
    this.out.flush();
    this.wire.shutdown();
    this.wire.close();
  }

  awaitArrival(told: Taken): void {
    this.#sending.awaitArrival(told);
  }

  /** The final head was a 101: the connection is a tunnel from now on and never serves another request. */
  switched(): void {
    this.#state = TUNNEL;
    this.#closing = true;
    this.#tunnel?.open();
    // The head of the response is sent first.
    if (this.#host.draining()) queueMicrotask(() => this.drain());
  }

  cutOff(): void {
    this.out.flush();
    this.wire.terminate();
  }

  #readHeads(chunk: Buffer, from = 0): void {
    let offset = from;
    // Responses may be sent at once: a loop, so that a pipeline in one chunk does not recurse.
    while (offset < chunk.length && this.#awaitsHead()) {
      if (this.out.blocked) {
        // A client that sends requests without reading responses must read them first.
        this.keepUnread(chunk.subarray(offset));
        return;
      }
      offset = this.#partial === "" ? this.#readWhole(chunk, offset) : this.#readPart(chunk, offset);
      if (offset < chunk.length && !this.#awaitsHead()) offset = this.#readBody(chunk, offset);
    }
  }

  /** Reads a head that is complete in the chunk. Returns the index after it. */
  #readWhole(chunk: Buffer, offset: number): number {
    const from = chunk[offset] === CR && chunk[offset + 1] === LF ? offset + 2 : offset;
    const end = headEnd(chunk, from);
    if (end === -1 || end + 4 - from > this.limits.maxHeaderBytes) return this.#readPart(chunk, offset);
    this.#begin(chunk, from, end + 2);
    return end + 4;
  }

  /** Reads a head that arrives in several parts, or is too large. Returns the index after it, or the chunk's length. */
  #readPart(chunk: Buffer, offset: number): number {
    const before = this.#partial.length;
    const text = headText(this.#partial, chunk, offset, this.limits.maxHeaderBytes + 4);
    const from = text.startsWith("\r\n") ? 2 : 0;
    const end = text.indexOf("\r\n\r\n", Math.max(from, before - 3));
    if (end === -1 || end + 4 - from > this.limits.maxHeaderBytes) {
      this.#waitForHead(text, from, end);
      return chunk.length;
    }
    this.#partial = "";
    this.#begin(Buffer.from(text, "latin1"), from, end + 2);
    return offset + end + 4 - before;
  }

  #awaitsHead(): boolean {
    return this.#state === IDLE || this.#state === HEAD;
  }

  /** Keeps an unfinished head, or refuses one that is too large or cannot become valid. */
  #waitForHead(text: string, start: number, end: number): void {
    const seen = this.#partial.length;
    const error = unfinishedHeadError(text, { start, end, seen, limit: this.limits.maxHeaderBytes });
    if (error !== undefined) this.#refuse(error, text);
    else {
      this.#partial = text;
      if (this.#state === IDLE) {
        this.#state = HEAD;
        this.#host.wheel.set(this, this.limits.headerMs);
      }
    }
  }

  /** Begins the request whose head is from `from` to `end`. */
  #begin(bytes: Buffer, from: number, end: number): void {
    place.from = from;
    place.end = end;
    context.scheme = this.#host.scheme;
    context.maxCount = this.limits.maxHeaderCount;
    const request = parseRequestHead(bytes, place, context);
    if (isHeadError(request)) {
      this.#refuse(request, latin1Text(bytes, from, bytes.length));
      return;
    }
    this.#run(request);
  }

  #run(request: ParsedRequest): void {
    const host = this.#host;
    this.#state = BUSY;
    const { bodyLength } = request.head;
    this.#body = bodyLength === 0 ? undefined : new Http1RequestBody(this, bodyLength, bodyLimit(host, request.head));
    this.#tunnel = request.head.upgrade === "" ? undefined : new TunnelBytes(this);
    const exchange = new Http1Exchange(this, request, this.#body ?? this.#tunnel);
    this.#exchange = exchange;
    if (this.#body === undefined) host.wheel.clear(this);
    else {
      this.#bodyTime = new BodyTime(this.limits.bodyMs);
      host.wheel.set(this, this.#bodyTime.run(host.wheel.now()));
    }
    host.handle(exchange);
  }

  /** Passes the bytes of the chunk from `from` to the body. Returns the index of the next request, or the chunk's length. */
  #readBody(chunk: Buffer, from: number): number {
    const body = this.#body;
    let at = from;
    if (body !== undefined && !body.complete) {
      at = body.receive(chunk, from);
      // The reader of the body may have responded during the call. The remaining bytes belong to the next request, or are
      // dropped.
      if (this.#state !== BUSY) return this.#state === IDLE ? at : chunk.length;
      if (body.error !== undefined) {
        // After an error the meaning of the following bytes is unknown.
        this.#closeAfterResponse();
        return chunk.length;
      }
      if (!body.complete) return chunk.length;
      this.#host.wheel.clear(this);
      if (this.#exchange === undefined) {
        if (this.#closing) {
          this.#close();
          return chunk.length;
        }
        this.#nextState();
      }
    }
    if (at >= chunk.length || (this.#state !== BUSY && this.#state !== TUNNEL)) return at;
    if (this.#state === BUSY) this.keepUnread(chunk.subarray(at));
    else this.#tunnel?.receive(chunk.subarray(at));
    return chunk.length;
  }

  /** Keeps bytes of later requests. At most one read is kept, because reading is paused until they are used. */
  keepUnread(bytes: Buffer): void {
    this.holdReading(true);
    this.#unread ??= new UnreadBytes(this.#host.buffers);
    if (this.#unread.keep(bytes)) return;
    // The current response is still sent: clients must be ready to repeat pipelined requests (RFC 9112 §9.3.2). A tunnel is
    // closed at once.
    if (this.#tunnel !== undefined) this.cutOff();
    else this.#closeAfterResponse();
  }

  #closeAfterResponse(): void {
    this.#closing = true;
    if (this.#exchange === undefined) this.#close();
  }

  takeUnread(): Buffer | undefined {
    this.holdReading(false);
    return this.#unread?.take();
  }

  #readUnread(): void {
    const unread = this.#unread?.empty === false ? this.takeUnread() : undefined;
    if (unread !== undefined) this.#readHeads(unread);
  }

  #nextState(): void {
    this.#state = IDLE;
    this.#body?.forget();
    this.#body = undefined;
    this.#tunnel = undefined;
    if (this.#peerEnded) {
      this.#close();
      return;
    }
    this.#host.wheel.set(this, this.limits.idleMs);
  }

  #next(): void {
    this.#nextState();
    if (this.#unread === undefined || this.#unread.empty) return;
    this.out.flush();
    if (!this.out.blocked) this.#readUnread();
  }

  /**
   * Responds to a request that cannot become an exchange, and closes. `head` begins with the request line, as far as it was
   * received.
   */
  #refuse(error: HeadError, head: string): void {
    const { text, request } = refuse(error, head, { scheme: this.#host.scheme, clientAddress: this.peerAddress });
    this.out.text(text);
    this.#host.refused(request);
    this.#close();
  }

  /**
   * Closes at once if the client sends no more requests: waiting for its FIN costs a tenth of a connection (bench front,
   * connects). Over TLS it does not, because the client would reply to the end with a record and receive a reset.
   */
  #closeForGood(): void {
    if (this.#host.scheme === "https" || this.#sending.isUnderWay) {
      this.#close();
      return;
    }
    this.out.flushBeforeEnd();
    if (this.#sending.isUnderWay) this.#close();
    else this.wire.close();
  }

  /** Sends the remaining bytes, then FIN, and waits for a while until the peer closes. */
  #close(): void {
    if (this.#state === LINGERING || this.#state === CLOSED) return;
    this.#state = LINGERING;
    this.#body?.forget();
    this.#unread?.take();
    this.#partial = "";
    this.out.flush();
    this.holdReading(false);
    this.#host.wheel.clear(this);
    this.#linger();
  }

  /** Starts to linger when the client has received everything. Until then other deadlines apply. */
  #linger(): void {
    if (this.#sending.isUnderWay) return;
    this.#host.wheel.set(this, LINGER_MS);
    // This comes last, because it may close the socket.
    this.wire.shutdown();
  }
}
