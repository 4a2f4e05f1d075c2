import { type FieldSection, type QuicStream, type StreamStats, type StreamWriter } from "node:quic";
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
import { flushCork, holdCork } from "../wire/outgoing.ts";
import * as codes from "./codes.ts";
import { addFields, canSend, fitSection, newFields, newHead } from "./field-section.ts";
import { type Http3RequestBody } from "./request-body.ts";
import { UnsentData } from "./unsent-data.ts";

/**
 * Bytes that the engine must have sent within the write timeout so that it starts again. A client may open its window
 * byte by byte. @bound
 */
const MIN_STEP_BYTES = 4096;
/** A full writer reports by this symbol that it has room again: a promise, or null if it is not full. */
const DRAINABLE = Symbol.for("Stream.drainableProtocol");

/** The response in place of one that cannot be sent. */
const TOO_MANY_FIELDS = {
  code: "upstream-failed",
  detail: "The response has more header fields than can be sent over HTTP/3",
} as const;

type DrainableWriter = StreamWriter & { readonly [DRAINABLE]: () => Promise<unknown> | null };

/** The interface of a stream for its exchange. */
export interface ExchangeStream {
  readonly quic: QuicStream;
  readonly host: ServerHost;
  readonly peerAddress: string;
  readonly transport: Transport;
  /** The client's connection. */
  readonly session: object;
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
  #writer: DrainableWriter | undefined;
  /** Bytes of the response that are still to come; -1 if unknown. */
  #remaining = -1;
  #hasBody = true;
  /** A body in one piece. It is sent with the end of the stream: one call of the engine instead of three. */
  #whole: Uint8Array | undefined;
  /** Data that the writer had no room for. */
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

  carries(fields: Fields): boolean {
    return canSend(fields);
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
    const problem = { ...TOO_MANY_FIELDS, requestId: this.id };
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
    return !this.#blocked;
  }

  #write(bytes: Uint8Array): void {
    // The types do not say that a writer is drainable; Node's documentation of stream writers does.
    this.#writer ??= this.#stream.quic.writer as DrainableWriter;
    if (!this.#blocked && this.#hand(bytes)) {
      if (!this.#over && this.#writer.desiredSize === 0) this.#wait();
      return;
    }
    if (this.#writer.desiredSize === null) {
      this.cancel();
      return;
    }
    this.#waiting ??= new ByteQueue(this.#stream.host.buffers);
    if (!this.#waiting.push(bytes, 0, bytes.length)) this.#cutOff();
    else if (!this.#blocked) this.#wait();
  }

  /** Passes data to the engine. False: the writer took nothing. Without memory for the data, the response is cut off. */
  #hand(bytes: Uint8Array): boolean {
    if (this.#writer?.writeSync(bytes) !== true) return false;
    if (!this.#counts(bytes.length)) this.#cutOff();
    return true;
  }

  /** Counts data of the engine as memory. False: there is not enough. */
  #counts(length: number): boolean {
    this.#unsent ??= new UnsentData(this.#stream.host.buffers);
    return this.#unsent.add(length, this.#stream.quic);
  }

  /** Waits until the writer has room again. */
  #wait(): void {
    const drained = this.#writer?.[DRAINABLE]();
    if (drained === null || drained === undefined) return;
    this.#blocked = true;
    this.#runWriteTimer();
    void drained.then(
      () => this.#drained(),
      () => this.cancel(),
    );
  }

  #drained(): void {
    if (this.#over) return;
    holdCork();
    this.#blocked = false;
    this.#stream.host.wheel.clear(this);
    this.#unsent?.recount(this.#stream.quic);
    const waiting = this.#waiting;
    for (let piece = waiting?.first; piece !== undefined && !this.#blocked && !this.#over; piece = waiting?.first) {
      const { bytes, start, end } = piece;
      if (!this.#hand(bytes.subarray(start, end))) break;
      waiting?.shift(end - start);
      if (!this.#over && this.#writer?.desiredSize === 0) this.#wait();
    }
    if (!this.#blocked && !this.#over) {
      if (this.#ending === undefined) this.onDrain?.();
      else if ((waiting?.length ?? 0) === 0) this.#finishSending(this.#ending);
      else this.#wait();
    }
    flushCork();
  }

  end(trailers: Fields): void {
    if (this.#over || this.#ending !== undefined) return;
    if (this.#remaining > 0) {
      this.#cutOff();
      return;
    }
    if ((this.#waiting?.length ?? 0) > 0) this.#ending = trailers;
    else this.#finishSending(trailers);
  }

  #finishSending(trailers: Fields): void {
    const whole = this.#whole;
    if (whole !== undefined && !this.#counts(whole.length)) {
      this.#cutOff();
      return;
    }
    if (this.onTaken !== undefined && !this.#stream.quic.destroyed) this.#stats = this.#stream.quic.stats;
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
    this.#writer ??= quic.writer as DrainableWriter; // See `#write`.
    if (this.#whole !== undefined) this.#writer.writeSync(this.#whole);
    // A full writer would not accept the end.
    if (this.#writer.endSync() === -1) void this.#endWhenDrained(this.#writer);
  }

  async #endWhenDrained(writer: DrainableWriter): Promise<void> {
    try {
      await writer[DRAINABLE]();
      writer.endSync();
    } catch {
      // The stream was reset meanwhile, so there is nothing to end.
    }
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

  /** The stream was closed, by either side. */
  closed(): void {
    this.cancel();
    this.tellTaken(this.#sentAll);
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
    const { quic } = this.#stream;
    if (this.#isReading) {
      this.#runWriteTimer();
      return;
    }
    this.cancel();
    if (!quic.destroyed) quic.resetStream(codes.REQUEST_CANCELLED);
    flushCork();
  }

  #finish(): void {
    this.#stream.host.wheel.remove(this);
    this.#waiting?.clear();
    this.finish(this);
  }
}
