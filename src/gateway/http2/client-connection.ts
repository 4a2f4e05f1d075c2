import { type BufferPool } from "../../lib/buffer-pool.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/fields.ts";
import { type TimerWheel } from "../../lib/timer-wheel.ts";
import { type ResponseSink } from "../exchange.ts";
import { type Wire } from "../wire/wire.ts";
import { RESET_COST } from "./flood-budget.ts";
import { type ClientRequest, ClientStream, type ClientStreamConnection, listSize } from "./client-stream.ts";
import { Http2Connection } from "./connection.ts";
import * as f from "./frame.ts";
import { HpackDecoder, staticItems } from "./hpack/decoder.ts";
import { RepeatedBlock } from "./hpack/repeated-block.ts";
import { type GatheredFields, type ResponseField, ResponseFields, responseField } from "./response-fields.ts";
import { type Http2Stream } from "./stream.ts";

/** A response's head or trailers, by RFC 9113 §6.5.2's count: as much as from an HTTP/1 upstream. */
const MAX_RESPONSE_HEAD_BYTES = 65_536;
const MAX_RESPONSE_FIELDS = 256;
/** Requests at one time on a connection, where the server allows as many. */
const MAX_CONCURRENT_REQUESTS = 100;
/** Bytes of one response that may be on their way: with a millisecond to the server, 256 MB a second. @bound */
const STREAM_WINDOW = 262_144;
/** Bytes of all responses: twice what fits into their windows, so that clients which read nothing hold up no others. @bound */
const CONNECTION_WINDOW = 2 * MAX_CONCURRENT_REQUESTS * STREAM_WINDOW;

/** Milliseconds that a server has for the response to a PING before its connection gets no more requests. @bound */
const PING_MS = 5000;

const LOCAL_SETTINGS = {
  maxHeaderListSize: MAX_RESPONSE_HEAD_BYTES,
  initialWindowSize: STREAM_WINDOW,
  maxFrameSize: f.DEFAULT_MAX_FRAME_SIZE,
};

const statics = staticItems(responseField);
const list = new ResponseFields({ maxSize: MAX_RESPONSE_HEAD_BYTES, maxCount: MAX_RESPONSE_FIELDS });

/** Whose connection it is. */
export interface Http2ConnectionOwner {
  readonly wheel: TimerWheel;
  readonly buffers: BufferPool;
  /** Milliseconds that the server may take to read anything of what is sent. */
  readonly writeMs: number;
  /** What several events write leaves together: see `Outgoing`. */
  readonly gathers?: boolean;
  /** A request has ended, or the server has said how many it takes: see `room`. */
  released(connection: Http2ClientConnection): void;
  /** It takes no more requests, and closes when those that it has are answered. */
  retired(connection: Http2ClientConnection): void;
  closed(connection: Http2ClientConnection): void;
}

/**
 * A connection to an upstream server that carries many HTTP/2 requests at a time (RFC 9113). It sends as soon as it is
 * made, by prior knowledge or after ALPN.
 *
 *   open ─ GOAWAY, or no stream numbers left ─▶ retired ─ last response ─▶ closed
 */
export class Http2ClientConnection extends Http2Connection implements ClientStreamConnection {
  readonly #owner: Http2ConnectionOwner;
  /** Requests begun on this connection. */
  requests = 0;
  readonly #decoder = new HpackDecoder<ResponseField>(responseField, statics);
  readonly #heads = new RepeatedBlock<GatheredFields>();
  /** Trailers, and heads without a body. */
  readonly #ends = new RepeatedBlock<GatheredFields>();
  #nextStreamId = 1;
  #retired = false;
  /** The owner was left without room, and is to hear when there is some, or how much there will be. */
  #awaitsRoom = false;
  #toldRoom = false;
  /** When bytes came last, in wheel time. */
  #heardAt = 0;
  /** When a PING was sent that nothing has followed, in wheel time; -1: there is none. */
  #askedAt = -1;

  constructor(wire: Wire, owner: Http2ConnectionOwner) {
    super(wire, {
      wheel: owner.wheel,
      buffers: owner.buffers,
      local: LOCAL_SETTINGS,
      ofClient: true,
      connectionWindow: CONNECTION_WINDOW,
      writeMs: () => owner.writeMs,
      gathers: owner.gathers,
    });
    this.#owner = owner;
  }

  /** The server has said how many requests it takes at a time. */
  get knowsRoom(): boolean {
    return this.settingsSeen;
  }

  /** Requests that had better be begun now: one until the server has said how many it takes, since it may refuse the others. */
  get room(): number {
    return this.settingsSeen ? this.#capacity : Math.min(this.#capacity, this.streams.size === 0 ? 1 : 0);
  }

  /** Requests that may be begun now (RFC 9113 §5.1.2). */
  get #capacity(): number {
    if (!this.isOpen || this.#retired) return 0;
    return Math.max(Math.min(this.peer.maxStreams, MAX_CONCURRENT_REQUESTS) - this.streams.size, 0);
  }

  /** True once no request can be begun any more. */
  get isRetired(): boolean {
    return this.#retired || !this.isOpen;
  }

  /**
   * Begins a request; the body follows with the stream's `data` and `end`, unless `bodyLength` is 0. Undefined: there is no room,
   * or its head is larger than the server takes, which the sink hears.
   */
  request(request: ClientRequest, sink: ResponseSink): ClientStream | undefined {
    if (this.#capacity === 0) return undefined;
    // A server may end the whole connection for it, and with it what others have asked for.
    if (this.peer.maxHeaderListSize !== Number.POSITIVE_INFINITY && listSize(request) > this.peer.maxHeaderListSize) {
      sink.abort(new TurnpikeError("head-too-large", "the header fields are larger than the upstream takes"));
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
    // RFC 9113 §5.1.1
    if (this.#nextStreamId > f.MAX_WINDOW) this.#retire();
    return stream;
  }

  /** Closes the connection unless it is used within `ms`. */
  closeAfter(ms: number): void {
    this.wheel.set(this, ms);
  }

  /** Begins no more requests; closes when the last one is answered. */
  retire(): void {
    this.#retire();
    this.#closeIfDone();
  }

  /** The response on `stream` ended. */
  responseEnded(stream: ClientStream, trailers: Fields): void {
    this.ended(stream, trailers);
  }

  /** A request was answered whole. */
  responded(): void {
    this.floodBudget.earn(RESET_COST);
  }

  unanswered(since: number): void {
    // Within a field section nothing else can come.
    if (this.#heardAt < since || this.block.open) this.retire();
  }

  /**
   * Whoever has less patience than the gateway leaves dead connections as they are: nobody waits long enough to tell. A PING
   * tells, asked for by those who leave.
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
      // RFC 9113 §6.8: none of them was or will be processed.
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
    // Decoded whatever becomes of it: the table must keep step with the server's (RFC 9113 §4.3).
    const broken = this.#decode(bytes, start, end);
    if (broken !== "") this.close(f.COMPRESSION_ERROR, broken);
    else if (stream instanceof ClientStream) {
      if (dependsOnItself) stream.fail(f.PROTOCOL_ERROR);
      else stream.takeHead(list, endStream);
    } else if (!this.wasReset(streamId)) this.close(f.STREAM_CLOSED, "HEADERS on a closed stream");
  }

  /** Has `list` gather a block; as `HpackDecoder.decode`. */
  #decode(bytes: Uint8Array, start: number, end: number): string {
    const { changes } = this.#decoder;
    const repeated = this.block.endStream ? this.#ends : this.#heads;
    const gathered = repeated.find(bytes, start, end, changes);
    if (gathered !== undefined) {
      list.restore(gathered);
      return "";
    }
    list.begin();
    const broken = this.#decoder.decode(bytes, start, end, list);
    if (broken !== "" || this.#decoder.changes !== changes) return broken;
    const saved = list.save();
    if (saved !== undefined) repeated.keep(bytes, { start, end }, changes, saved);
    return "";
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
    // Nothing was asked.
  }

  protected override onGone(): void {
    this.#owner.closed(this);
  }

  /** This side's streams have odd numbers; the server opens none (RFC 9113 §8.4). */
  protected override isIdleStream(streamId: number): boolean {
    return streamId % 2 === 0 || streamId >= this.#nextStreamId;
  }
}
