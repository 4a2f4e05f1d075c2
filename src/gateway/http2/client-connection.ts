import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type ResponseSink } from "../exchange/exchange.ts";
import { type Wire } from "../wire/wire.ts";
import { RESET_COST } from "./flood-budget.ts";
import { type ClientRequest, ClientStream, type ClientStreamConnection, listSize } from "./client-stream.ts";
import { Http2Connection } from "./connection.ts";
import * as f from "./frame.ts";
import { HpackDecoder, staticItems } from "./hpack/decoder.ts";
import { type ResponseField, ResponseFields, responseField } from "./response-fields.ts";
import { type Http2Stream } from "./stream.ts";

/**
 * The size limit of a response's head or trailers, as RFC 9113 §6.5.2 counts it. It is the same as for HTTP/1
 * upstreams.
 */
const MAX_RESPONSE_HEAD_BYTES = 65_536;
const MAX_RESPONSE_FIELDS = 256;
/** Concurrent requests on a connection, if the server allows that number. */
const MAX_CONCURRENT_REQUESTS = 100;
/** Bytes of one response that may be on their way. With a round trip of 1 ms this allows 256 MB a second. @bound */
const STREAM_WINDOW = 262_144;
/**
 * Bytes of all responses together: twice the sum of their windows, so that clients that do not read do not block other
 * clients. @bound
 */
const CONNECTION_WINDOW = 2 * MAX_CONCURRENT_REQUESTS * STREAM_WINDOW;

/** Milliseconds in which a server must respond to a PING. After that, its connection gets no more requests. @bound */
const PING_MS = 5000;

const LOCAL_SETTINGS = {
  maxHeaderListSize: MAX_RESPONSE_HEAD_BYTES,
  initialWindowSize: STREAM_WINDOW,
  maxFrameSize: f.DEFAULT_MAX_FRAME_SIZE,
};

const statics = staticItems(responseField);
const list = new ResponseFields({ maxSize: MAX_RESPONSE_HEAD_BYTES, maxCount: MAX_RESPONSE_FIELDS });

/** The owner of a connection, which receives its events. */
export interface Http2ConnectionOwner {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  /** Milliseconds in which the server must read some of the data that is sent. */
  readonly writeMs: number;
  /** A request has ended, or the server has announced how many requests it takes; see `room`. */
  released(connection: Http2ClientConnection): void;
  /** The connection accepts no more requests, and closes when its last response has ended. */
  retired(connection: Http2ClientConnection): void;
  closed(connection: Http2ClientConnection): void;
}

/**
 * A connection to an upstream server that carries many HTTP/2 requests at a time (RFC 9113). It sends as soon as it is
 * created, with prior knowledge or after ALPN.
 *
 *   open ─ GOAWAY, or no stream numbers left ─▶ retired ─ last response ─▶ closed
 */
export class Http2ClientConnection extends Http2Connection implements ClientStreamConnection {
  readonly #owner: Http2ConnectionOwner;
  /** The number of requests begun on this connection. */
  requests = 0;
  readonly #decoder = new HpackDecoder<ResponseField>(responseField, statics);
  #nextStreamId = 1;
  #retired = false;
  /** The owner found no room and is called when there is some, or when the server has announced its limit. */
  #awaitsRoom = false;
  #toldRoom = false;
  /** Wheel time at which bytes last arrived. */
  #heardAt = 0;
  /** Wheel time at which a PING was sent, if nothing has arrived since; -1 otherwise. */
  #askedAt = -1;

  constructor(wire: Wire, owner: Http2ConnectionOwner) {
    super(wire, {
      wheel: owner.wheel,
      buffers: owner.buffers,
      local: LOCAL_SETTINGS,
      ofClient: true,
      connectionWindow: CONNECTION_WINDOW,
      writeMs: () => owner.writeMs,
    });
    this.#owner = owner;
  }

  /** The server has announced how many concurrent requests it takes. */
  get knowsRoom(): boolean {
    return this.settingsSeen;
  }

  /**
   * Requests that should begin now at most. It is one until the server has announced its limit, because the server may
   * refuse the others.
   */
  get room(): number {
    return this.settingsSeen ? this.#capacity : Math.min(this.#capacity, this.streams.size === 0 ? 1 : 0);
  }

  /** Requests that may begin now (RFC 9113 §5.1.2). */
  get #capacity(): number {
    if (!this.isOpen || this.#retired) return 0;
    return Math.max(Math.min(this.peer.maxStreams, MAX_CONCURRENT_REQUESTS) - this.streams.size, 0);
  }

  /** True once the connection accepts no more requests. */
  get isRetired(): boolean {
    return this.#retired || !this.isOpen;
  }

  /**
   * Begins a request. Unless `bodyLength` is 0, the body follows with the stream's `data` and `end`. Returns undefined
   * if there is no room. Also returns undefined if the head is larger than the server accepts: then the sink is
   * aborted.
   */
  request(request: ClientRequest, sink: ResponseSink): ClientStream | undefined {
    if (this.#capacity === 0) return undefined;
    // A server may close the whole connection because of such a head, and with it the requests of other clients.
    if (this.peer.maxHeaderListSize !== Number.POSITIVE_INFINITY && listSize(request) > this.peer.maxHeaderListSize) {
      sink.abort(new TurnpikeError("head-too-large", "the header fields are larger than the upstream allows"));
      return undefined;
    }
    const streamId = this.#nextStreamId;
    this.#nextStreamId += 2;
    this.requests++;
    this.wheel.clear(this);
    const stream = new ClientStream(this, this.wheel, streamId, request);
    this.streams.set(streamId, stream);
    stream.open(sink);
    if (this.room === 0) this.#awaitsRoom = true;
    // RFC 9113 §5.1.1: there are no stream numbers left.
    if (this.#nextStreamId > f.MAX_WINDOW) this.#retire();
    return stream;
  }

  /** Closes the connection unless it is used within `ms` milliseconds. */
  closeAfter(ms: number): void {
    this.wheel.set(this, ms);
  }

  /** Takes no more requests, and closes when the last response has ended. */
  retire(): void {
    this.#retire();
    this.#closeIfDone();
  }

  responseEnded(stream: ClientStream, trailers: Fields): void {
    this.ended(stream, trailers);
  }

  responded(): void {
    this.floodBudget.earn(RESET_COST);
  }

  timedOut(since: number): void {
    // Within a field section, no other frame can arrive.
    if (this.#heardAt < since || this.block.open) this.retire();
  }

  /**
   * A client that cancels its requests before their timeout never shows whether a connection is dead. Therefore a
   * cancelled request sends a PING. If the server has sent nothing for `PING_MS` since, a later cancelled request
   * retires the connection.
   */
  givenUp(since: number): void {
    if (this.#heardAt >= since || this.isRetired) return;
    const now = this.wheel.now();
    if (this.#askedAt === -1) {
      this.#askedAt = now;
      this.writer.ping();
    } else if (now - this.#askedAt >= PING_MS) this.retire();
  }

  #retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#owner.retired(this);
  }

  #closeIfDone(): void {
    if (this.#retired && this.streams.size === 0) this.close(f.NO_ERROR);
  }

  override onDeadline(): void {
    if (this.isOpen && this.streams.size === 0) this.close(f.NO_ERROR);
    else super.onDeadline();
  }

  protected override goawayArrived(lastStreamId: number): void {
    this.#retire();
    for (const stream of this.streams.values()) {
      if (stream.streamId <= lastStreamId || !(stream instanceof ClientStream)) continue;
      // RFC 9113 §6.8: the server has not processed these requests and will not.
      stream.unprocessed = true;
      this.abandon(stream);
    }
    this.#closeIfDone();
  }

  protected override headArrived(bytes: Uint8Array, { start, end }: { start: number; end: number }): void {
    const { streamId, endStream, dependsOnItself } = this.block;
    if (this.isIdleStream(streamId)) {
      this.close(f.PROTOCOL_ERROR, "HEADERS on an idle stream");
      return;
    }
    const stream = this.streams.get(streamId);
    // A field section is always decoded, even if its stream is closed: the dynamic table must stay in step with the
    // server's (RFC 9113 §4.3).
    list.begin();
    const broken = this.#decoder.decode(bytes, start, end, list);
    if (broken !== "") this.close(f.COMPRESSION_ERROR, broken);
    else if (stream instanceof ClientStream) {
      if (dependsOnItself) stream.fail(f.PROTOCOL_ERROR);
      else stream.takeHead(list, endStream);
    } else if (!this.wasReset(streamId)) this.close(f.STREAM_CLOSED, "HEADERS on a closed stream");
  }

  protected override streamClosed(_stream: Http2Stream): void {
    this.#closeIfDone();
    if (!this.isRetired) this.#owner.released(this);
  }

  protected override onActivity(): void {
    this.#heardAt = this.wheel.now();
    this.#askedAt = -1;
    const isNews = this.settingsSeen && !this.#toldRoom;
    this.#toldRoom = this.settingsSeen;
    if (!this.#awaitsRoom || (this.room === 0 && !isNews)) return;
    this.#awaitsRoom = this.room === 0;
    this.#owner.released(this);
  }

  protected override onPong(): void {
    // A response to a PING needs no action: `onActivity` has noted that bytes arrived.
  }

  protected override onGone(): void {
    this.#owner.closed(this);
  }

  /** This side's streams have odd numbers; the server opens none (RFC 9113 §8.4). */
  protected override isIdleStream(streamId: number): boolean {
    return streamId % 2 === 0 || streamId >= this.#nextStreamId;
  }
}
