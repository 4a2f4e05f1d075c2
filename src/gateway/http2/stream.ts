import { type BufferAccount } from "../../lib/buffer-pool.ts";
import { ByteQueue } from "../../lib/byte-queue.ts";
import { Deadline } from "../../lib/timer-wheel.ts";
import { type Fields } from "../../lib/fields.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type BodySink } from "../exchange.ts";
import { type Outgoing } from "../wire/outgoing.ts";
import { END_STREAM, FLOW_CONTROL_ERROR, INTERNAL_ERROR, MAX_WINDOW } from "./frame.ts";
import { type DataRange, type FrameWriter } from "./frame-writer.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { type PeerSettings } from "./settings.ts";
import {
  CLOSED,
  IDLE,
  ILLEGAL,
  isLocalEnded,
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

/** What a stream needs of its connection. */
export interface StreamConnection {
  readonly out: Outgoing;
  /** The account of what waits in memory. */
  readonly buffers: BufferAccount;
  readonly peer: PeerSettings;
  readonly writer: FrameWriter;
  readonly sendWindow: number;
  readonly streamWindow: number;
  /** Writes a DATA frame, within both windows, and takes it off the connection's. */
  writeData(streamId: number, flags: number, data: DataRange): void;
  /** Ends a stream for both sides; the caller deals with the stream itself. */
  resetStream(stream: Http2Stream, code: number): void;
  /** The peer has done something for which a stream was reset. */
  faulted(): void;
  /** Has `stream` sent from when there is room. */
  enqueue(stream: Http2Stream): void;
  /** `stream` has ended in one direction; where it has in both it is forgotten. */
  halfClosed(stream: Http2Stream): void;
  /** `length` bytes that the peer sent need no memory any more. */
  taken(length: number): void;
}

/**
 * One stream of a connection (RFC 9113 §5.1): both directions of its data, under flow control. What is known of requests
 * and responses is the subclass's. Its state moves by the table of stream-state.ts alone.
 */
export abstract class Http2Stream extends Deadline {
  /** The stream's identifier (RFC 9113 §5.1.1). */
  readonly streamId: number;
  /** Bytes that the peer takes on this stream; below 0 after it has shrunk its window (RFC 9113 §6.9.2). */
  sendWindow: number;
  /** The connection has forgotten the stream: nothing more is sent or read. */
  released = false;
  #state: StreamState = IDLE;
  /** The error code that the peer has reset the stream with; -1 where it has not. */
  resetCode = -1;
  /** The stream ended since there was no memory for what had to wait. */
  protected exhausted = false;
  /** It stands in the connection's queue. */
  queued = false;
  /** Data bytes of this stream, without padding. */
  bytesReceived = 0;
  bytesSent = 0;
  /** Why what the peer sends will not be complete, once that is known. */
  fault: TurnpikeError | undefined;
  protected readonly connection: StreamConnection;
  /** What waits for a window or the socket; made when something has to. */
  #pending: ByteQueue | undefined;
  /** The last of a message, whose end follows at once: then it goes, or waits with the rest. */
  #last: Piece | undefined;
  /** The trailers of a message whose end was given and is not sent. */
  #ending: Fields | undefined;
  /** Made when the first data comes: most streams have none. */
  #receiveWindow: ReceiveWindow | undefined;
  #sink: BodySink | undefined;
  /** What came before anybody took it. */
  #held: ByteQueue | undefined;
  /** Bytes that the sink has, or that wait for it, and that do not count as taken. */
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

  /** The peer's message came whole. */
  get remoteEnded(): boolean {
    return isRemoteEnded(this.#state);
  }

  /** Both messages are whole. */
  get isClosed(): boolean {
    return this.#state === CLOSED;
  }

  /** The peer may send DATA, or trailers: it has not ended its message. */
  get mayReceive(): boolean {
    return nextState(this.#state, RECEIVE_DATA) !== ILLEGAL;
  }

  #move(event: StreamEvent): void {
    const next = nextState(this.#state, event);
    if (next === ILLEGAL) throw new Error(`Cannot move a stream: event ${event} in state ${this.#state}`);
    this.#state = next;
  }

  /** The peer's HEADERS opened the stream; `endStream`: they are its whole message. */
  openedByPeer(endStream: boolean): void {
    this.#move(RECEIVE_HEADERS);
    if (endStream) this.#move(RECEIVE_END);
  }

  /** This side's HEADERS opened the stream. */
  protected openedHere(): void {
    this.#move(SEND_HEADERS);
  }

  /** A stream error (RFC 9113 §5.4.2): the peer is told, and `cutShort` is called. */
  fail(code: number): void {
    if (this.released) return;
    this.connection.resetStream(this, code);
    this.cutShort();
    this.connection.faulted();
  }

  /** The stream is over before its messages were: by reset, or with its connection. Called once. */
  abstract cutShort(): void;
  /** What was kept back is on its way: more may be sent. */
  protected abstract moreWelcome(): void;
  /** The peer's window is shut, and data waits: once until data goes out. */
  protected abstract onStarved(): void;
  /** Data went out; where a window is shut already, `onStarved` follows. */
  protected abstract onMoved(): void;
  /** Everything, to the end, was handed to the socket. */
  protected abstract onSent(): void;

  /** Sends data: true where all of it is on its way and more is welcome. The bytes are taken either way. */
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
   * Takes data that is sent with the end that is sure to follow, in one frame where it fits. True: only the end is still to
   * come, and whoever waited for room before giving it would wait for ever.
   */
  protected sendLast(chunk: Uint8Array, start: number, end: number): true {
    if (this.isWaiting) this.#keep(chunk, start, end);
    else this.#last = { bytes: chunk, start, end };
    return true;
  }

  /** Ends what is sent, with trailers where there are any. */
  protected sendEnd(trailers: Fields): void {
    if (this.localEnded || this.released || this.#ending !== undefined) return;
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

  /** The connection's turn for this stream: sends one frame of what waits. False: there is more. */
  sendTurn(): boolean {
    if (this.isWaiting) this.#writeNext();
    if (this.isWaiting) return false;
    if (this.#ending !== undefined) this.finishSending();
    return true;
  }

  /** Tells the sender that it may go on. */
  tellSendable(): void {
    if (!this.released && !this.localEnded && this.#ending === undefined) this.moreWelcome();
  }

  /** Moves the window by what the peer said (RFC 9113 §6.9); false where it grew too large. */
  moveSendWindow(by: number): boolean {
    this.sendWindow += by;
    if (this.sendWindow > MAX_WINDOW) return false;
    if (this.isWaiting) this.connection.enqueue(this);
    return true;
  }

  /** Bytes that may be sent now, `wanted` at most. */
  #allowance(wanted: number): number {
    const { connection } = this;
    return Math.min(wanted, this.sendWindow, connection.sendWindow, connection.peer.maxFrameSize);
  }

  /** The connection, or the stream itself, has found it starved. */
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

  /** False, and the stream is over, where there is no memory left: what is lost cannot be made up for. */
  #keep(chunk: Uint8Array, start: number, end: number): boolean {
    this.#pending ??= new ByteQueue(this.connection.buffers);
    if (this.#pending.push(chunk, start, end)) return true;
    this.exhausted = true;
    this.connection.resetStream(this, INTERNAL_ERROR);
    this.cutShort();
    return false;
  }

  /** Has the last of a message wait, whose end was given; as `keep`. */
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

  /** Ends the stream's sending side, when nothing waits any more. */
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

  /** Counts a DATA frame of `length` bytes against the window (RFC 9113 §6.9.1); false, and the stream is over, where it was too large. */
  takeFrame(length: number): boolean {
    if (this.#window().receive(length)) return true;
    this.fail(FLOW_CONTROL_ERROR);
    return false;
  }

  #window(): ReceiveWindow {
    this.#receiveWindow ??= new ReceiveWindow(this.connection.streamWindow);
    return this.#receiveWindow;
  }

  /** Moves the receiving window when this side's own setting takes effect. */
  moveReceiveWindow(by: number): void {
    const window = this.#receiveWindow;
    if (window === undefined) return;
    window.resize(by);
    // What was taken may be much for a smaller window: a peer that has none left would wait for it for ever.
    this.taken(0);
  }

  /** Hands the next bytes of the peer's data on. */
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
        this.abortReceiving(
          new TurnpikeError("overloaded", "no memory is left for what waits to be sent to the upstream"),
        );
      }
    } else if (!this.#sink.data(bytes, start, end) && !this.#full) this.holdReceiving(true);
    // The sink may have closed the stream, and with it given back what was withheld.
    if (this.#full && !this.released) this.#withheld += length;
    else this.taken(length);
  }

  /** The peer has ended its message. */
  receiveEnd(trailers: Fields): void {
    this.#move(RECEIVE_END);
    this.#trailers = trailers;
    if (!this.#ignoring) this.#sink?.end(trailers);
  }

  /** Somebody takes what is received. */
  protected get isRead(): boolean {
    return this.#sink !== undefined;
  }

  /** Sends what was received, and what will be, to `sink`. */
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
    if (this.fault !== undefined) sink.abort(this.fault);
    else if (this.remoteEnded) sink.end(this.#trailers);
  }

  pause(): void {
    if (!this.#full) this.holdReceiving(true);
  }

  /** What was withheld is taken: the peer may send as much again. */
  resume(): void {
    if (this.#full) this.holdReceiving(false);
    const withheld = this.#withheld;
    this.#withheld = 0;
    if (withheld > 0) this.taken(withheld);
  }

  /** The peer's data is held back by its window, or no longer is. */
  protected holdReceiving(hold: boolean): void {
    this.#full = hold;
  }

  /** The message will not be complete; what still comes of it is forgotten. */
  protected abortReceiving(error: TurnpikeError): void {
    if (this.fault !== undefined) return;
    this.fault = error;
    this.ignoreRest();
    this.#sink?.abort(error);
  }

  protected ignoreRest(): void {
    this.#ignoring = true;
    this.#letGo();
    this.resume();
  }

  /** `length` bytes of this stream need no memory any more. */
  taken(length: number): void {
    this.connection.taken(length);
    if (this.remoteEnded || this.released) return;
    const given = this.#window().take(length);
    this.connection.writer.windowUpdate(this.streamId, given);
  }

  #letGo(): void {
    this.#held?.clear();
    this.#held = undefined;
  }

  /** Lets go of what waits. The connection calls it when the stream is closed. */
  release(): void {
    this.released = true;
    // A stream whose request was never sent stays idle.
    if (this.#state !== IDLE) this.#move(this.resetCode === -1 ? SEND_RESET : RECEIVE_RESET);
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
