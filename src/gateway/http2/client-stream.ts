import { changedHead } from "../exchange/exchange-state.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type BodySink, type ResponseHead, type ResponseSink, type TimeKeeper } from "../exchange/exchange.ts";
import { CANCEL, PROTOCOL_ERROR, REFUSED_STREAM } from "./frame.ts";
import { maxEncodedLength, writeContentLength, writeField, writeNewFields } from "./hpack/encoder.ts";
import { type ResponseFields } from "./response-fields.ts";
import { Http2Stream, type StreamConnection } from "./stream.ts";

/**
 * Interim responses to one request (RFC 9110 §15.2 sets no limit). Beyond it, the request fails: such an upstream may
 * never send a final response.
 */
const MAX_INTERIM = 32;

/** A request in the form that HTTP/2 sends. */
export interface ClientRequest {
  readonly method: string;
  readonly scheme: "http" | "https";
  readonly authority: string;
  readonly path: string;
  /** End-to-end fields without Host and Content-Length. The only connection-specific field is `te: trailers`. */
  readonly fields: Fields;
  /**
   * Further fields, which are different for each request. `fields` may be the same as in an earlier request, and is
   * then encoded already.
   */
  readonly ownFields: Fields;
  /** As in RequestHead. */
  readonly bodyLength: number;
}

/** Bytes that a field counts beside its name and value (RFC 9113 §6.5.2). */
const FIELD_OVERHEAD = 32;
/** Bytes of the names of the pseudo-header fields and of Content-Length, with their overhead and its digits. */
const OWN_FIELDS_SIZE = 5 * FIELD_OVERHEAD + ":method:scheme:authority:pathcontent-length".length + 15;

/** The size of a request's head as RFC 9113 §6.5.2 counts it, or some bytes more. */
export function listSize({ method, scheme, authority, path, fields, ownFields }: ClientRequest): number {
  const size = OWN_FIELDS_SIZE + method.length + scheme.length + authority.length + path.length;
  return size + fieldsSize(fields) + fieldsSize(ownFields);
}

function fieldsSize(fields: Fields): number {
  let size = fields.length;
  // Each line has four characters that belong to neither name nor value.
  for (let at = fields.indexOf("\r\n"); at !== -1; at = fields.indexOf("\r\n", at + 2)) size += FIELD_OVERHEAD - 4;
  return size;
}

/** The parts of its connection that a request uses. */
export interface ClientStreamConnection extends StreamConnection {
  responseEnded(stream: ClientStream, trailers: Fields): void;
  responded(): void;
  /** A request that began at `since` (wheel time) reached its timeout. */
  timedOut(since: number): void;
  /** A request that began at `since` (wheel time) was cancelled before its timeout. */
  givenUp(since: number): void;
}

/**
 * One request to an upstream server, and its response. It calls a response sink: `start`s, data, and one `end` or
 * `abort`, which is the last call. The request's body is sent with `data` and `end`, as on an HTTP/1 connection.
 *
 *   awaiting a head ─ 1xx ─▶ awaiting a head ─ final ─▶ body ─ END_STREAM ─▶ over
 */
export class ClientStream extends Http2Stream implements Pick<BodySink, "data" | "end"> {
  /** True once anything arrived for this request, even a malformed frame or a reset: the connection was not dead. */
  heard = false;
  /** The server reported that it did not process this request, so any method may be retried (RFC 9113 §8.7). */
  unprocessed = false;
  /**
   * The client's share that this request counts against. It is given back before the connection takes another request.
   */
  share: { give(): void } | undefined = undefined;
  /** Called when the upstream can take more of the request body. */
  onSendable: (() => void) | undefined = undefined;
  /** Called when a timeout elapses while the stream is still open. */
  timeKeeper: TimeKeeper | undefined = undefined;
  /**
   * Milliseconds without any data in either direction after which the stream times out, while it does not wait for the
   * upstream. Takes effect with `waitAtMost`.
   */
  silenceMs = Number.POSITIVE_INFINITY;
  readonly #client: ClientStreamConnection;
  readonly #wheel: TimerWheel;
  readonly #request: ClientRequest;
  #responseSink: ResponseSink | undefined;
  /** The final head was received. */
  #begun = false;
  #interim = 0;
  /** Bytes of the response's body; -1 if the length is not known. */
  #expected = -1;
  /** Bytes of the request's body that are still to come; -1 if the length is not known. */
  #remaining: number;
  #held = false;
  #patienceMs = Number.POSITIVE_INFINITY;
  #dueAt = Number.POSITIVE_INFINITY;
  #why = "";
  #openedAt = 0;

  constructor(client: ClientStreamConnection, wheel: TimerWheel, streamId: number, request: ClientRequest) {
    super(client, streamId);
    this.#client = client;
    this.#wheel = wheel;
    this.#request = request;
    this.#remaining = request.bodyLength;
  }

  // --- the request ---

  /** Writes the head. The response goes to `sink`. */
  open(sink: ResponseSink): void {
    this.#responseSink = sink;
    this.#openedAt = this.#wheel.now();
    const endStream = this.#remaining === 0;
    this.openedHere();
    this.connection.writer.head({ streamId: this.streamId, endStream }, this.#request.fields, this);
    if (endStream) this.endedWithHead();
  }

  /** Maximum number of bytes that `encode` writes beside the names of the fields, the scheme and Content-Length. */
  get room(): number {
    const { method, authority, path, ownFields } = this.#request;
    return method.length + maxEncodedLength(authority) + maxEncodedLength(path) + maxEncodedLength(ownFields);
  }

  /** Writes the fields that precede the request's shared fields. Returns the offset behind them. */
  encode(target: Buffer, at: number): number {
    const { method, scheme, authority, path, ownFields, bodyLength } = this.#request;
    let offset = writeField(target, at, ":method", method);
    offset = writeField(target, offset, ":scheme", scheme);
    offset = writeField(target, offset, ":authority", authority);
    offset = writeField(target, offset, ":path", path);
    // RFC 9110 §8.6: a request whose method expects content has a Content-Length even if there is no content.
    const says = bodyLength > 0 || (bodyLength === 0 && (method === "POST" || method === "PUT" || method === "PATCH"));
    if (says) offset = writeContentLength(target, offset, bodyLength);
    return writeNewFields(target, offset, ownFields);
  }

  /**
   * Sends a piece of the request body. Returns false if the caller must wait for `onSendable`. Throws if the body
   * exceeds the announced length.
   */
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    if (this.isClosed || this.localEnded || start === end) return true;
    if (this.#remaining === -1) return this.send(chunk, start, end);
    this.#remaining -= end - start;
    if (this.#remaining < 0) throw new Error("Cannot send request data: it exceeds the announced Content-Length");
    return this.#remaining === 0 ? this.sendLast(chunk, start, end) : this.send(chunk, start, end);
  }

  /**
   * Ends the request body. Does nothing if the head has ended the request. Throws if the body is shorter than
   * announced.
   */
  end(trailers: Fields): void {
    if (this.isClosed || this.localEnded) return;
    if (this.#remaining > 0) throw new Error("Cannot end a request: it is shorter than the announced Content-Length");
    this.sendEnd(trailers);
  }

  /** Cancels the request. The sink is not called any more. */
  destroy(): void {
    this.#responseSink = undefined;
    if (!this.isClosed) this.connection.resetStream(this, CANCEL);
  }

  protected override moreWelcome(): void {
    this.onSendable?.();
  }

  protected override onStarved(): void {
    this.#arm();
  }

  protected override onMoved(): void {
    this.#arm();
  }

  protected override onSent(): void {
    this.#arm();
  }

  // --- the response ---

  /** Takes a head or the trailers. `endStream`: they end the response. */
  takeHead(fields: ResponseFields, endStream: boolean): void {
    this.heard = true;
    if (fields.tooLarge) this.#refuse(CANCEL, "the upstream's response head is too large");
    else if (this.#begun) this.#takeTrailers(fields, endStream);
    else {
      const head = fields.finish(endStream);
      if (head === undefined) this.#refuse(PROTOCOL_ERROR, `malformed response: ${fields.malformed}`);
      else if (head.status < 200) this.#takeInterim(head, endStream);
      else this.#takeFinal(head, endStream);
    }
    this.#arm();
  }

  #takeInterim(head: ResponseHead, endStream: boolean): void {
    // RFC 9113 §8.1
    if (endStream) this.#refuse(PROTOCOL_ERROR, "malformed response: an interim head ends it");
    else if (++this.#interim > MAX_INTERIM) this.#refuse(CANCEL, "the upstream sends nothing but interim responses");
    else this.#responseSink?.start(head);
  }

  #takeFinal(head: ResponseHead, endStream: boolean): void {
    const { status, bodyLength } = head;
    this.#begun = true;
    const isBare = this.#request.method === "HEAD" || status === 304;
    this.#expected = isBare || status === 204 ? 0 : bodyLength;
    if (endStream && this.#expected > 0) {
      // RFC 9113 §8.1.1
      this.#refuse(PROTOCOL_ERROR, "malformed response: no body, although content-length announces one");
      return;
    }
    const isEmpty = !isBare && (endStream || status === 204);
    const sink = this.#responseSink;
    sink?.start(isEmpty ? changedHead(head, { bodyLength: 0 }) : head);
    if (sink === undefined || this.isClosed) return;
    this.receiveTo(sink);
    if (endStream) this.#client.responseEnded(this, "");
  }

  #takeTrailers(fields: ResponseFields, endStream: boolean): void {
    const trailers = fields.finishTrailers();
    if (trailers === undefined || !endStream) {
      this.#refuse(PROTOCOL_ERROR, `malformed trailers: ${fields.malformed || "they do not end the response"}`);
    } else this.#client.responseEnded(this, trailers);
  }

  override receive(bytes: Uint8Array, start: number, end: number): void {
    const isTooLong = this.#expected !== -1 && this.bytesReceived + end - start > this.#expected;
    if (!this.#begun || isTooLong) {
      this.connection.taken(end - start);
      this.#refuse(
        PROTOCOL_ERROR,
        `malformed response: ${isTooLong ? "more data than announced" : "data before a head"}`,
      );
      return;
    }
    super.receive(bytes, start, end);
    this.#arm();
  }

  override receiveEnd(trailers: Fields): void {
    if (!this.#begun || (this.#expected !== -1 && this.bytesReceived !== this.#expected)) {
      this.#refuse(
        PROTOCOL_ERROR,
        `malformed response: ${this.#begun ? "less data than announced" : "it has no head"}`,
      );
      return;
    }
    this.#client.responded();
    super.receiveEnd(trailers);
    this.#responseSink = undefined;
    // The server does not want the rest of the request (RFC 9113 §8.1).
    if (!this.localEnded && !this.isClosed) this.connection.resetStream(this, CANCEL);
  }

  protected override holdReceiving(hold: boolean): void {
    super.holdReceiving(hold);
    this.#held = hold;
    this.#arm();
  }

  // --- the end of the request ---

  override release(): void {
    this.share?.give();
    this.share = undefined;
    super.release();
  }

  #refuse(code: number, why: string): void {
    this.#why = why;
    this.fail(code);
  }

  override fail(code: number): void {
    this.heard = true;
    super.fail(code);
  }

  override cutShort(): void {
    const sink = this.#responseSink;
    this.#responseSink = undefined;
    this.heard ||= this.resetCode !== -1;
    this.unprocessed ||= this.resetCode === REFUSED_STREAM;
    if (this.exhausted || this.connection.out.exhausted) {
      sink?.abort(new TurnpikeError("overloaded", "no memory is left for data that waits for the upstream"));
      return;
    }
    if (this.#why === "") {
      this.#why =
        this.resetCode === -1
          ? "the upstream closed the connection before its response was complete"
          : "the upstream gave the request up before its response was complete";
    }
    sink?.abort(new TurnpikeError("upstream-failed", this.#why));
  }

  /**
   * Called at a timeout. If nothing has arrived on the connection since the request began, the connection may be dead
   * and gets no more requests.
   */
  timedOut(): void {
    this.#client.timedOut(this.#openedAt);
  }

  /**
   * The response is not wanted any more. If nothing has arrived on the connection meanwhile, the connection sends a
   * PING to see whether it is alive.
   */
  givenUp(): void {
    // For a long-lived stream, bytes that arrived long ago do not show that the connection is still alive.
    this.#client.givenUp(Math.max(this.#openedAt, this.#wheel.now() - this.silenceMs / 2));
  }

  /**
   * The upstream must act next: it must read data that waits for it, or respond. False while this side holds the
   * response back.
   */
  get awaited(): boolean {
    return !this.#held && (this.localEnded || this.isStarved || this.connection.out.blocked);
  }

  /**
   * Calls `timeKeeper` after `patienceMs` milliseconds in which the upstream must act and nothing moves. Also calls it
   * if the response is not complete at `dueAt` (wheel time).
   */
  waitAtMost(patienceMs: number, dueAt: number): void {
    this.#patienceMs = patienceMs;
    this.#dueAt = dueAt;
    this.#arm();
  }

  #arm(): void {
    if (this.isClosed) return;
    const left = Math.max(this.#dueAt - this.#wheel.now(), 0);
    const patience = this.awaited ? this.#patienceMs : this.#held ? Number.POSITIVE_INFINITY : this.silenceMs;
    this.#wheel.set(this, Math.min(patience, left));
  }

  override onDeadline(): void {
    this.timeKeeper?.timedOut();
  }
}
