import { type BufferPool } from "../../lib/buffer-pool.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";
import { plainAddress } from "../client-address.ts";
import { type ToldClient } from "../exchange.ts";
import { type HeadFault } from "../refusal.ts";
import {
  bodyLimit,
  type ClientPlace,
  type ServerConnection,
  type ServerHost,
  type ServerSettings,
} from "../server-host.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { type Taken } from "../wire/arrivals.ts";
import { headText, unfinishedHeadFault } from "./head-text.ts";
import { flushCork, holdCork, type Outgoing } from "../wire/outgoing.ts";
import { type SendingOwner, SendingSide } from "../wire/sending-side.ts";
import { BodyTime } from "./body-time.ts";
import { refuse } from "./refusal.ts";
import { type BodySource, Http1RequestBody } from "./request-body.ts";
import { isFault, parseRequestHead } from "./request-head.ts";
import { type ExchangeConnection, Http1Exchange } from "./server-exchange.ts";
import { TunnelBytes, type TunnelSource } from "./tunnel-bytes.ts";
import { UnreadBytes } from "./unread-bytes.ts";

/** Milliseconds that a closed-off connection is read from, so that the last answer is not lost to a reset (RFC 9112 §9.6). @bound */
const LINGER_MS = 2000;
/** A request body's rest up to this size is read and forgotten to keep the connection; beyond it the connection closes. */
const MAX_DISCARD_BYTES = 65_536;
/** Where a head lies, and whose it is: filled in for each, since two more objects a request are 2 % of what it allocates. */
const bounds = { from: 0, end: 0 };
const context: { scheme: "http" | "https"; maxHeaderCount: number } = { scheme: "http", maxHeaderCount: 0 };
const IDLE = 0;
const HEAD = 1;
const BUSY = 2;
const TUNNEL = 3;
const LINGERING = 4;
const CLOSED = 5;
/**
 * A client's HTTP/1 connection (RFC 9112): finds requests in the bytes, runs one exchange at a time, keeps the rest
 * of a pipeline for later.
 *
 *   IDLE ─ bytes ─▶ HEAD ─ head whole ─▶ BUSY ─ answered, body read ─▶ IDLE
 *                                          ├─ to be closed ─▶ LINGERING ─▶ CLOSED
 *                                          └─ 101 ─▶ TUNNEL ─▶ LINGERING ─▶ CLOSED
 */
export class Http1ServerConnection
  extends Deadline
  implements WireHandler, ServerConnection, ExchangeConnection, BodySource, TunnelSource, SendingOwner
{
  rosterIndex = -1;
  place: ClientPlace | undefined;
  told: ToldClient | undefined = undefined;
  readonly out: Outgoing;
  readonly peerAddress: string;
  readonly #wire: Wire;
  readonly #host: ServerHost;
  readonly #sending: SendingSide;
  #state = IDLE;
  /** The start of a head whose end has not come. */
  #partial = "";
  /** Bytes behind the current request: the next ones of a pipeline. */
  #unread: UnreadBytes | undefined;
  #exchange: Http1Exchange | undefined;
  #body: Http1RequestBody | undefined;
  /** The current request asks for a tunnel. */
  #tunnel: TunnelBytes | undefined;
  /** Made with the first body. */
  #bodyTime: BodyTime | undefined;
  #held = false;
  #closing = false;
  #peerEnded = false;

  constructor(wire: Wire, host: ServerHost) {
    super();
    this.#wire = wire;
    this.#host = host;
    this.peerAddress = plainAddress(host.peerAddress ?? wire.remoteAddress ?? "");
    this.#sending = new SendingSide(this);
    this.out = this.#sending.out;
    host.wheel.set(this, host.settings().idleMs);
  }

  get wire(): Wire {
    return this.#wire;
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
    holdCork();
    switch (this.#state) {
      case IDLE:
      case HEAD:
        this.#readHead(chunk);
        break;
      case BUSY: {
        const at = this.#readBody(chunk, 0);
        if (at < chunk.length) this.#readHead(chunk.subarray(at));
        break;
      }
      case TUNNEL:
        this.#tunnel?.receive(chunk);
        break;
      default:
    }
    flushCork();
  }

  onDrain(): void {
    if (!this.#sending.drain()) return;
    if (this.#state === LINGERING) this.#linger();
    else if (this.#exchange !== undefined) this.#exchange.onDrain?.();
    else if (this.#state === IDLE) this.#readUnread();
    flushCork();
  }

  onEnd(): void {
    this.#peerEnded = true;
    this.#sending.peerEnded();
    // A client may close its half and wait (RFC 9112 §9.6). One that closed both looks the same until a write fails, and
    // an upstream that works on for it is the dearer mistake: as in nginx, a client that ends has left.
    if (this.#state === TUNNEL) this.#tunnel?.receiveEnd();
    else if (this.#exchange !== undefined) this.#wire.terminate();
    else this.#close();
    flushCork();
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
    // First, so that nobody answers the end of the body to a client that is gone.
    exchange?.cancel();
    if (this.#body !== undefined && !this.#body.complete) {
      this.#body.abort(
        new TurnpikeError("bad-request", "the client closed the connection before its body was complete"),
      );
    }
    this.#host.closed(this);
    flushCork();
  }

  /** No further request: an idle connection closes at once, a busy one after its answer. */
  drain(): void {
    this.#closing = true;
    if (this.#state === IDLE) this.#close();
  }

  override onDeadline(): void {
    switch (this.#state) {
      case HEAD:
        this.#refuse({ code: "request-timeout", detail: "the request head did not come in time" }, this.#partial);
        break;
      case BUSY:
        this.#closing = true;
        this.#body?.abort(new TurnpikeError("request-timeout", "the request body did not come in time"));
        if (this.#exchange === undefined) this.#close();
        break;
      case IDLE:
        // An answer that is still on its way is the write deadline's.
        if (this.out.blocked) this.#host.wheel.set(this, this.limits.idleMs);
        else this.#closeForGood();
        break;
      case LINGERING:
        // Not `terminate`: a client that reads slowly may have much of its answer still to come from the kernel.
        this.#wire.close();
        break;
      default:
    }
    flushCork();
  }

  holdReading(hold: boolean): void {
    if (this.#held === hold || this.#state === CLOSED) return;
    this.#held = hold;
    if (hold) {
      this.#wire.pause();
      this.#bodyTime?.rest();
      this.#host.wheel.clear(this);
    } else {
      this.#wire.resume();
      const left = this.#bodyTime?.run() ?? 0;
      if (this.#body !== undefined && !this.#body.complete) this.#host.wheel.set(this, left);
    }
  }

  staysOpen(exchange: Http1Exchange, endsByClosing: boolean): boolean {
    const body = this.#body;
    if (endsByClosing || this.#host.draining() || !exchange.keepAlive || body?.fault !== undefined)
      this.#closing = true;
    else if (body !== undefined && !body.complete) {
      // A client that waits for its 100 may or may not send the body now: what comes next could not be told apart.
      if (body.remaining > MAX_DISCARD_BYTES || exchange.head.expectContinue) this.#closing = true;
    }
    return !this.#closing;
  }

  finished(exchange: Http1Exchange): void {
    if (exchange !== this.#exchange) return;
    this.#exchange = undefined;
    const body = this.#body;
    if (!exchange.keepAlive && body === undefined && this.#unread === undefined && this.#tunnel === undefined) {
      this.#closeForGood();
      return;
    }
    if (this.#closing || body?.fault !== undefined) {
      this.#close();
      return;
    }
    if (body !== undefined && !body.complete) {
      body.discard();
      return;
    }
    this.#next();
  }

  /** Told by the deadline, which is `idle_ms` after the last request: nothing has to be noted for each. */
  get idleSince(): number {
    if (this.#state === LINGERING && !this.out.blocked) return this.due - LINGER_MS;
    return this.#state === IDLE && !this.out.blocked ? this.due - this.limits.idleMs : Number.POSITIVE_INFINITY;
  }

  makeWay(): void {
    this.out.flush();
    this.#wire.shutdown();
    this.#wire.close();
  }

  awaitArrival(told: Taken): void {
    this.#sending.awaitArrival(told);
  }

  /** The final head was a 101: from now on this is a tunnel, which never serves another request. */
  switched(): void {
    this.#state = TUNNEL;
    this.#closing = true;
    this.#tunnel?.open();
  }

  cutOff(): void {
    this.out.flush();
    this.#wire.terminate();
  }

  #readHead(chunk: Buffer): void {
    let offset = 0;
    // Answers may come at once, so that a pipeline in one chunk is a loop and not a recursion.
    while (offset < chunk.length && this.#awaitsHead()) {
      if (this.out.blocked) {
        // A client that sends requests and reads no answers waits until it has read them.
        this.keepUnread(chunk.subarray(offset));
        return;
      }
      const before = this.#partial.length;
      const text = headText(this.#partial, chunk, offset, this.limits.maxHeaderBytes + 4);
      const start = text.startsWith("\r\n") ? 2 : 0;
      const end = text.indexOf("\r\n\r\n", Math.max(start, before - 3));
      if (end === -1 || end + 4 - start > this.limits.maxHeaderBytes) {
        this.#waitForHead(text, start, end);
        return;
      }
      this.#partial = "";
      offset += end + 4 - before;
      this.#begin(text, start, end + 2);
      if (offset < chunk.length && !this.#awaitsHead()) offset = this.#readBody(chunk, offset);
    }
  }

  #awaitsHead(): boolean {
    return this.#state === IDLE || this.#state === HEAD;
  }

  /** Keeps an unfinished head, or refuses what is too large or cannot become one. */
  #waitForHead(text: string, start: number, end: number): void {
    const seen = this.#partial.length;
    const fault = unfinishedHeadFault(text, { start, end, seen, limit: this.limits.maxHeaderBytes });
    if (fault !== undefined) this.#refuse(fault, text);
    else {
      this.#partial = text;
      if (this.#state === IDLE) {
        this.#state = HEAD;
        this.#host.wheel.set(this, this.limits.headerMs);
      }
    }
  }

  #begin(text: string, from: number, end: number): void {
    const host = this.#host;
    const { maxHeaderCount, bodyMs } = this.limits;
    bounds.from = from;
    bounds.end = end;
    context.scheme = host.scheme;
    context.maxHeaderCount = maxHeaderCount;
    const request = parseRequestHead(text, bounds, context);
    if (isFault(request)) {
      this.#refuse(request, text.slice(from));
      return;
    }
    this.#state = BUSY;
    const { bodyLength } = request.head;
    this.#body = bodyLength === 0 ? undefined : new Http1RequestBody(this, bodyLength, bodyLimit(host, request.head));
    this.#tunnel = request.head.upgrade === "" ? undefined : new TunnelBytes(this);
    const exchange = new Http1Exchange(this, request, this.#body ?? this.#tunnel);
    this.#exchange = exchange;
    if (this.#body === undefined) host.wheel.clear(this);
    else host.wheel.set(this, (this.#bodyTime ??= new BodyTime()).begin(bodyMs));
    host.handle(exchange);
  }

  /** Gives the chunk's bytes from `from` to the body; returns where the next request begins, or the chunk's length. */
  #readBody(chunk: Buffer, from: number): number {
    const body = this.#body;
    let at = from;
    if (body !== undefined && !body.complete) {
      at = body.receive(chunk, from);
      // Answered from within, by whoever read the body: what follows is another request's, or nobody's.
      if (this.#state !== BUSY) return this.#state === IDLE ? at : chunk.length;
      if (body.fault !== undefined) {
        // Where the bytes after a fault belong cannot be known.
        this.#closeAfterAnswer();
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

  /** Puts by what belongs to later requests; one read's worth, since nothing more is read until then. */
  keepUnread(bytes: Buffer): void {
    this.holdReading(true);
    this.#unread ??= new UnreadBytes(this.#host.buffers);
    if (this.#unread.keep(bytes)) return;
    // No answer is cut for them: who sends requests ahead must be ready to send them again (RFC 9112 §9.3.2). A tunnel is.
    if (this.#tunnel !== undefined) this.cutOff();
    else this.#closeAfterAnswer();
  }

  #closeAfterAnswer(): void {
    this.#closing = true;
    if (this.#exchange === undefined) this.#close();
  }

  takeUnread(): Buffer | undefined {
    this.holdReading(false);
    return this.#unread?.take();
  }

  #readUnread(): void {
    const unread = this.#unread?.empty === false ? this.takeUnread() : undefined;
    if (unread !== undefined) this.#readHead(unread);
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

  /** Answers what cannot become an exchange, and closes. `head` begins with the request line, as far as it came. */
  #refuse(fault: HeadFault, head: string): void {
    const { text, request } = refuse(fault, head, { scheme: this.#host.scheme, clientAddress: this.peerAddress });
    this.out.text(text);
    this.#host.refused(request);
    this.#close();
  }

  /**
   * Closes at once where the client sends no more: waiting for its FIN costs a tenth of a connection (bench front, connects).
   * Not over TLS, where the client answers the end with a record, and would hear a reset.
   */
  #closeForGood(): void {
    this.out.flush();
    if (this.#sending.isUnderWay || this.#host.scheme === "https") this.#close();
    else this.#wire.close();
  }

  /** Sends what is left, then FIN, then waits a while for the peer to close. */
  #close(): void {
    if (this.#state === LINGERING || this.#state === CLOSED) return;
    this.#state = LINGERING;
    this.#body?.forget();
    this.#unread?.take();
    this.#partial = "";
    this.out.flush();
    if (this.#held) {
      this.#held = false;
      this.#wire.resume();
    }
    this.#host.wheel.clear(this);
    this.#linger();
  }

  /** What the socket has not taken is the write deadline's, and what is under way to the client the arrivals'. */
  #linger(): void {
    if (this.#sending.isUnderWay) return;
    this.#host.wheel.set(this, LINGER_MS);
    // Last, since the socket may be gone with it.
    this.#wire.shutdown();
  }
}
