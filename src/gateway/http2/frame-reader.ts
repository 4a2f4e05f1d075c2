import {
  CONTINUATION,
  DATA,
  ENHANCE_YOUR_CALM,
  FRAME_HEADER_BYTES,
  FRAME_SIZE_ERROR,
  PADDED,
  PREFACE,
  PROTOCOL_ERROR,
  readUint31,
} from "./frame.ts";

/**
 * Receives the frames that a reader finds. The reader's `type`, `flags`, `streamId` and `length` describe the frame.
 */
export interface FrameSink {
  /** A frame begins. Returns false if nothing more must be read, because the connection is ending. */
  frameBegins(): boolean;
  /** Takes a complete frame other than DATA. Its payload lies in `bytes` from `start` to `end`. */
  frame(bytes: Uint8Array, start: number, end: number): void;
  /** Takes the next bytes of a DATA frame, without padding. */
  dataPiece(bytes: Uint8Array, start: number, end: number): void;
  /** A DATA frame has arrived completely. `padding` of its bytes are not data. */
  dataEnds(padding: number): void;
  /** The bytes are not valid frames: a connection error with this code. */
  unreadable(code: number, reason: string): void;
}

const IN_PREFACE = 0;
const IN_HEAD = 1;
const IN_PAYLOAD = 2;
const IN_PAD_LENGTH = 3;
const IN_DATA = 4;
const IN_PADDING = 5;
/** The payload of an unknown frame, which is ignored (RFC 9113 §4.1). */
const IN_UNKNOWN = 6;
const STOPPED = 7;

/**
 * Finds frames in the received bytes (RFC 9113 §4.1). DATA is passed on in the pieces in which it arrives. Any other
 * frame is gathered first, up to `maxPayload` bytes.
 *
 *    +-----------------------------------------------+
 *    |                 Length (24)                   |
 *    +---------------+---------------+---------------+
 *    |   Type (8)    |   Flags (8)   |
 *    +-+-------------+---------------+-------------------------------+
 *    |R|                 Stream Identifier (31)                      |
 *    +=+=============================================================+
 */
export class FrameReader {
  type = 0;
  flags = 0;
  streamId = 0;
  /** Bytes of the payload, including padding. */
  length = 0;
  readonly #sink: FrameSink;
  readonly #maxFrameSize: number;
  readonly #maxPayload: number;
  #state: number;
  /** Bytes of the current part that are still to come. */
  #left = 0;
  #padding = 0;
  /** The start of a frame header or payload that is not complete. */
  #partial: Buffer | undefined;
  #partialLength = 0;

  /**
   * `maxPayload` limits the frames that are gathered, in bytes. `expectPreface`: the peer is a client (RFC 9113 §3.4).
   */
  constructor(sink: FrameSink, limits: { maxFrameSize: number; maxPayload: number; expectPreface: boolean }) {
    this.#sink = sink;
    this.#maxFrameSize = limits.maxFrameSize;
    this.#maxPayload = limits.maxPayload;
    this.#state = limits.expectPreface ? IN_PREFACE : IN_HEAD;
  }

  /** The peer has begun the preface or a frame other than DATA, and its rest has not arrived. */
  get unfinished(): boolean {
    return this.#partialLength > 0 || this.#state === IN_PAYLOAD || this.#state === IN_UNKNOWN;
  }

  stop(): void {
    this.#state = STOPPED;
    this.#partial = undefined;
  }

  read(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length && this.#state !== STOPPED) at = this.#step(chunk, at);
  }

  /** Takes the next part of a frame from `at` on; returns the offset behind it. */
  #step(chunk: Uint8Array, at: number): number {
    switch (this.#state) {
      case IN_HEAD:
        return this.#readHead(chunk, at);
      case IN_PAYLOAD:
        return this.#readPayload(chunk, at);
      case IN_DATA:
        return this.#readData(chunk, at);
      case IN_PREFACE:
        return this.#readPreface(chunk, at);
      case IN_PAD_LENGTH:
        this.#padding = chunk[at] ?? 0;
        this.#left = this.length - 1 - this.#padding;
        // RFC 9113 §6.1
        if (this.#left < 0) this.#fail(PROTOCOL_ERROR, "the padding is longer than its frame");
        else this.#toData();
        return at + 1;
      default:
        return this.#skip(chunk, at);
    }
  }

  #readPreface(chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + PREFACE.length - this.#partialLength);
    for (let i = at; i < end; i++) {
      if (chunk[i] !== PREFACE[this.#partialLength++]) {
        this.#fail(PROTOCOL_ERROR, "the connection does not begin with the HTTP/2 preface");
        return chunk.length;
      }
    }
    if (this.#partialLength === PREFACE.length) {
      this.#partialLength = 0;
      this.#state = IN_HEAD;
    }
    return end;
  }

  #readHead(chunk: Uint8Array, at: number): number {
    if (this.#partialLength > 0 || chunk.length - at < FRAME_HEADER_BYTES) {
      this.#partial ??= Buffer.allocUnsafe(FRAME_HEADER_BYTES);
      const end = this.#gather(chunk, at, FRAME_HEADER_BYTES);
      if (this.#partialLength < FRAME_HEADER_BYTES) return end;
      const head = this.#partial;
      this.#partial = undefined;
      this.#partialLength = 0;
      this.#begin(head, 0);
      return end;
    }
    this.#begin(chunk, at);
    return at + FRAME_HEADER_BYTES;
  }

  #begin(bytes: Uint8Array, at: number): void {
    this.length = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    this.type = bytes[at + 3] ?? 0;
    this.flags = bytes[at + 4] ?? 0;
    this.streamId = readUint31(bytes, at + 5);
    const { length, type } = this;
    // RFC 9113 §4.2
    if (length > this.#maxFrameSize) {
      this.#fail(FRAME_SIZE_ERROR, `a frame of ${length} bytes; at most ${this.#maxFrameSize} are allowed`);
      return;
    }
    if (!this.#sink.frameBegins()) {
      this.stop();
      return;
    }
    this.#padding = 0;
    this.#left = length;
    if (type === DATA) {
      if ((this.flags & PADDED) === 0) this.#toData();
      else if (length === 0) this.#fail(FRAME_SIZE_ERROR, "a padded frame without a pad length");
      else this.#state = IN_PAD_LENGTH;
    } else if (type > CONTINUATION) {
      this.#state = length === 0 ? IN_HEAD : IN_UNKNOWN;
    } else if (length > this.#maxPayload) {
      this.#fail(ENHANCE_YOUR_CALM, `a frame of type ${type} with ${length} bytes`);
    } else if (length === 0) {
      this.#sink.frame(bytes, 0, 0);
    } else {
      this.#state = IN_PAYLOAD;
    }
  }

  #readPayload(chunk: Uint8Array, at: number): number {
    const { length } = this;
    if (this.#partialLength === 0 && chunk.length - at >= length) {
      this.#state = IN_HEAD;
      this.#sink.frame(chunk, at, at + length);
      return at + length;
    }
    this.#partial ??= Buffer.allocUnsafe(length);
    const end = this.#gather(chunk, at, length);
    if (this.#partialLength < length) return end;
    const payload = this.#partial;
    this.#partial = undefined;
    this.#partialLength = 0;
    this.#state = IN_HEAD;
    this.#sink.frame(payload, 0, length);
    return end;
  }

  /** Copies the bytes of `wanted` that are there. Returns the offset behind them. */
  #gather(chunk: Uint8Array, at: number, wanted: number): number {
    const end = Math.min(chunk.length, at + wanted - this.#partialLength);
    this.#partial?.set(chunk.subarray(at, end), this.#partialLength);
    this.#partialLength += end - at;
    return end;
  }

  /** The rest of the DATA frame is data and then padding. */
  #toData(): void {
    if (this.#left > 0) this.#state = IN_DATA;
    else if (this.#padding > 0) this.#toPadding();
    else this.#endData();
  }

  #readData(chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    this.#left -= end - at;
    const isLast = this.#left === 0;
    this.#sink.dataPiece(chunk, at, end);
    if (isLast && this.#state === IN_DATA) {
      if (this.#padding > 0) this.#toPadding();
      else this.#endData();
    }
    return end;
  }

  #toPadding(): void {
    this.#state = IN_PADDING;
    this.#left = this.#padding;
  }

  #endData(): void {
    this.#state = IN_HEAD;
    this.#sink.dataEnds((this.flags & PADDED) === 0 ? 0 : this.#padding + 1);
  }

  #skip(chunk: Uint8Array, at: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    this.#left -= end - at;
    if (this.#left > 0) return end;
    if (this.#state === IN_PADDING) this.#endData();
    else this.#state = IN_HEAD;
    return end;
  }

  #fail(code: number, reason: string): void {
    this.stop();
    this.#sink.unreadable(code, reason);
  }
}
