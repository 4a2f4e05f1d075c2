import { type Fields } from "../../lib/http/fields.ts";
import { type Wire } from "../wire/wire.ts";
import { FloodBudget, RESET_COST } from "./flood-budget.ts";
import * as f from "./frame.ts";
import { Http2Socket, type SocketOptions } from "./socket.ts";
import { FrameReader, type FrameSink } from "./frame-reader.ts";
import { frameError } from "./frame-rules.ts";
import { FieldSection } from "./field-section.ts";
import { type DataRange, FrameWriter } from "./frame-writer.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { RecentResets } from "./recent-resets.ts";
import { SendQueue } from "./send-queue.ts";
import { type ConnectionError, type LocalSettings, PeerSettings, settingsPayload } from "./settings.ts";
import { type Http2Stream, type StreamConnection } from "./stream.ts";

/** The window of a connection is this many stream windows, unless an option gives its size. @bound */
const CONNECTION_WINDOWS = 8;

/** The settings of a connection. `ofClient`: this end is the client, and opens streams with odd numbers. */
export interface Http2Options extends SocketOptions {
  readonly local: LocalSettings;
  readonly ofClient: boolean;
  /** Bytes that the peer may send on all streams together before any is taken. */
  readonly connectionWindow?: number;
}

/**
 * The common part of both ends of an HTTP/2 connection (RFC 9113): it reads and writes frames, and handles settings,
 * flow control and closing. Subclasses handle heads.
 *
 *   wire ─▶ FrameReader ─▶ Http2Connection ─▶ FieldSection ─▶ HPACK ─▶ the subclass's streams
 *   wire ◀─ Outgoing ◀──── SendQueue ◀─ Http2Stream
 */
export abstract class Http2Connection extends Http2Socket implements FrameSink, StreamConnection {
  readonly peer = new PeerSettings();
  readonly writer: FrameWriter;
  readonly streams = new Map<number, Http2Stream>();
  /** Bytes that the peer accepts on all streams together. */
  sendWindow = f.DEFAULT_WINDOW;
  /** Bytes that the peer may send on each stream before any is taken. */
  streamWindow: number;
  /** The highest stream number that the peer has opened. */
  protected lastPeerStream = 0;
  protected readonly reader: FrameReader;
  protected readonly floodBudget: FloodBudget;
  protected readonly block: FieldSection;
  readonly #options: Http2Options;
  readonly #queue = new SendQueue(this);
  /** The peer's SETTINGS, which must be its first frame, have arrived (RFC 9113 §3.4). */
  protected settingsSeen = false;
  /** The number of complete field sections and of complete frames of other known types. */
  protected completeFrames = 0;
  #settingsAcknowledged = false;
  readonly #receiveWindow: ReceiveWindow;
  /** The stream of the DATA frame that is being read; undefined if the frame's bytes are discarded. */
  #dataStream: Http2Stream | undefined;
  readonly #resets = new RecentResets();

  constructor(wire: Wire, options: Http2Options) {
    super(wire, options);
    const { local, ofClient, wheel } = options;
    this.#options = options;
    this.floodBudget = new FloodBudget(() => wheel.now());
    this.block = new FieldSection(local.maxHeaderListSize);
    this.reader = new FrameReader(this, {
      maxFrameSize: local.maxFrameSize,
      maxPayload: Math.max(this.block.maxBytes, f.DEFAULT_MAX_FRAME_SIZE),
      expectPreface: !ofClient,
    });
    this.writer = new FrameWriter(this.out, this.peer);
    // Until the peer has acknowledged a smaller window, it may use the default window (RFC 9113 §6.9.3).
    this.streamWindow = Math.max(local.initialWindowSize, f.DEFAULT_WINDOW);
    const window = options.connectionWindow ?? this.streamWindow * CONNECTION_WINDOWS;
    this.#receiveWindow = new ReceiveWindow(Math.min(window, f.MAX_WINDOW));
    if (ofClient) this.out.bytes(f.PREFACE);
    this.writer.frame({ type: f.SETTINGS, flags: 0, streamId: 0 }, settingsPayload(local));
    this.writer.windowUpdate(0, Math.min(window, f.MAX_WINDOW) - f.DEFAULT_WINDOW);
  }

  protected abstract headArrived(bytes: Uint8Array, range: { start: number; end: number }): void;
  protected abstract goawayArrived(lastStreamId: number, code: number): void;
  /** A stream has closed. If `streams` is empty, no stream is open any more. */
  protected abstract streamClosed(stream: Http2Stream): void;
  protected abstract onPong(): void;

  protected override read(chunk: Uint8Array): void {
    this.reader.read(chunk);
  }

  protected override sendWaiting(): void {
    this.#queue.pump();
  }

  protected override get isIdle(): boolean {
    return this.streams.size === 0;
  }

  protected override sendGoAway(code: number, reason: string): void {
    this.writer.goaway(this.lastPeerStream, code, reason);
  }

  protected override cutStreams(): void {
    this.reader.stop();
    const open = [...this.streams.values()];
    this.streams.clear();
    for (const stream of open) {
      this.wheel.remove(stream);
      stream.release();
    }
    cutShort(open);
  }

  // --- received frames ---

  frameBegins(): boolean {
    const { type, streamId, length } = this.reader;
    if (this.block.open && (type !== f.CONTINUATION || streamId !== this.block.streamId)) {
      // RFC 9113 §6.10
      return this.#refuse(f.PROTOCOL_ERROR, "another frame within a field section");
    }
    if (!this.settingsSeen && (type !== f.SETTINGS || (this.reader.flags & f.ACK) !== 0)) {
      // RFC 9113 §3.4
      return this.#refuse(f.PROTOCOL_ERROR, "the first frame is not SETTINGS");
    }
    const error = frameError(type, streamId, length);
    if (error !== undefined) return this.#refuse(error.code, error.reason);
    if (type === f.DATA) return this.#dataBegins(streamId, length);
    return (
      type <= f.CONTINUATION ||
      this.floodBudget.spend(1) ||
      this.#refuse(f.ENHANCE_YOUR_CALM, "too many unknown frames")
    );
  }

  #refuse(code: number, reason: string): false {
    this.close(code, reason);
    return false;
  }

  unreadable(code: number, reason: string): void {
    this.close(code, reason);
  }

  #dataBegins(streamId: number, length: number): boolean {
    if (!this.#receiveWindow.receive(length)) {
      return this.#refuse(f.FLOW_CONTROL_ERROR, "more data than the connection's window allows");
    }
    const stream = this.streams.get(streamId);
    this.#dataStream = undefined;
    if (stream === undefined) {
      if (this.isIdleStream(streamId)) return this.#refuse(f.PROTOCOL_ERROR, "DATA on an idle stream");
      if (!this.wasReset(streamId)) return this.#refuse(f.STREAM_CLOSED, "DATA on a closed stream");
      if (!this.floodBudget.spend(1))
        return this.#refuse(f.ENHANCE_YOUR_CALM, "too much DATA on streams that were reset");
    } else if (!stream.mayReceive) {
      stream.fail(f.STREAM_CLOSED);
    } else if (stream.takeFrame(length)) {
      this.#dataStream = stream;
    }
    // A stream error may have closed the connection.
    return this.isOpen;
  }

  dataPiece(bytes: Uint8Array, start: number, end: number): void {
    const stream = this.#dataStream;
    if (stream === undefined || stream.isClosed) this.taken(end - start);
    else stream.receive(bytes, start, end);
  }

  dataEnds(padding: number): void {
    const stream = this.#dataStream;
    this.#dataStream = undefined;
    this.completeFrames++;
    const endStream = (this.reader.flags & f.END_STREAM) !== 0;
    if (this.reader.length === padding && !endStream && !this.floodBudget.spend(1)) {
      this.close(f.ENHANCE_YOUR_CALM, "too many DATA frames without data");
      return;
    }
    if (stream === undefined || stream.isClosed) {
      this.taken(padding);
      return;
    }
    if (padding > 0) stream.taken(padding);
    if (endStream) this.ended(stream, "");
  }

  protected ended(stream: Http2Stream, trailers: Fields): void {
    stream.receiveEnd(trailers);
    this.halfClosed(stream);
  }

  frame(bytes: Uint8Array, start: number, end: number): void {
    const { type, streamId } = this.reader;
    const error = this.#take(bytes, start, end);
    if (!this.block.open) this.completeFrames++;
    if (error !== undefined) this.close(error.code, error.reason);
    else if (type !== f.HEADERS && type !== f.CONTINUATION && !this.floodBudget.spend(1)) {
      this.close(f.ENHANCE_YOUR_CALM, `too many frames of type ${type} on stream ${streamId}`);
    }
  }

  #take(bytes: Uint8Array, start: number, end: number): ConnectionError | undefined {
    const { type, flags, streamId } = this.reader;
    switch (type) {
      case f.HEADERS:
      case f.CONTINUATION:
        return this.#takeHeaders(bytes, start, end);
      case f.WINDOW_UPDATE:
        return this.#takeWindowUpdate(streamId, f.readUint31(bytes, start));
      case f.RST_STREAM:
        return this.#takeReset(streamId, f.readUint32(bytes, start));
      case f.SETTINGS:
        return this.#takeSettings(bytes, start, end);
      case f.PING:
        if ((flags & f.ACK) !== 0) this.onPong();
        else this.writer.frame({ type: f.PING, flags: f.ACK, streamId: 0 }, bytes.subarray(start, end));
        return undefined;
      case f.GOAWAY:
        this.goawayArrived(f.readUint31(bytes, start), f.readUint32(bytes, start + 4));
        return undefined;
      case f.PRIORITY:
        return this.#takePriority(bytes, start, end);
      default:
        // A client may not push, and pushes to a client are disabled (RFC 9113 §6.6, §8.4).
        return { code: f.PROTOCOL_ERROR, reason: "PUSH_PROMISE" };
    }
  }

  #takeHeaders(bytes: Uint8Array, start: number, end: number): ConnectionError | undefined {
    const error = this.block.add(this.reader, bytes, { start, end });
    if (error !== undefined || this.block.open) return error;
    const { gathered, streamId } = this.block;
    if (this.wasReset(streamId) && !this.floodBudget.spend(1)) {
      return { code: f.ENHANCE_YOUR_CALM, reason: "too many heads on streams that were reset" };
    }
    if (gathered === undefined) this.headArrived(bytes, { start: this.block.start, end: this.block.end });
    else this.headArrived(gathered, { start: 0, end: gathered.length });
    return undefined;
  }

  #takeWindowUpdate(streamId: number, by: number): ConnectionError | undefined {
    const stream = this.streams.get(streamId);
    if (streamId === 0) {
      if (by === 0) return { code: f.PROTOCOL_ERROR, reason: "WINDOW_UPDATE of 0" };
      this.sendWindow += by;
      if (this.sendWindow > f.MAX_WINDOW)
        return { code: f.FLOW_CONTROL_ERROR, reason: "the connection's window overflows" };
      this.#queue.windowOpened();
    } else if (stream === undefined) {
      if (this.isIdleStream(streamId)) return { code: f.PROTOCOL_ERROR, reason: "WINDOW_UPDATE on an idle stream" };
    } else if (by === 0) {
      stream.fail(f.PROTOCOL_ERROR);
    } else if (!stream.moveSendWindow(by)) {
      stream.fail(f.FLOW_CONTROL_ERROR);
    }
    return undefined;
  }

  #takeReset(streamId: number, code: number): ConnectionError | undefined {
    const stream = this.streams.get(streamId);
    if (stream === undefined) {
      if (this.isIdleStream(streamId)) return { code: f.PROTOCOL_ERROR, reason: "RST_STREAM on an idle stream" };
      this.#resets.delete(streamId);
      this.resetAfterEnd(streamId, code);
      return undefined;
    }
    const isWithinBudget = this.floodBudget.spend(RESET_COST);
    stream.resetCode = code;
    this.abandon(stream);
    return isWithinBudget ? undefined : { code: f.ENHANCE_YOUR_CALM, reason: "too many streams are reset" };
  }

  #takeSettings(bytes: Uint8Array, start: number, end: number): ConnectionError | undefined {
    const { flags } = this.reader;
    if ((flags & f.ACK) !== 0) {
      if (end !== start) return { code: f.FRAME_SIZE_ERROR, reason: "an acknowledgement of SETTINGS with a payload" };
      this.#takeAcknowledgement();
      return undefined;
    }
    const before = this.peer.initialWindowSize;
    const error = this.peer.apply(bytes, { start, end }, this.#options.ofClient);
    if (error !== undefined) return error;
    this.settingsSeen = true;
    this.writer.frame({ type: f.SETTINGS, flags: f.ACK, streamId: 0 }, EMPTY);
    const by = this.peer.initialWindowSize - before;
    // RFC 9113 §6.9.2: a window may become negative, but must not overflow.
    for (const stream of this.streams.values()) {
      if (!stream.moveSendWindow(by)) return { code: f.FLOW_CONTROL_ERROR, reason: "a stream's window overflows" };
    }
    return undefined;
  }

  /** From now on the peer respects this side's own window for streams. */
  #takeAcknowledgement(): void {
    if (this.#settingsAcknowledged) return;
    this.#settingsAcknowledged = true;
    const by = this.#options.local.initialWindowSize - this.streamWindow;
    this.streamWindow += by;
    for (const stream of this.streams.values()) stream.moveReceiveWindow(by);
  }

  #takePriority(bytes: Uint8Array, start: number, end: number): ConnectionError | undefined {
    const { streamId } = this.reader;
    const isBroken = end - start !== 5;
    if (!isBroken && f.readUint31(bytes, start) !== streamId) return undefined;
    // Priorities are ignored (RFC 9113 §5.3.2), but a malformed PRIORITY is still a stream error.
    const stream = this.streams.get(streamId);
    const code = isBroken ? f.FRAME_SIZE_ERROR : f.PROTOCOL_ERROR;
    if (stream !== undefined) stream.fail(code);
    // RST_STREAM is not allowed on an idle stream and useless on a closed one. The error becomes a connection error
    // (RFC 9113 §5.4).
    else if (isBroken || this.isIdleStream(streamId)) return { code, reason: "an invalid PRIORITY" };
    return undefined;
  }

  /** The peer has reset a stream that had ended. */
  protected resetAfterEnd(_streamId: number, _code: number): void {}

  /** True if neither side has used the stream so far. */
  protected abstract isIdleStream(streamId: number): boolean;

  /**
   * True if this side has reset the closed stream, or may have: frames that still arrive for it are late, and no error.
   */
  protected wasReset(streamId: number): boolean {
    return this.#resets.has(streamId);
  }

  // --- streams ---

  /** Writes a DATA frame, within both windows. */
  writeData(streamId: number, flags: number, data: DataRange): void {
    const length = data.end - data.start;
    this.sendWindow -= length;
    // Credit for two window updates, and for those of a client that gives its windows back every 4 KiB, as Go's client
    // does.
    if (length > 0) this.floodBudget.earn(2 + (length >> 11));
    this.writer.data(streamId, flags, data);
  }

  resetStream(stream: Http2Stream, code: number): void {
    this.writeReset(stream.streamId, code);
    this.#forget(stream);
  }

  /** An error of the peer that makes this side reset a stream costs as much as a reset by the peer (CVE-2025-8671). */
  countStreamError(): void {
    if (!this.floodBudget.spend(RESET_COST)) this.close(f.ENHANCE_YOUR_CALM, "too many streams had to be reset");
  }

  /** Ends a stream that the peer has ended, without sending a frame. */
  protected abandon(stream: Http2Stream): void {
    this.#forget(stream);
    stream.cutShort();
  }

  protected writeReset(streamId: number, code: number): void {
    this.writer.reset(streamId, code);
    this.#resets.add(streamId);
  }

  enqueue(stream: Http2Stream): void {
    this.#queue.add(stream);
  }

  halfClosed(stream: Http2Stream): void {
    if (stream.isClosed) this.#forget(stream);
  }

  #forget(stream: Http2Stream): void {
    if (!this.streams.delete(stream.streamId)) return;
    this.wheel.remove(stream);
    this.#queue.remove(stream);
    stream.release();
    this.streamClosed(stream);
  }

  taken(length: number): void {
    const given = this.#receiveWindow.take(length);
    if (this.isOpen) this.writer.windowUpdate(0, given);
  }
}

/**
 * Cuts each of `streams` short. If calls throw, all streams are still cut short, and then the first error is thrown.
 */
function cutShort(streams: readonly Http2Stream[]): void {
  const errors: unknown[] = [];
  for (const stream of streams) {
    try {
      stream.cutShort();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

const EMPTY = new Uint8Array(0);
