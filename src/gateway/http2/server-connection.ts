import { plainAddress } from "../exchange/client-address.ts";
import { type ClientLines } from "../exchange/exchange.ts";
import { grpcResponse, type HeadError, problemResponse, refusedHead } from "../exchange/refusal.ts";
import { type ListedRequest, type RequestField, RequestFields, requestField } from "../exchange/request-fields.ts";
import {
  type ConnectionPermit,
  type ServerConnection,
  type ServerHost,
  type ServerSettings,
} from "../exchange/server-host.ts";
import { type Taken } from "../wire/arrivals.ts";
import { type Wire } from "../wire/wire.ts";
import { RESET_COST } from "./flood-budget.ts";
import { Http2Connection } from "./connection.ts";
import * as f from "./frame.ts";
import { type FieldSink, HpackDecoder, staticItems } from "./hpack/decoder.ts";
import { writeContentLength, writeStatus } from "./hpack/encoder.ts";
import { type ExchangeConnection, Http2Exchange } from "./server-exchange.ts";
import { type Http2Stream } from "./stream.ts";

const statics = staticItems(requestField);

/** Gathers the fields of one field section up to a size limit. Fields beyond the limit are counted and discarded. */
class RequestList implements FieldSink<RequestField> {
  readonly fields = new RequestFields();
  size = 0;
  limit = 0;

  begin(limit: number): void {
    this.fields.begin();
    this.size = 0;
    this.limit = limit;
  }

  get tooLarge(): boolean {
    return this.size > this.limit;
  }

  field(item: RequestField, size: number): void {
    this.size += size;
    if (this.size <= this.limit) this.fields.add(item);
  }
}

const list = new RequestList();

/** A client's HTTP/2 connection (RFC 9113): creates an exchange for each stream and passes it to the host. */
export class Http2ServerConnection extends Http2Connection implements ServerConnection, ExchangeConnection {
  listIndex = -1;
  permit: ConnectionPermit | undefined;
  clientLines: ClientLines | undefined = undefined;
  readonly peerAddress: string;
  readonly host: ServerHost;
  readonly #decoder = new HpackDecoder<RequestField>(requestField, statics);
  readonly #maxStreams: number;
  readonly #maxHeaderListSize: number;
  /** A head has begun and is not complete, so the timeout for heads runs. */
  #headBegun = true;
  /** The value of `completeFrames` after the last read. */
  #completeBefore = 0;
  /**
   * Wheel time since when the connection has had no stream. PINGs do not count as activity. Otherwise a client could
   * keep its permit with one PING a minute.
   */
  #idleSince: number;
  /** The responses whose arrival is awaited, by their streams. */
  #awaited: Map<number, Taken> | undefined;
  #draining = false;
  #clientLeaves = false;
  /** Streams above this one came after the last GOAWAY and are not served. */
  #lastServed = f.MAX_WINDOW;

  constructor(wire: Wire, host: ServerHost) {
    const settings = host.settings();
    const { http2, maxHeaderBytes } = settings;
    const maxHeaderListSize = Math.min(http2.maxHeaderListSize, maxHeaderBytes);
    super(wire, {
      wheel: host.wheel,
      buffers: host.buffers,
      local: { ...http2, maxHeaderListSize },
      ofClient: false,
      writeMs: () => host.settings().writeMs,
    });
    this.host = host;
    this.#maxStreams = http2.maxStreams;
    this.#maxHeaderListSize = maxHeaderListSize;
    this.peerAddress = plainAddress(host.peerAddress ?? wire.remoteAddress ?? "");
    this.#idleSince = host.wheel.now();
    host.wheel.set(this, settings.headerMs);
  }

  get settings(): ServerSettings {
    return this.host.settings();
  }

  get idleSince(): number {
    return this.streams.size > 0 || this.out.blocked ? Number.POSITIVE_INFINITY : this.#idleSince;
  }

  makeWay(): void {
    this.close(f.NO_ERROR);
    this.wire.close();
  }

  responded(): void {
    this.floodBudget.earn(RESET_COST);
  }

  awaitResponse(streamId: number, told: Taken): void {
    const awaited = (this.#awaited ??= new Map<number, Taken>());
    const tell: Taken = (taken) => {
      awaited.delete(streamId);
      told(taken);
    };
    awaited.set(streamId, tell);
    this.awaitArrival(tell);
  }

  /** The client had not seen the end of the response: it closed a stream that was open for it. */
  protected override resetAfterEnd(streamId: number, code: number): void {
    const tell = this.#awaited?.get(streamId);
    if (tell !== undefined && code !== f.NO_ERROR) this.refused(tell);
  }

  /** Accepts no new streams. The connection closes when the open streams have ended (RFC 9113 §6.8). */
  drain(): void {
    if (this.#draining || !this.isOpen) return;
    this.#draining = true;
    // Requests may be on their way. This first GOAWAY tells the client to open no more streams; the response to the
    // PING proves that the client has received it.
    this.writer.goaway(f.MAX_WINDOW, f.NO_ERROR, "");
    this.writer.ping();
    this.out.flush();
    for (const stream of this.streams.values()) stream.onGoAway?.();
    if (this.streams.size > 0) return;
    this.#idleSince = this.wheel.now();
    this.#idle();
  }

  protected override onPong(): void {
    if (!this.#draining || this.#lastServed !== f.MAX_WINDOW) return;
    this.#lastServed = this.lastPeerStream;
    this.writer.goaway(this.#lastServed, f.NO_ERROR, "");
    if (this.streams.size === 0) this.close(f.NO_ERROR);
  }

  protected override goawayArrived(): void {
    // The client's GOAWAY is about streams that this side opens, and it opens none. But the client is about to leave.
    this.#clientLeaves = true;
    if (this.streams.size === 0) this.close(f.NO_ERROR);
  }

  protected override onActivity(): void {
    const inHead = this.block.open || this.reader.unfinished || !this.settingsSeen;
    if (inHead) {
      // Each head has its own timeout: on a busy connection, every read may end within another head.
      if (!this.#headBegun || this.#completeBefore !== this.completeFrames) {
        const isLate = this.streams.size === 0 && this.#idleMsLeft() <= 0;
        this.wheel.set(this, isLate ? 0 : this.settings.headerMs);
      }
    } else if (this.streams.size === 0) this.#idle();
    else this.wheel.clear(this);
    this.#headBegun = inHead;
    this.#completeBefore = this.completeFrames;
  }

  #idle(): void {
    this.wheel.set(this, Math.max(this.#idleMsLeft(), 0));
  }

  #idleMsLeft(): number {
    const { headerMs, idleMs } = this.settings;
    return this.#idleSince + (this.#draining ? headerMs : idleMs) - this.wheel.now();
  }

  override onDeadline(): void {
    if (!this.isOpen || this.streams.size > 0) {
      super.onDeadline();
      return;
    }
    // The write timeout covers a response that is still on its way.
    if (this.out.blocked) this.wheel.set(this, this.settings.idleMs);
    else this.close(f.NO_ERROR);
  }

  protected override streamClosed(): void {
    if (this.streams.size > 0 || !this.isOpen) return;
    this.#idleSince = this.wheel.now();
    if (this.#clientLeaves || this.#lastServed !== f.MAX_WINDOW) this.close(f.NO_ERROR);
    // The timeout for a head that has begun continues.
    else if (!this.#headBegun) this.#idle();
  }

  protected override onGone(): void {
    this.host.closed(this);
  }

  protected override isIdleStream(streamId: number): boolean {
    return streamId > this.lastPeerStream || streamId % 2 === 0;
  }

  protected override headArrived(bytes: Uint8Array, { start, end }: { start: number; end: number }): void {
    const { streamId, endStream, dependsOnItself } = this.block;
    const stream = this.streams.get(streamId);
    if (stream === undefined && streamId % 2 === 0) {
      this.close(f.PROTOCOL_ERROR, "a client's stream has an even number");
      return;
    }
    // A field section is always decoded, even if the stream is refused: the dynamic table must stay in step with the
    // client's (RFC 9113 §4.3).
    const isNew = stream === undefined && streamId > this.lastPeerStream;
    list.begin(this.#maxHeaderListSize);
    const broken = this.#decoder.decode(bytes, start, end, list);
    if (broken !== "") this.close(f.COMPRESSION_ERROR, broken);
    else if (stream !== undefined) this.#takeTrailers(stream, endStream);
    else if (isNew) this.#open(streamId, endStream, this.#finish(endStream, dependsOnItself));
    else if (!this.wasReset(streamId)) this.close(f.STREAM_CLOSED, "HEADERS on a closed stream");
  }

  /** The request that `list` holds; undefined if it is malformed. */
  #finish(endStream: boolean, dependsOnItself: boolean): ListedRequest | HeadError | undefined {
    if (list.tooLarge) return TOO_LARGE;
    const limits = { scheme: this.host.scheme, maxCount: this.settings.maxHeaderCount, extendedConnect: true };
    return dependsOnItself ? undefined : list.fields.finish(!endStream, limits);
  }

  #open(streamId: number, endStream: boolean, request: ListedRequest | HeadError | undefined): void {
    this.lastPeerStream = streamId;
    this.#idleSince = this.wheel.now();
    // RFC 9113 §6.8: the GOAWAY announced that this stream is not served. It is reset because its body may be on its
    // way.
    if (streamId > this.#lastServed || this.streams.size >= this.#maxStreams) {
      this.#refuseStream(streamId, f.REFUSED_STREAM);
    } else if (request === undefined) this.#refuseStream(streamId, f.PROTOCOL_ERROR);
    else if ("code" in request) this.#respondWithError(streamId, endStream, request);
    else this.#begin(streamId, endStream, request);
  }

  #refuseStream(streamId: number, code: number): void {
    this.writeReset(streamId, code);
    this.countStreamError();
  }

  #begin(streamId: number, endStream: boolean, request: ListedRequest): void {
    const exchange = new Http2Exchange(this, streamId, request);
    this.streams.set(streamId, exchange);
    exchange.openedByPeer(endStream);
    if (!endStream && request.head.upgrade === "") exchange.startBody();
    this.host.handle(exchange);
  }

  #takeTrailers(stream: Http2Stream, endStream: boolean): void {
    if (!stream.mayReceive) {
      stream.fail(f.STREAM_CLOSED);
      return;
    }
    const trailers = list.tooLarge ? undefined : list.fields.finishTrailers();
    if (trailers === undefined || !endStream) stream.fail(f.PROTOCOL_ERROR);
    else this.ended(stream, trailers);
  }

  /** Responds to a request that cannot become an exchange. */
  #respondWithError(streamId: number, endStream: boolean, error: HeadError): void {
    const { id, status, fields, body } = list.fields.isGrpc ? grpcResponse(error) : problemResponse(error);
    const isHead = list.fields.method === "HEAD";
    // No data is buffered for such a stream. The body is left out if it does not fit into the windows now (RFC 9113
    // §6.9.1).
    const hasBody = !isHead && body !== "" && body.length <= Math.min(this.sendWindow, this.peer.initialWindowSize);
    this.writer.head({ streamId, endStream: !hasBody }, fields, {
      encode: (target, at) => {
        const offset = writeStatus(target, at, status);
        return isHead || hasBody ? writeContentLength(target, offset, body.length) : offset;
      },
    });
    if (hasBody) {
      const chunk = Buffer.from(body, "latin1");
      this.writeData(streamId, f.END_STREAM, { chunk, start: 0, end: chunk.length });
    }
    this.host.refused({
      id,
      protocol: "HTTP/2.0",
      head: refusedHead(list.fields.method, list.fields.target, this.host.scheme),
      clientAddress: this.peerAddress,
      status,
      bytesReceived: 0,
      bytesSent: hasBody ? body.length : 0,
    });
    // The rest of the request's body is not read (RFC 9113 §8.1).
    if (!endStream) this.writeReset(streamId, f.NO_ERROR);
  }
}

const TOO_LARGE: HeadError = { code: "head-too-large", detail: "the header list is larger than this server allows" };
