import { type FieldSection, type QuicStream, type StreamStats } from "node:quic";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";
import { type ErrorCode, TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { isRequestId, nextRequestId } from "../../lib/http/request-id.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import {
  type Exchange,
  type RequestBody,
  type RequestHead,
  type ResponseHead,
  type ResponseSink,
  type Transport,
} from "../exchange/exchange.ts";
import { NO_BODY, withExchangeState } from "../exchange/exchange-state.ts";
import { grpcResponse, problemResponse } from "../exchange/refusal.ts";
import { type ListedRequest } from "../exchange/request-fields.ts";
import { type ServerHost } from "../exchange/server-host.ts";
import { type ClientPackets, type ResponseEnd } from "./client-packets.ts";
import * as codes from "./codes.ts";
import { addFields, canSend, fitSection, newFields, newHead } from "./field-section.ts";
import { type Http3RequestBody } from "./request-body.ts";
import { FRAMED, type FramingWriter, openWriter } from "./framing-writer.ts";
import { UnsentData } from "./unsent-data.ts";
import { beginEvent, endEvent } from "../../lib/time/event-clock.ts";

/**
 * Bytes that the engine must have sent within the write timeout so that it starts again. A client may open its window
 * byte by byte. @bound
 */
const MIN_STEP_BYTES = 4096;
/** Bytes of a response that wait to be framed by the engine. At this number the sender is paused. @bound */
const HIGH_WATER_BYTES = 65_536;

const TOO_MANY_FIELDS = new TurnpikeError(
  "upstream-failed",
  "The response has more header fields than can be sent over HTTP/3. Send the same request over HTTP/2 or HTTP/1.1",
);

export interface ExchangeStream {
  readonly quic: QuicStream;
  readonly host: ServerHost;
  readonly peerAddress: string;
  readonly transport: Transport;
  /** The client's connection. */
  readonly session: object;
  readonly packets: ClientPackets;
  onError(error: unknown): void;
}

/** One request on its stream, and the sink that frames its response (RFC 9114 §4.1). */
export class Http3Exchange extends withExchangeState(Deadline) implements Exchange, ResponseSink {
  readonly id: string;
  readonly protocol = "HTTP/3.0";
  readonly head: RequestHead;
  body: RequestBody;
  readonly peerAddress: string;
  response: ResponseSink = this;
  bytesSent = 0;
  readonly #stream: ExchangeStream;
  readonly #reader: Http3RequestBody | undefined;
  #writer: FramingWriter | undefined;
  /** Bytes of the response that are still to come; -1 if unknown. */
  #remaining = -1;
  #hasBody = true;
  /** A body in one piece. It is sent with the end of the stream: one call of the engine instead of three. */
  #whole: Uint8Array | undefined;
  /** Bytes that the engine got since it last had framed everything. */
  #handed = 0;
  /** The exchange waits until they are framed. Until then, the writer accepts nothing, not even its end. */
  #isFraming = false;
  /** Data behind them. */
  #waiting: ByteQueue | undefined;
  #blocked = false;
  /** Created for a response with data. */
  #unsent: UnsentData | undefined;
  /** Bytes that the engine had sent when the write timeout began; undefined for a short response. */
  #stepFrom: bigint | undefined;
  /**
   * The engine's counters of the stream, for `onTaken`. They must be read while the stream exists, and stay correct
   * afterwards.
   */
  #stats: StreamStats | undefined;
  /** Defined with `#stats`. */
  #ended: ResponseEnd | undefined;
  /** The trailers, if the response ended while data still waited. */
  #ending: Fields | undefined;
  #over = false;

  constructor(stream: ExchangeStream, request: ListedRequest, body: Http3RequestBody | undefined) {
    super();
    this.#stream = stream;
    this.#reader = body;
    this.body = body ?? NO_BODY;
    this.head = request.head;
    this.id = isRequestId(request.requestId) ? request.requestId : nextRequestId();
    this.peerAddress = stream.peerAddress;
    this.clientAddress = stream.peerAddress;
  }

  get transport(): Transport {
    return this.#stream.transport;
  }

  get session(): object {
    return this.#stream.session;
  }

  get bytesReceived(): number {
    return this.#reader?.received ?? 0;
  }

  whyNotCarried({ fields }: Pick<ResponseHead, "fields">): TurnpikeError | undefined {
    return canSend(fields) ? undefined : TOO_MANY_FIELDS;
  }

  start(head: ResponseHead): void {
    if (this.#over || this.started) return;
    const { status } = head;
    // A 101 has no meaning outside HTTP/1 (RFC 9114 §4.5).
    if (status === 101) return;
    const block = newHead(status);
    addFields(block, head.fields);
    if (status < 200) {
      if (fitSection(block)) this.#stream.quic.sendInformationalHeaders(block);
      return;
    }
    this.started = true;
    this.status = status;
    addFields(block, this.addedFields);
    const isBare = this.head.method === "HEAD" || status === 304;
    this.#hasBody = !isBare && status !== 204;
    const hasLength = status !== 204 && head.bodyLength >= 0 && head.grpcStatus === undefined;
    if (hasLength) block["content-length"] = String(head.bodyLength);
    this.#remaining = this.#hasBody ? head.bodyLength : 0;
    this.#sendHead(block);
  }

  #sendHead(block: FieldSection): void {
    try {
      if (!fitSection(block)) {
        this.#refuseHead();
        return;
      }
      if (this.#stream.quic.sendHeaders(block, { terminal: !this.#hasBody })) return;
    } catch (error) {
      this.#stream.onError(error);
    }
    this.#cutOff();
  }

  /** Responds with an error to a request whose response has too many fields. */
  #refuseHead(): void {
    const { quic } = this.#stream;
    // A response that was paid for is still owed.
    this.tellTaken(false);
    const { code, message: detail } = TOO_MANY_FIELDS;
    const problem = { code, detail, requestId: this.id };
    const { isGrpc, method } = this.head;
    const { status, fields, body } = isGrpc ? grpcResponse(problem) : problemResponse(problem);
    const block = newHead(status);
    addFields(block, fields);
    if (!isGrpc) block["content-length"] = String(body.length);
    const isBare = isGrpc || method === "HEAD";
    quic.sendHeaders(block, { terminal: isBare });
    if (!isBare) quic.setBody(Buffer.from(body, "latin1"));
    this.status = status;
    if (!isBare) this.bytesSent = body.length;
    this.#over = true;
    this.#endRequest(codes.NO_ERROR);
    this.onCancel?.();
    this.#finish();
    this.#runWriteTimer();
  }

  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    const length = end - start;
    if (this.#over || !this.#hasBody || length === 0) return !this.#blocked;
    if (this.#remaining !== -1) {
      this.#remaining -= length;
      if (this.#remaining < 0) throw new Error("Cannot send response data: it exceeds the announced Content-Length");
    }
    this.bytesSent += length;
    const bytes = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);
    if (this.#remaining === 0 && this.#writer === undefined) this.#whole = bytes;
    else this.#write(bytes);
    this.#blocked = this.#isFull;
    return !this.#blocked;
  }

  #write(bytes: Uint8Array): void {
    if (!this.#isFraming) {
      this.#hand([bytes], bytes.length);
      return;
    }
    this.#waiting ??= new ByteQueue(this.#stream.host.buffers);
    if (!this.#waiting.push(bytes, 0, bytes.length)) this.#cutOff();
  }

  get #isFull(): boolean {
    return this.#handed + (this.#waiting?.length ?? 0) >= HIGH_WATER_BYTES;
  }

  /** Passes data to the engine. Without memory for it, the response is cut off. */
  #hand(pieces: readonly Uint8Array[], length: number): void {
    if (this.#writer?.desiredSize !== 0) this.#handed = 0;
    this.#writer = openWriter(this.#stream.quic);
    if (!this.#writer.writevSync(pieces)) {
      this.#stop();
      return;
    }
    if (!this.#counts(length)) {
      this.#cutOff();
      return;
    }
    this.#handed += length;
    if (this.#handed >= HIGH_WATER_BYTES) this.#awaitFraming();
  }

  #awaitFraming(): void {
    const framed = this.#writer?.[FRAMED]() ?? undefined;
    this.#isFraming = framed !== undefined;
    if (framed === undefined) {
      this.#handed = 0;
      return;
    }
    this.#runWriteTimer();
    void framed.then(
      () => this.#drained(),
      () => this.#stop(),
    );
  }

  /** Counts data of the engine as memory. False: there is not enough. */
  #counts(length: number): boolean {
    return (this.#unsent ??= new UnsentData(this.#stream.host.buffers)).add(length, this.#stream.quic);
  }

  #drained(): void {
    if (this.#over) return;
    beginEvent();
    this.#stream.host.wheel.clear(this);
    this.#unsent?.recount(this.#stream.quic);
    // The report can be one of earlier data.
    this.#awaitFraming();
    if (!this.#isFraming) this.#handWaiting();
    if (!this.#over && !this.#isFull) this.#goOn();
    endEvent();
  }

  #goOn(): void {
    if (this.#ending !== undefined) this.#endFramed(this.#ending);
    else if (this.#blocked) {
      this.#blocked = false;
      this.drained();
    }
  }

  #handWaiting(): void {
    const pieces: Uint8Array[] = [];
    const waiting = this.#waiting;
    const length = waiting?.length ?? 0;
    for (let piece = waiting?.first; piece !== undefined; piece = waiting?.first) {
      pieces.push(piece.bytes.subarray(piece.start, piece.end));
      waiting?.shift(piece.end - piece.start);
    }
    if (length > 0) this.#hand(pieces, length);
  }

  end(trailers: Fields): void {
    if (this.#over || this.#ending !== undefined) return;
    if (this.#remaining > 0) this.#cutOff();
    else if (trailers !== "" && this.#whole !== undefined) {
      this.#write(this.#whole);
      this.#whole = undefined;
    }
    this.#endFramed(trailers);
  }

  /** Ends the response at once, or after the data before its trailers. */
  #endFramed(trailers: Fields): void {
    if (trailers !== "" && this.#handed > 0 && !this.#isFraming && !this.#over) this.#awaitFraming();
    if (this.#isFraming) this.#ending = trailers;
    else if (!this.#over) this.#finishSending(trailers);
  }

  #finishSending(trailers: Fields): void {
    const whole = this.#whole;
    if (whole !== undefined && !this.#counts(whole.length)) {
      this.#cutOff();
      return;
    }
    if (this.onTaken !== undefined && !this.#stream.quic.destroyed) {
      this.#stats = this.#stream.quic.stats;
      this.#ended = this.#stream.packets.mark();
    }
    if (this.#hasBody) {
      if (trailers === "" && this.#writer === undefined) this.#stream.quic.setBody(whole ?? new Uint8Array(0));
      else this.#endWriter(trailers);
    }
    this.#whole = undefined;
    this.#over = true;
    this.#endRequest(codes.NO_ERROR);
    this.#finish();
    // Data that the engine has taken has a timeout too, for a client that keeps its connection alive but does not read.
    this.#runWriteTimer();
  }

  #endWriter(trailers: Fields): void {
    const { quic } = this.#stream;
    const block = newFields();
    addFields(block, trailers);
    // An empty section would break the client's connection, and the stream would never end after one that is too long.
    // Trailers may be dropped (RFC 9110 §6.5.1).
    if (Object.keys(block).length > 0 && fitSection(block)) {
      quic.onwanttrailers = () => {
        quic.sendTrailers(block);
      };
    }
    this.#writer ??= openWriter(this.#stream.quic);
    this.#writer.endSync();
  }

  /** The client need not send the rest of its body (RFC 9114 §4.1). */
  #endRequest(code: bigint): void {
    const body = this.#reader;
    if (body === undefined || body.ended) return;
    body.discard();
    if (!this.#stream.quic.destroyed) this.#stream.quic.stopSending(code);
  }

  /** The response stays incomplete: the stream must not look complete. */
  abort({ code }: TurnpikeError): void {
    if (!this.#over) this.#cutOff(codes.INTERNAL_ERROR, code);
  }

  #cutOff(code = codes.INTERNAL_ERROR, why: ErrorCode = "upstream-failed"): void {
    this.#over = true;
    this.markTruncated(why);
    const { quic } = this.#stream;
    if (!quic.destroyed) quic.resetStream(code);
    this.#endRequest(code);
    this.#finish();
    this.tellTaken(false);
  }

  /** The client is gone or has reset the stream: notifies the sender of the response. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.leave();
    this.#finish();
    this.tellTaken(false);
    if (this.#reader?.complete === false) {
      this.#reader.abort(new TurnpikeError("bad-request", "the client reset the stream before its body was complete"));
    }
  }

  /** The client takes no more of the response. Without this, the stream would stay open until the client ends its body. */
  #stop(): void {
    this.cancel();
    this.#endRequest(codes.REQUEST_CANCELLED);
    if (!this.#stream.quic.destroyed) this.#stream.quic.resetStream(codes.REQUEST_CANCELLED);
  }

  /** The stream was closed, by either side. */
  closed(): void {
    this.cancel();
    if (this.#sentAll && this.#ended !== undefined) {
      this.#stream.packets.await(this.#ended, (taken) => this.tellTaken(taken));
    } else this.tellTaken(false);
    this.#stream.host.wheel.remove(this);
    this.#unsent?.release();
  }

  /**
   * The engine closes a stream after all its data was sent within the client's windows, or when its connection closes.
   */
  get #sentAll(): boolean {
    return this.#stats !== undefined && this.#stats.bytesSent >= BigInt(this.bytesSent);
  }

  #runWriteTimer(): void {
    const { quic, host } = this.#stream;
    this.#stepFrom = this.bytesSent >= MIN_STEP_BYTES && !quic.destroyed ? quic.stats.bytesSent : undefined;
    host.wheel.set(this, host.settings().writeMs);
  }

  /** The client has read enough to get the whole write timeout again. */
  get #isReading(): boolean {
    const { quic } = this.#stream;
    if (this.#stepFrom === undefined || quic.destroyed) return false;
    const sent = quic.stats.bytesSent;
    const step = Number(sent - this.#stepFrom);
    return step >= MIN_STEP_BYTES || (step > 0 && sent >= BigInt(this.bytesSent));
  }

  /** The write timeout is over. */
  override onDeadline(): void {
    if (this.#isReading) this.#runWriteTimer();
    else this.#stop();
  }

  #finish(): void {
    this.#stream.host.wheel.remove(this);
    this.#waiting?.clear();
    this.finish(this);
  }
}
