import { type ErrorCode, TurnpikeError } from "../../lib/errors.ts";
import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { freeBytes } from "../../lib/memory/free-bytes.ts";
import { TextPieces } from "../../lib/memory/text-pieces.ts";
import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { webSocketAccept } from "../../lib/http/websocket-handshake.ts";
import { type BodySink, type ResponseSink, type TimeKeeper } from "../exchange/exchange.ts";
import { changedHead } from "../exchange/exchange-state.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { ChunkedDecoder, chunkHead, type ChunkedSink } from "./chunked.ts";
import { ClientTunnel } from "./client-tunnel.ts";
import { FieldScan } from "./field-scan.ts";
import { MAX_KEPT_BYTES } from "./head-lines.ts";
import { headEnd, headText, isHopeless } from "./head-text.ts";
import { Outgoing } from "../wire/outgoing.ts";
import { isProofOf, type ParsedResponse, parseResponseHead } from "./response-head.ts";
import { beginEvent, endEvent } from "../../lib/time/event-clock.ts";

/**
 * Bytes of an upstream's response head, also of each interim head. At least the default limit of nginx and Envoy. A larger
 * head is refused. @operator
 */
const MAX_RESPONSE_HEAD_BYTES = 65_536;
const MAX_RESPONSE_FIELDS = 256;
const RESPONSE_FIELDS = { isRequest: false, maxCount: MAX_RESPONSE_FIELDS };
/**
 * Interim responses to one request (RFC 9110 §15.2 sets no limit). More are treated as an upstream that never sends a final
 * response.
 */
const MAX_INTERIM = 32;

const IDLE = 0;
const HEAD = 1;
const LENGTH = 2;
const CHUNKED = 3;
const UNTIL_CLOSE = 4;
const TUNNEL = 5;
const CLOSED = 6;

const trailerScan = new FieldScan();
/** The head that is being composed: `begin` and `endHead` follow each other within one call. */
const headPieces = new TextPieces();

/** The owner of a connection. It is notified when the connection may be used again, and when it has closed. */
export interface ConnectionOwner {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  released(connection: ClientConnection): void;
  closed(connection: ClientConnection): void;
}

/**
 * A connection to an upstream server that carries one HTTP/1 request at a time (RFC 9112). It calls a response sink:
 * `start`s, data, and one `end` or `abort`, after which nothing follows.
 *
 *   IDLE ─ request ─▶ HEAD ─┬─▶ LENGTH ────┐
 *     ▲                     ├─▶ CHUNKED ───┼─ end ─▶ IDLE or CLOSED
 *     └── no body ──────────┼─▶ UNTIL_CLOSE┘
 *                           └─▶ TUNNEL, after a requested 101 ─▶ CLOSED
 */
export class ClientConnection extends Deadline implements WireHandler, ChunkedSink {
  readonly #owner: ConnectionOwner;
  #wire: Wire | undefined;
  #out: Outgoing | undefined;
  #state = IDLE;
  #sink: ResponseSink | undefined;
  #method = "";
  /** The expected Sec-WebSocket-Accept of a 101; empty if no upgrade was requested. */
  #accept = "";
  #tunnel: ClientTunnel | undefined;
  #partial = "";
  #remaining = 0;
  #chunked: ChunkedDecoder | undefined;
  #reusable = false;
  #requestSent = false;
  #requestChunked = false;
  #interim = 0;
  #paused = false;
  /** A head or the sink may keep the current read. */
  #isReadKept = false;
  /** Requests sent on this connection. More than one distinguishes a stale connection from a server that is down. */
  requests = 0;
  /** True after any byte of the current response was received. */
  heard = false;
  /** The share in which the request counts. It is released before the connection may be used again. */
  share: { give(): void } | undefined = undefined;
  /** Called when the upstream accepts more of the request body. */
  onSendable: (() => void) | undefined = undefined;
  /** Notified when a time limit is exceeded; the connection is then still open. */
  timeKeeper: TimeKeeper | undefined = undefined;

  constructor(owner: ConnectionOwner) {
    super();
    this.#owner = owner;
  }

  /** Sets the socket of this connection. Closes the socket if the connection was given up meanwhile. */
  attach(wire: Wire): void {
    if (this.#state === CLOSED) {
      wire.terminate();
      return;
    }
    this.#owner.wheel.clear(this);
    this.#wire = wire;
    this.#out = new Outgoing(wire, this, this.#owner.buffers);
  }

  get open(): boolean {
    return this.#state !== CLOSED && this.#wire !== undefined;
  }

  /** Maximum milliseconds between two bytes; set by `waitAtMost`. */
  #patienceMs = Number.POSITIVE_INFINITY;
  /** The time by which the response must be complete, in wheel time. */
  #dueAt = Number.POSITIVE_INFINITY;

  /**
   * True if the gateway waits for the upstream: to read the request, or to respond. While the gateway itself pauses the
   * upstream, its silence does not count.
   */
  get awaited(): boolean {
    return !this.#paused && (this.#requestSent || this.#out?.blocked === true);
  }

  /**
   * Notifies `timeKeeper` if an awaited upstream is silent for `patienceMs`, or if the response is not complete at `dueAt`
   * (wheel time).
   */
  waitAtMost(patienceMs: number, dueAt: number): void {
    this.#patienceMs = patienceMs;
    this.#dueAt = dueAt;
    this.#arm();
  }

  closeWhenDone(): void {
    this.#reusable = false;
  }

  /** Closes the connection unless it is used within `ms`. */
  closeAfter(ms: number): void {
    this.#owner.wheel.set(this, ms);
  }

  onBlocked(): void {
    this.#arm();
  }

  #arm(): void {
    const { wheel } = this.#owner;
    if (this.#out?.exhausted === true) {
      wheel.set(this, 0);
      return;
    }
    const left = this.#dueAt - wheel.now();
    wheel.set(this, this.awaited ? Math.min(this.#patienceMs, left) : left);
  }

  override onDeadline(): void {
    if (this.#state === IDLE) this.destroy();
    else if (this.#out?.exhausted === true)
      this.#fail("no memory is left for data that waits for the upstream", "overloaded");
    else this.timeKeeper?.timedOut();
  }

  /**
   * Begins a request. `head` is the whole head without framing and without the empty line; `bodyLength` is as in
   * RequestHead. The body follows with `data` and `end`. Without a body no call follows.
   */
  request(method: string, head: string, bodyLength: number, sink: ResponseSink): void {
    this.begin(method, bodyLength, sink).add(head);
    this.endHead(method, bodyLength);
  }

  /** Like `request`, but the caller adds the head to the returned pieces, then calls `endHead`. */
  begin(method: string, bodyLength: number, sink: ResponseSink): TextPieces {
    this.requests++;
    this.#method = method;
    this.#accept = "";
    this.#sink = sink;
    this.#state = HEAD;
    this.#interim = 0;
    this.heard = false;
    this.#requestChunked = bodyLength === -1;
    this.#requestSent = bodyLength === 0;
    return headPieces.begin();
  }

  /**
   * Writes the head that `begin` began, its framing and the empty line. With a `key` it is a WebSocket handshake with that key
   * (RFC 6455 §4.1): only a 101 that proves knowledge of the key reaches the sink, which must call `takeTunnel` during that
   * `start`.
   */
  endHead(method: string, bodyLength: number, key = ""): void {
    if (key !== "") {
      headPieces.add("Connection: upgrade\r\nUpgrade: websocket\r\n");
      this.#accept = webSocketAccept(key);
    }
    if (bodyLength === -1) headPieces.add("Transfer-Encoding: chunked\r\n");
    // RFC 9110 §8.6: a method that expects content sends a length even without content.
    else if (bodyLength > 0 || method === "POST" || method === "PUT" || method === "PATCH") {
      headPieces.add(`Content-Length: ${bodyLength}\r\n`);
    }
    headPieces.add("\r\n");
    this.#out?.pieces(headPieces);
  }

  /** Hands the connection over: it carries raw bytes from now on, and no other request. */
  takeTunnel(sink: BodySink, writeMs: number): ClientTunnel {
    const wire = this.#wire;
    if (wire === undefined || this.#state !== TUNNEL) throw new Error("Cannot make a tunnel: there was no 101");
    const { wheel, buffers } = this.#owner;
    wheel.remove(this);
    this.#sink = undefined;
    this.#tunnel = new ClientTunnel(wire, sink, { wheel, buffers, writeMs, onGone: () => this.destroy() });
    return this.#tunnel;
  }

  /** Sends a piece of the request body. False: wait for `onSendable`. */
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    const out = this.#out;
    if (out === undefined || this.#state === CLOSED || start === end) return true;
    if (this.#requestChunked) {
      out.text(chunkHead(end - start));
      out.bytes(chunk, start, end);
      out.text("\r\n");
    } else out.bytes(chunk, start, end);
    return !out.blocked;
  }

  end(trailers: Fields): void {
    this.#requestSent = true;
    if (this.#requestChunked && this.#state !== CLOSED) this.#out?.text(`0\r\n${trailers}\r\n`);
  }

  pause(): void {
    if (this.#paused || this.#state === CLOSED) return;
    this.#paused = true;
    this.#wire?.pause();
    this.#arm();
  }

  resume(): void {
    if (!this.#paused || this.#state === CLOSED) return;
    this.#paused = false;
    this.#wire?.resume();
    if (this.#sink !== undefined) this.#arm();
  }

  /** Closes at once; the sink receives nothing more. */
  destroy(): void {
    this.#sink = undefined;
    if (this.#state === CLOSED) return;
    this.#state = CLOSED;
    this.#out?.discard();
    this.#wire?.terminate();
    this.#gone();
  }

  onData(chunk: Buffer): void {
    beginEvent();
    this.heard = true;
    const sink = this.#sink;
    this.#isReadKept = chunk.length <= MAX_KEPT_BYTES;
    let at = 0;
    while (at < chunk.length && this.#state !== CLOSED) {
      switch (this.#state) {
        case HEAD:
          at = this.#readHead(chunk, at);
          break;
        case LENGTH: {
          const take = Math.min(this.#remaining, chunk.length - at);
          this.#remaining -= take;
          this.onChunk(chunk, at, at + take);
          at += take;
          if (this.#remaining === 0) this.#complete("", at < chunk.length);
          break;
        }
        case CHUNKED:
          this.#readChunked(chunk, at);
          at = chunk.length;
          break;
        case UNTIL_CLOSE:
          this.onChunk(chunk, at, chunk.length);
          at = chunk.length;
          break;
        case TUNNEL:
          this.#tunnel?.receive(chunk, at);
          at = chunk.length;
          break;
        default:
          // Unexpected bytes: a later request must not take them for its response.
          this.destroy();
      }
    }
    if (this.#sink !== undefined && !this.#paused) this.#arm();
    endEvent();
    if (!this.#isReadKept && this.#tunnel === undefined && sink?.keepsNoChunk === true) freeBytes(chunk);
  }

  /** The socket accepts more. */
  onDrain(): void {
    const out = this.#out;
    if (out === undefined) return;
    const before = out.backlogBytes;
    const drained = out.drain();
    if (out.backlogBytes < before) this.#arm();
    if (drained) this.onSendable?.();
  }

  onEnd(): void {
    if (this.#state === UNTIL_CLOSE) {
      this.#complete("", true);
    } else this.#fail("the upstream closed the connection before its response was complete");
  }

  onClose(): void {
    if (this.#state === CLOSED) return;
    this.#fail("the upstream closed the connection before its response was complete");
  }

  onChunk(chunk: Uint8Array, start: number, end: number): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#isReadKept ||= sink.keepsNoChunk !== true;
    if (!sink.data(chunk, start, end)) this.pause();
  }

  #readHead(chunk: Buffer, from: number): number {
    const end = this.#partial === "" ? headEnd(chunk, from) : -1;
    if (end === -1 || end - from > MAX_RESPONSE_HEAD_BYTES) return this.#readParts(chunk, from);
    this.#parse(chunk, { from, end: end + 2 }, end + 4 < chunk.length);
    return end + 4;
  }

  /** Reads a head that arrives in several parts, or is too large. */
  #readParts(chunk: Buffer, from: number): number {
    const before = this.#partial.length;
    const text = headText(this.#partial, chunk, from, MAX_RESPONSE_HEAD_BYTES + 4);
    const end = text.indexOf("\r\n\r\n", before - 3);
    if (end === -1) {
      this.#partial = text;
      if (text.length > MAX_RESPONSE_HEAD_BYTES) this.#fail("the upstream's response head is too large");
      else if (!"HTTP/1.".startsWith(text.slice(0, 7))) this.#fail("malformed status line");
      else if (isHopeless(text, before)) this.#fail("malformed response head");
      return chunk.length;
    }
    this.#partial = "";
    const at = from + end + 4 - before;
    this.#parse(Buffer.from(text, "latin1"), { from: 0, end: end + 2 }, at < chunk.length);
    return at;
  }

  #parse(bytes: Buffer, bounds: { from: number; end: number }, more: boolean): void {
    const response = parseResponseHead(bytes, bounds, RESPONSE_FIELDS);
    if (typeof response === "string") this.#fail(response);
    else this.#begin(response, more);
  }

  #begin(response: ParsedResponse, more: boolean): void {
    const { status } = response.head;
    const sink = this.#sink;
    if (status === 101) {
      this.#switch(response);
      return;
    }
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM) this.#fail("the upstream sent too many interim responses");
      else sink?.start(response.head);
      return;
    }
    this.#reusable = response.keepAlive;
    const bodyless = this.#method === "HEAD" || status === 204 || status === 304;
    if (bodyless) {
      sink?.start(status === 204 ? changedHead(response.head, { bodyLength: 0 }) : response.head);
      this.#complete("", more);
    } else if (response.chunked) {
      this.#state = CHUNKED;
      this.#chunked = new ChunkedDecoder(MAX_RESPONSE_HEAD_BYTES, Number.POSITIVE_INFINITY);
      sink?.start(response.head);
    } else if (response.head.bodyLength === -1) {
      this.#state = UNTIL_CLOSE;
      sink?.start(response.head);
    } else {
      this.#state = LENGTH;
      this.#remaining = response.head.bodyLength;
      sink?.start(response.head);
      if (response.head.bodyLength === 0) this.#complete("", more);
    }
  }

  #switch(response: ParsedResponse): void {
    if (!isProofOf(this.#accept, response) || this.#out?.blocked === true) {
      this.#fail("the upstream sent a 101 that does not fit the request");
      return;
    }
    this.#state = TUNNEL;
    this.#sink?.start(changedHead(response.head, { bodyLength: -1 }));
    if (this.#tunnel === undefined) this.destroy();
  }

  /** Reads the rest of the chunk. Bytes behind the body close the connection. */
  #readChunked(chunk: Buffer, from: number): void {
    const decoder = this.#chunked;
    if (decoder === undefined) return;
    const at = decoder.decode(chunk, from, this);
    if (decoder.error !== "") this.#fail(`malformed chunked body: ${decoder.error}`);
    else if (decoder.done) {
      const lines = decoder.trailers;
      if (lines !== "" && !trailerScan.scan(Buffer.from(`${lines}\r\n`, "latin1"), 0, lines.length, RESPONSE_FIELDS))
        this.#fail("malformed trailers");
      else this.#complete(lines === "" ? "" : trailerScan.fields, at < chunk.length);
    }
  }

  /**
   * Ends a complete response, after the connection is ready for the next request or closed. With `more` bytes after the
   * response the connection is closed: the next request must not take unexpected bytes for its response.
   */
  #complete(trailers: Fields, more: boolean): void {
    const sink = this.#sink;
    if (this.#state === CLOSED) return;
    this.#sink = undefined;
    this.#chunked = undefined;
    this.onSendable = undefined;
    this.timeKeeper = undefined;
    this.#owner.wheel.clear(this);
    const reuse = this.#reusable && !more && this.#requestSent && this.#out?.blocked === false;
    this.#state = reuse ? IDLE : CLOSED;
    this.#giveShare();
    if (reuse) {
      // A pooled connection must notice when its server closes it.
      this.resume();
      this.#owner.released(this);
    } else {
      this.#out?.flush();
      this.#wire?.terminate();
      this.#gone();
    }
    sink?.end(trailers);
  }

  #fail(detail: string, code: ErrorCode = "upstream-failed"): void {
    const sink = this.#sink;
    this.destroy();
    sink?.abort(new TurnpikeError(code, detail));
  }

  #giveShare(): void {
    this.share?.give();
    this.share = undefined;
  }

  #gone(): void {
    this.#giveShare();
    this.#owner.wheel.remove(this);
    this.onSendable = undefined;
    this.timeKeeper = undefined;
    this.#owner.closed(this);
  }
}
