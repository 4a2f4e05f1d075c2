import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields, withoutFields } from "../../lib/http/fields.ts";
import { MADE_ID_BYTES } from "../../lib/http/request-id.ts";
import { BodyTime } from "../exchange/body-time.ts";
import {
  type BodySink,
  type ClientLines,
  type Exchange,
  type RequestBody,
  type RequestHead,
  type ResponseHead,
  type ResponseSink,
} from "../exchange/exchange.ts";
import { withExchangeState } from "../exchange/exchange-state.ts";
import { withRequestId } from "../exchange/request-id-state.ts";
import { problemResponse } from "../exchange/refusal.ts";
import { type ListedRequest } from "../exchange/request-fields.ts";
import { type Taken } from "../wire/arrivals.ts";
import { type Wire } from "../wire/wire.ts";
import { CANCEL, INTERNAL_ERROR, NO_ERROR, PROTOCOL_ERROR } from "./frame.ts";
import {
  maxEncodedLength,
  writeContentLength,
  writeField,
  writeFieldStart,
  writeNewFields,
  writeStatus,
} from "./hpack/encoder.ts";
import { bodyLimit, type ServerHost, type ServerSettings } from "../exchange/server-host.ts";
import { Http2Stream, type StreamConnection } from "./stream.ts";

const ID_NAME = "x-request-id";
/** Milliseconds for which the rest of a request is still read and checked after the whole response was sent. @bound */
const LATE_REST_MS = 250;
/**
 * Bytes that a client must accept, unless that is all that waits, to get the whole write timeout again. A client may
 * open its window byte by byte. @bound
 */
const MIN_STEP_BYTES = 4096;
const SWITCHED = 101;
const NO_TUNNEL = new TurnpikeError("not-implemented", "This path does not serve WebSocket");

/** The parts of its connection that an exchange uses. */
export interface ExchangeConnection extends StreamConnection {
  readonly host: ServerHost;
  readonly settings: ServerSettings;
  readonly peerAddress: string;
  readonly wire: Wire;
  clientLines: ClientLines | undefined;
  responded(): void;
  /** Calls `told` when it is known whether the client took the response of this stream, of which all bytes are written. */
  awaitResponse(streamId: number, told: Taken): void;
}

/** One request on its stream, and the sink that frames its response. */
export class Http2Exchange
  extends withExchangeState(withRequestId(Http2Stream))
  implements Exchange, ResponseSink, RequestBody
{
  readonly protocol = "HTTP/2.0";
  readonly head: RequestHead;
  body: RequestBody = this;
  readonly peerAddress: string;
  response: ResponseSink = this;
  readonly #server: ExchangeConnection;
  /** Bytes of the response that are still to come; -1 if the number is not known. */
  #remaining = -1;
  #contentLength = -1;
  /** The status of the head that is being written, which may be an interim one. */
  #headStatus = 0;
  #hasBody = true;
  #over = false;
  /** Created for a request with a body. */
  #bodyTime: BodyTime | undefined;
  #maxBodyBytes = 0;
  #bodyDue = Number.POSITIVE_INFINITY;
  #writeDue = Number.POSITIVE_INFINITY;
  /** Milliseconds that the client has left for its next step. They elapse while its window is shut. */
  #writeMsLeft = 0;
  /** Bytes that had been sent when that step began; -1 before the first step. */
  #stepFrom = -1;

  constructor(connection: ExchangeConnection, streamId: number, request: ListedRequest) {
    super(connection, streamId);
    this.#server = connection;
    this.head = request.head;
    this.takeId(request.requestId);
    this.peerAddress = connection.peerAddress;
    this.clientAddress = connection.peerAddress;
  }

  get transport(): Wire {
    return this.#server.wire;
  }

  get session(): object {
    return this.#server;
  }

  get clientLines(): ClientLines | undefined {
    return this.#server.clientLines;
  }
  set clientLines(lines: ClientLines | undefined) {
    this.#server.clientLines = lines;
  }

  // --- the request's body ---

  /** The body is still to come: starts its timeout, or refuses the body if its announced length exceeds the limit. */
  startBody(): void {
    this.#bodyTime = new BodyTime(this.#server.settings.bodyMs);
    this.#maxBodyBytes = bodyLimit(this.#server.host, this.head);
    if (this.head.bodyLength > this.#maxBodyBytes) this.#refuseBody();
    else this.#runBodyTimer();
  }

  #refuseBody(): void {
    this.abortReceiving(new TurnpikeError("body-too-large", `the body is larger than ${this.#maxBodyBytes} bytes`));
  }

  readTo(sink: BodySink): void {
    // A handshake has no body. Data that arrives early belongs to the tunnel.
    if (this.#mayTunnel && this.status !== SWITCHED) sink.end("");
    else this.receiveTo(sink);
  }

  get #mayTunnel(): boolean {
    return this.head.upgrade !== "";
  }

  liftLimits(): void {
    this.#maxBodyBytes = Number.POSITIVE_INFINITY;
    this.#bodyTime?.lift();
    this.#bodyDue = Number.POSITIVE_INFINITY;
    this.#arm();
  }

  /**
   * Data that arrives after the response, or for a body with an error, is read and discarded. The stream's window does
   * not open for it, so the client can only use up its window.
   */
  override taken(length: number): void {
    if (this.#over || this.error !== undefined) this.connection.taken(length);
    else super.taken(length);
  }

  override receive(bytes: Uint8Array, start: number, end: number): void {
    if (this.#mayTunnel) {
      super.receive(bytes, start, end);
      return;
    }
    const total = this.bytesReceived + end - start;
    const { bodyLength } = this.head;
    if (bodyLength !== -1 && total > bodyLength) {
      this.connection.taken(end - start);
      this.fail(PROTOCOL_ERROR);
      return;
    }
    if (total > this.#maxBodyBytes && !this.#over) this.#refuseBody();
    super.receive(bytes, start, end);
  }

  override receiveEnd(trailers: Fields): void {
    const { bodyLength } = this.head;
    if (bodyLength !== -1 && this.bytesReceived !== bodyLength && !this.#mayTunnel) {
      // RFC 9113 §8.1.1: the length differs from Content-Length.
      this.fail(PROTOCOL_ERROR);
      return;
    }
    this.#bodyDue = Number.POSITIVE_INFINITY;
    this.#arm();
    super.receiveEnd(trailers);
  }

  protected override holdReceiving(hold: boolean): void {
    super.holdReceiving(hold);
    if (this.remoteEnded || this.isClosed || this.#over || this.#mayTunnel) return;
    if (hold) {
      this.#bodyTime?.rest(this.#server.host.wheel.now());
      this.#bodyDue = Number.POSITIVE_INFINITY;
      this.#arm();
    } else this.#runBodyTimer();
  }

  #runBodyTimer(): void {
    const now = this.#server.host.wheel.now();
    this.#bodyDue = now + (this.#bodyTime?.run(now) ?? 0);
    this.#arm();
  }

  // --- the response ---

  /** A 2xx response to CONNECT means that the tunnel is open. An upstream that sent it has taken the request for a GET. */
  whyNotCarried({ status }: Pick<ResponseHead, "status">): TurnpikeError | undefined {
    return this.#mayTunnel && status >= 200 && status < 300 ? NO_TUNNEL : undefined;
  }

  start(head: ResponseHead): void {
    if (this.#over || this.started) return;
    const { status } = head;
    if (this.#mayTunnel && status === SWITCHED) {
      this.#startTunnel(head);
      return;
    }
    const refusal = this.whyNotCarried(head);
    if (refusal !== undefined) {
      this.#refuse(refusal);
      return;
    }
    // A 101 of an upstream concerns HTTP/1 only (RFC 9113 §8.6).
    if (status === SWITCHED) return;
    this.#headStatus = status;
    if (status < 200) {
      this.connection.writer.head({ streamId: this.streamId, endStream: false }, head.fields, this);
      return;
    }
    this.started = true;
    this.status = status;
    const isBare = this.head.method === "HEAD" || status === 304;
    this.#hasBody = !isBare && status !== 204;
    // A gRPC response of trailers only has no Content-Length, although it is a head (doc/PROTOCOL-HTTP2.md,
    // Trailers-Only).
    this.#contentLength = status === 204 || head.grpcStatus !== undefined ? -1 : head.bodyLength;
    this.#remaining = this.#hasBody ? head.bodyLength : 0;
    const endStream = this.#remaining === 0;
    this.connection.writer.head({ streamId: this.streamId, endStream }, head.fields, this);
    if (endStream) this.endedWithHead();
  }

  /** RFC 8441 §5: the 101 of HTTP/1 is a 200 here, without the Sec-WebSocket-Accept field. */
  #startTunnel(head: ResponseHead): void {
    this.started = true;
    this.status = SWITCHED;
    this.#headStatus = 200;
    const fields = withoutFields(head.fields, ["sec-websocket-accept"]);
    this.connection.writer.head({ streamId: this.streamId, endStream: false }, fields, this);
    // The head of the response is sent first.
    if (this.#server.host.draining()) queueMicrotask(() => this.onGoAway?.());
  }

  #refuse({ code, message: detail }: TurnpikeError): void {
    const { status, fields, body } = problemResponse({ code, detail, requestId: this.id });
    // A response that was paid for is still owed.
    this.tellTaken(false);
    // The local response has its own.
    this.sendsRequestId = false;
    this.start({ status, reason: "", fields, bodyLength: body.length });
    this.data(Buffer.from(body, "latin1"));
    this.end("");
    this.#hasBody = false;
    this.onCancel?.();
  }

  /** Maximum number of bytes that `encode` writes beside the status, the content length and the request id. */
  get room(): number {
    return maxEncodedLength(this.addedFields);
  }

  /** Writes the fields that precede the response's own fields. Returns the offset behind them. */
  encode(target: Buffer, at: number): number {
    let offset = writeStatus(target, at, this.#headStatus);
    if (this.#contentLength >= 0) offset = writeContentLength(target, offset, this.#contentLength);
    if (!this.started) return offset;
    if (this.sendsRequestId) offset = this.#writeId(target, offset);
    return writeNewFields(target, offset, this.addedFields);
  }

  #writeId(target: Buffer, at: number): number {
    const start = writeFieldStart(target, at, ID_NAME, MADE_ID_BYTES);
    return this.writeMadeId(target, start) ? start + MADE_ID_BYTES : writeField(target, at, ID_NAME, this.id);
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    // If no data is sent, false would be wrong: `drained` would never be called.
    if (this.#over || !this.#hasBody || start === end) return true;
    if (this.#remaining === -1) return this.send(chunk, start, end);
    this.#remaining -= end - start;
    if (this.#remaining < 0) throw new Error("Cannot send response data: it exceeds the announced Content-Length");
    return this.#remaining === 0 ? this.sendLast(chunk, start, end) : this.send(chunk, start, end);
  }

  get keepsNoChunk(): boolean {
    return !this.isWaiting && !this.connection.out.blocked;
  }

  end(trailers: Fields): void {
    if (this.#over) return;
    if (this.#remaining > 0) this.abort();
    else if (this.localEnded) this.finishSending();
    else this.sendEnd(trailers);
  }

  /** The response cannot be completed: resets the stream, so that the response does not look complete. */
  abort(error?: TurnpikeError): void {
    if (this.#over) return;
    this.#over = true;
    this.markTruncated(error?.code ?? "upstream-failed");
    this.tellTaken(false);
    this.finish(this);
    this.ignoreRest();
    // RFC 8441 §5: CANCEL stands for a connection that was reset.
    this.connection.resetStream(this, this.status === SWITCHED ? CANCEL : INTERNAL_ERROR);
  }

  protected override onSent(): void {
    this.#over = true;
    this.#server.responded();
    const told = this.onTaken;
    this.onTaken = undefined;
    if (told !== undefined) this.#server.awaitResponse(this.streamId, told);
    this.finish(this);
    if (this.remoteEnded) return;
    this.ignoreRest();
    // The rest may be on its way and malformed. A reset at once would hide that error.
    this.#bodyDue = this.#server.host.wheel.now() + LATE_REST_MS;
    this.#arm();
  }

  protected override moreWelcome(): void {
    this.drained();
  }

  protected override onStarved(): void {
    const { host, settings } = this.#server;
    if (this.#stepFrom === -1 || this.bytesSent - this.#stepFrom >= MIN_STEP_BYTES) {
      this.#stepFrom = this.bytesSent;
      this.#writeMsLeft = settings.writeMs;
    }
    this.#writeDue = host.wheel.now() + this.#writeMsLeft;
    this.#arm();
  }

  protected override onMoved(): void {
    // All buffered data is on its way: that completes the step, however few bytes it was.
    if (!this.isWaiting) this.#stepFrom = -1;
    if (this.#writeDue === Number.POSITIVE_INFINITY) return;
    this.#writeMsLeft = Math.max(this.#writeDue - this.#server.host.wheel.now(), 0);
    this.#writeDue = Number.POSITIVE_INFINITY;
    this.#arm();
  }

  // --- the end of the exchange ---

  /** The client has left or has reset the stream: stops the work for this exchange. */
  override cutShort(): void {
    if (this.#over) return;
    this.#over = true;
    this.leave();
    this.tellTaken(false);
    this.finish(this);
    // A body that arrived completely but was never read is lost as well.
    if (!this.remoteEnded || !this.isRead) {
      this.abortReceiving(new TurnpikeError("bad-request", "the client reset the stream before its body was complete"));
    }
  }

  override onDeadline(): void {
    if (this.#writeDue <= this.#bodyDue) this.fail(CANCEL);
    else if (this.#over) {
      // The client need not send the rest (RFC 9113 §8.1).
      this.connection.resetStream(this, NO_ERROR);
    } else {
      this.#bodyDue = Number.POSITIVE_INFINITY;
      // The client's timeout for reading the response continues.
      this.#arm();
      this.abortReceiving(new TurnpikeError("request-timeout", "the request body did not arrive in time"));
    }
  }

  #arm(): void {
    const { wheel } = this.#server.host;
    wheel.set(this, Math.max(Math.min(this.#bodyDue, this.#writeDue) - wheel.now(), 0));
  }
}
