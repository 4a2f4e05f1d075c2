import { type BufferAccount } from "../../lib/memory/buffer-pool.ts";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type BodySink } from "../exchange/exchange.ts";
import { type Outgoing } from "../wire/outgoing.ts";
import { END_STREAM, FLOW_CONTROL_ERROR, INTERNAL_ERROR, MAX_WINDOW } from "./frame.ts";
import { type DataRange, type FrameWriter } from "./frame-writer.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { type PeerSettings } from "./settings.ts";
import {
  IDLE,
  isLocalEnded,
  isOver,
  isRemoteEnded,
  nextState,
  RECEIVE_DATA,
  RECEIVE_END,
  RECEIVE_HEADERS,
  RECEIVE_RESET,
  SEND_END,
  SEND_HEADERS,
  SEND_RESET,
  type StreamEvent,
  type StreamState,
} from "./stream-state.ts";

/** A range of bytes. */
interface Piece {
  readonly bytes: Uint8Array;
  start: number;
  readonly end: number;
}

/** The parts of its connection that a stream uses. */
export interface StreamConnection {
  readonly out: Outgoing;
  /** Accounts for the memory that buffered data takes. */
  readonly buffers: BufferAccount;
  readonly peer: PeerSettings;
  readonly writer: FrameWriter;
  readonly sendWindow: number;
  readonly streamWindow: number;
  /** Writes a DATA frame within both windows, and subtracts its length from the connection's window. */
  writeData(streamId: number, flags: number, data: DataRange): void;
  /** Ends a stream in both directions with RST_STREAM. The caller ends the stream object itself. */
  resetStream(stream: Http2Stream, code: number): void;
  /** Called after a stream was reset because of an error of the peer. */
  countStreamError(): void;
  /** Queues `stream`, which sends when there is room. */
  enqueue(stream: Http2Stream): void;
  /** `stream` has ended in one direction. The connection forgets the stream if both directions have ended. */
  halfClosed(stream: Http2Stream): void;
  /** `length` bytes that the peer sent no longer take memory. */
  taken(length: number): void;
}

/**
 * One stream of a connection (RFC 9113 §5.1): both directions of its data, with flow control. Subclasses handle
 * requests and responses. The state changes only by the table of stream-state.ts.
 */
export abstract class Http2Stream extends Deadline {
  /** The stream's identifier (RFC 9113 §5.1.1). */
  readonly streamId: number;
  /** Bytes that the peer accepts on this stream. Negative after the peer has shrunk its window (RFC 9113 §6.9.2). */
  sendWindow: number;
  #state: StreamState = IDLE;
  /** The error code with which the peer has reset the stream; -1 if it has not. */
  resetCode = -1;
  /** The stream ended because there was no memory to buffer its data. */
  protected exhausted = false;
  /** The stream is in the connection's send queue. */
  queued = false;
  /** Data bytes of this stream, without padding. */
  bytesReceived = 0;
  bytesSent = 0;
  /** The reason why the peer's message will not be complete, once it is known. */
  error: TurnpikeError | undefined;
  protected readonly connection: StreamConnection;
  /** Data that waits for a window or the socket. Created when the first data has to wait. */
  #pending: ByteQueue | undefined;
  /** The last data of a message, whose end follows at once. It is sent with that end, or buffered with the rest. */
  #last: Piece | undefined;
  /** The trailers of a message that has been ended, but whose end is not sent yet. */
  #ending: Fields | undefined;
  /** Created when the first data arrives: most streams receive none. */
  #receiveWindow: ReceiveWindow | undefined;
  #sink: BodySink | undefined;
  /** Data that arrived before there was a sink. */
  #held: ByteQueue | undefined;
  /** Bytes that the sink has taken or that wait for it, and that are not yet given back to the peer's window. */
  #withheld = 0;
  #full = false;
  #trailers: Fields = "";
  #ignoring = false;
  #toldStarved = false;

  constructor(connection: StreamConnection, streamId: number) {
    super();
    this.connection = connection;
    this.streamId = streamId;
    this.sendWindow = connection.peer.initialWindowSize;
  }

  /** This side has ended its message. */
  get localEnded(): boolean {
    return isLocalEnded(this.#state);
  }

  /** The peer's message has arrived completely. */
  get remoteEnded(): boolean {
    return isRemoteEnded(this.#state);
  }

  /** Nothing more is sent or read: both messages are complete, or the stream was reset. */
  get isClosed(): boolean {
    return isOver(this.#state);
  }

  /** The peer may send DATA or trailers, because it has not ended its message. */
  get mayReceive(): boolean {
    return nextState(this.#state, RECEIVE_DATA) !== undefined;
  }

  #move(event: StreamEvent): void {
    const next = nextState(this.#state, event);
    if (next === undefined) throw new Error(`Cannot move a stream: event ${event} in state ${this.#state}`);
    this.#state = next;
  }

  /** The connection drains: a stream without an end should end. */
  onGoAway: (() => void) | undefined = undefined;

  /** The peer's HEADERS opened the stream. `endStream`: the HEADERS are the whole message. */
  openedByPeer(endStream: boolean): void {
    this.#move(RECEIVE_HEADERS);
    if (endStream) this.#move(RECEIVE_END);
  }

  /** This side's HEADERS opened the stream. */
  protected openedHere(): void {
    this.#move(SEND_HEADERS);
  }

  /** Reports a stream error (RFC 9113 §5.4.2): sends RST_STREAM and calls `cutShort`. */
  fail(code: number): void {
    if (this.isClosed) return;
    this.connection.resetStream(this, code);
    this.cutShort();
    this.connection.countStreamError();
  }

  /** The stream ended before its messages were complete: by a reset, or with its connection. Called once. */
  abstract cutShort(): void;
  /** The buffered data is on its way: the sender may send more. */
  protected abstract moreWelcome(): void;
  /** The peer's window is shut and data waits. Called once until data is sent again. */
  protected abstract onStarved(): void;
  /** Data was sent. If a window is shut already, `onStarved` follows. */
  protected abstract onMoved(): void;
  /** The whole message, including its end, was handed to the socket. */
  protected abstract onSent(): void;

  /**
   * Sends data. Returns true if all of it is on its way and the caller may send more. The bytes are taken in both
   * cases.
   */
  protected send(chunk: Uint8Array, start: number, end: number): boolean {
    const { connection } = this;
    let at = start;
    if (!this.isWaiting && !connection.out.blocked) {
      while (at < end) {
        const length = this.#allowance(end - at);
        if (length <= 0) break;
        this.#writeData(chunk, at, { end: at + length, flags: 0 });
        at += length;
        if (connection.out.blocked) break;
      }
      if (at === end && !connection.out.blocked) return true;
    }
    if (at < end && !this.#keep(chunk, at, end)) return false;
    if (this.isStarved) this.starve();
    connection.enqueue(this);
    return false;
  }

  /**
   * Takes the last data of a message, whose end must follow, and sends both in one frame if they fit. Always returns
   * true: only the end is left, and a caller that waited for room before it would wait forever.
   */
  protected sendLast(chunk: Uint8Array, start: number, end: number): true {
    if (this.isWaiting) this.#keep(chunk, start, end);
    else this.#last = { bytes: chunk, start, end };
    return true;
  }

  /** Ends the message that this side sends, with trailers if there are any. */
  protected sendEnd(trailers: Fields): void {
    if (this.localEnded || this.isClosed || this.#ending !== undefined) return;
    this.#ending = trailers;
    if (!this.queued) {
      while (this.isWaiting && !this.connection.out.blocked && this.#allowance(1) > 0) this.#writeNext();
    }
    if (!this.#keepLast() || this.queued) return;
    if (!this.isWaiting) this.finishSending();
    else {
      if (this.isStarved) this.starve();
      this.connection.enqueue(this);
    }
  }

  /** Sends one frame of the waiting data, in this stream's turn on the connection. Returns false if there is more. */
  sendTurn(): boolean {
    if (this.isWaiting) this.#writeNext();
    if (this.isWaiting) return false;
    if (this.#ending !== undefined) this.finishSending();
    return true;
  }

  tellSendable(): void {
    if (!this.isClosed && !this.localEnded && this.#ending === undefined) this.moreWelcome();
  }

  /** Changes the window by the peer's update (RFC 9113 §6.9). Returns false if the window becomes too large. */
  moveSendWindow(by: number): boolean {
    this.sendWindow += by;
    if (this.sendWindow > MAX_WINDOW) return false;
    if (this.isWaiting) this.connection.enqueue(this);
    return true;
  }

  /** Bytes that may be sent now, at most `wanted`. */
  #allowance(wanted: number): number {
    const { connection } = this;
    return Math.min(wanted, this.sendWindow, connection.sendWindow, connection.peer.maxFrameSize);
  }

  /** Reports once that the stream waits for a window of the peer. Called by the connection and by the stream itself. */
  starve(): void {
    if (this.#toldStarved) return;
    this.#toldStarved = true;
    this.onStarved();
  }

  /** Data waits for a window of the peer. */
  get isStarved(): boolean {
    return this.isWaiting && (this.sendWindow <= 0 || this.connection.sendWindow <= 0);
  }

  /** Data waits for a window or the socket. */
  protected get isWaiting(): boolean {
    return this.#last !== undefined || this.#pending?.first !== undefined;
  }

  /** Buffers data. Returns false if there is no memory left: the data is lost, so the stream is reset. */
  #keep(chunk: Uint8Array, start: number, end: number): boolean {
    this.#pending ??= new ByteQueue(this.connection.buffers);
    if (this.#pending.push(chunk, start, end)) return true;
    this.exhausted = true;
    this.connection.resetStream(this, INTERNAL_ERROR);
    this.cutShort();
    return false;
  }

  /** Buffers the last data of a message that has been ended; returns as `#keep`. */
  #keepLast(): boolean {
    const last = this.#last;
    if (last === undefined) return true;
    this.#last = undefined;
    return this.#keep(last.bytes, last.start, last.end);
  }

  #writeNext(): void {
    const last = this.#last;
    const piece = last ?? this.#pending?.first;
    if (piece === undefined) return;
    const { bytes, start } = piece;
    const length = this.#allowance(piece.end - start);
    if (length <= 0) return;
    if (last === undefined) this.#pending?.shift(length);
    else {
      last.start += length;
      if (last.start === last.end) this.#last = undefined;
    }
    const isEnd = !this.isWaiting && this.#ending === "";
    this.#writeData(bytes, start, { end: start + length, flags: isEnd ? END_STREAM : 0 });
    if (isEnd) this.#move(SEND_END);
  }

  #writeData(chunk: Uint8Array, start: number, { end, flags }: { end: number; flags: number }): void {
    const length = end - start;
    this.sendWindow -= length;
    this.bytesSent += length;
    this.connection.writeData(this.streamId, flags, { chunk, start, end });
    this.#toldStarved = false;
    this.onMoved();
  }

  /** Ends the sending side of the stream when no data waits any more. */
  protected finishSending(): void {
    const trailers = this.#ending ?? "";
    this.#ending = undefined;
    if (!this.localEnded) {
      if (trailers === "") this.connection.writeData(this.streamId, END_STREAM, { chunk: EMPTY, start: 0, end: 0 });
      else this.connection.writer.trailers(this.streamId, trailers);
      this.#move(SEND_END);
    }
    this.onSent();
    this.connection.halfClosed(this);
  }

  /** The head ended the message. */
  protected endedWithHead(): void {
    this.#move(SEND_END);
  }

  /**
   * Counts a DATA frame of `length` bytes against the window (RFC 9113 §6.9.1). If the frame is too large, resets the
   * stream and returns false.
   */
  takeFrame(length: number): boolean {
    if (this.#window().receive(length)) return true;
    this.fail(FLOW_CONTROL_ERROR);
    return false;
  }

  #window(): ReceiveWindow {
    this.#receiveWindow ??= new ReceiveWindow(this.connection.streamWindow);
    return this.#receiveWindow;
  }

  /** Changes the receive window when this side's own setting takes effect. */
  moveReceiveWindow(by: number): void {
    const window = this.#receiveWindow;
    if (window === undefined) return;
    window.resize(by);
    // The bytes taken so far can be more than half of the smaller window. A peer without any window left would wait for
    // the update forever.
    this.taken(0);
  }

  /** Passes the next bytes of the peer's data to the sink, or buffers them. */
  receive(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.bytesReceived += length;
    if (this.#ignoring) {
      this.taken(length);
      return;
    }
    if (this.#sink === undefined) {
      if (!this.#full) this.holdReceiving(true);
      this.#held ??= new ByteQueue(this.connection.buffers);
      if (!this.#held.push(bytes, start, end)) {
        this.abortReceiving(new TurnpikeError("overloaded", "no memory is left for data that waits for the upstream"));
      }
    } else if (!this.#sink.data(bytes, start, end) && !this.#full) this.holdReceiving(true);
    // The sink may have closed the stream, which has then given back the withheld bytes.
    if (this.#full && !this.isClosed) this.#withheld += length;
    else this.taken(length);
  }

  receiveEnd(trailers: Fields): void {
    this.#move(RECEIVE_END);
    this.#trailers = trailers;
    if (!this.#ignoring) this.#sink?.end(trailers);
  }

  /** There is a sink for the data that is received. */
  protected get isRead(): boolean {
    return this.#sink !== undefined;
  }

  /** Passes the data that was received, and all that follows, to `sink`. Throws if there is a sink already. */
  protected receiveTo(sink: BodySink): void {
    if (this.#sink !== undefined) throw new Error("Cannot read a body: it is being read already");
    this.#sink = sink;
    const held = this.#held;
    this.#held = undefined;
    let room = true;
    for (let piece = held?.first; piece !== undefined; piece = held?.first) {
      room = sink.data(piece.bytes, piece.start, piece.end);
      held?.shift(piece.end - piece.start);
    }
    if (room) this.resume();
    if (this.error !== undefined) sink.abort(this.error);
    else if (this.remoteEnded) sink.end(this.#trailers);
  }

  pause(): void {
    if (!this.#full) this.holdReceiving(true);
  }

  /** Gives the withheld bytes back, so that the peer may send as many again. */
  resume(): void {
    if (this.#full) this.holdReceiving(false);
    const withheld = this.#withheld;
    this.#withheld = 0;
    if (withheld > 0) this.taken(withheld);
  }

  /** Holds the peer's data back by not opening its window, or stops doing so. */
  protected holdReceiving(hold: boolean): void {
    this.#full = hold;
  }

  /** The message will not be complete: data that still arrives for it is discarded. */
  protected abortReceiving(error: TurnpikeError): void {
    if (this.error !== undefined) return;
    this.error = error;
    this.ignoreRest();
    this.#sink?.abort(error);
  }

  protected ignoreRest(): void {
    this.#ignoring = true;
    this.#letGo();
    this.resume();
  }

  /** `length` bytes of this stream no longer take memory. */
  taken(length: number): void {
    this.connection.taken(length);
    if (this.remoteEnded || this.isClosed) return;
    const given = this.#window().take(length);
    this.connection.writer.windowUpdate(this.streamId, given);
  }

  #letGo(): void {
    this.#held?.clear();
    this.#held = undefined;
  }

  /** Releases buffered data. The connection calls it when the stream is closed. */
  release(): void {
    this.#move(this.resetCode === -1 ? SEND_RESET : RECEIVE_RESET);
    this.#pending?.clear();
    this.#last = undefined;
    this.#ending = undefined;
    this.#letGo();
    const withheld = this.#withheld;
    this.#withheld = 0;
    if (withheld > 0) this.connection.taken(withheld);
  }
}

const EMPTY = new Uint8Array(0);
