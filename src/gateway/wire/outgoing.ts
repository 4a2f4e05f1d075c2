import { type Pointer, ptr } from "bun:ffi";
import { type BufferAccount } from "../../lib/memory/buffer-pool.ts";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";
import { writeLatin1 } from "../../lib/memory/latin1.ts";
import { sendBeforeEnd } from "../../lib/net/send-before-end.ts";
import { sendFile } from "../../lib/net/send-file.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type Wire } from "./wire.ts";

/**
 * Bytes that all connections of the worker gather in one turn of the event loop; before more, they are sent. @bound
 */
const TURN_BYTES = 131_072;
/** Bytes from which a chunk that follows no gathered bytes is sent at once, without a copy. */
const DIRECT_BYTES = 8192;
/**
 * Bytes from which a chunk behind gathered bytes is sent at once, in one write with them. It is copied for that, which from
 * `LONG_BYTES` costs more than a second write (bench proxy, 64k and ws-echo-16k).
 */
const AT_ONCE_BYTES = 32_768;
const LONG_BYTES = 98_304;

/**
 * The bytes that were written in this turn of the event loop, in parts of one connection each. They are sent together
 * when the turn ends: peers that a write wakes then stay awake, and a connection that carries the responses of many
 * others needs one write (bench policy, and proxy with h2-to-h1).
 */
const turn = Buffer.allocUnsafeSlow(TURN_BYTES);
const turnAddress = ptr(turn);
/** The shared buffer, for callers that can write into it directly and so save a copy: see `reserve`. */
export const sendBuffer = turn;
/** The parts of a connection, joined to be written at once. */
const joined = Buffer.allocUnsafeSlow(TURN_BYTES);
/** Copies from any byte array, as `Buffer.prototype.copy` does, without making a view. */
const { copy: copyBytes } = Buffer.prototype;

interface Part {
  /** Undefined after it was sent or discarded. */
  owner: Outgoing | undefined;
  start: number;
  end: number;
  next: Part | undefined;
}

/** The parts of this turn are the first `partCount`; the objects are used again. Their number is bounded by the bytes. */
const parts: Part[] = [];
let partCount = 0;
/** The last part, to which its owner may add. */
let open: Part | undefined;
let filled = 0;
/** `endTurn` will run. */
let isScheduled = false;

export interface Sender {
  /** Called when bytes must wait for the socket. It runs during a write, so it must only set a deadline. */
  onBlocked(): void;
}

/**
 * The sending half of a connection. The bytes that are written in one turn of the event loop are gathered in a buffer
 * that all connections of the worker share. They are sent at the end of the turn. They are sent before by `flush`, and
 * when the buffer is full.
 * Bytes that the socket does not take wait in `#backlog`, in buffers of the worker's pool. The backlog is at most what
 * the sender still writes after `blocked` becomes true. If the pool has no free buffer, bytes are lost, and the
 * connection stays blocked until it is closed.
 */
export class Outgoing {
  readonly #wire: Wire;
  readonly #sender: Sender;
  readonly #buffers: BufferAccount;
  /** The parts of this turn. */
  #first: Part | undefined;
  #last: Part | undefined;
  /** Created when bytes must wait for the first time. */
  #backlog: ByteQueue | undefined;
  #backlogBytes = 0;
  /** The pool had no buffer for bytes that must wait: the owner must close the connection. */
  exhausted = false;
  /** Bytes written to this connection since it opened, including those that the socket has not taken. */
  bytesWritten = 0;
  /** The part of `bytesWritten` that the socket will never take, because it was closed or the bytes were discarded. */
  bytesLost = 0;

  constructor(wire: Wire, sender: Sender, buffers: BufferAccount) {
    this.#wire = wire;
    this.#sender = sender;
    this.#buffers = buffers;
  }

  /** True while bytes wait for the socket: the producer must stop until `drain` returns true. */
  get blocked(): boolean {
    return this.#backlogBytes > 0;
  }

  get backlogBytes(): number {
    return this.#backlogBytes;
  }

  /** Writes a latin1 text. */
  text(text: string): void {
    const { length } = text;
    if (length === 0) return;
    const offset = this.reserve(length);
    if (offset === -1) this.bytes(Buffer.from(text, "latin1"));
    else this.commit(offset + writeLatin1(turn, text, offset));
  }

  /** Writes several latin1 texts in order. */
  pieces(pieces: TextPieces): void {
    const { length } = pieces;
    const offset = this.reserve(length);
    if (offset === -1) this.bytes(Buffer.from(pieces.join(), "latin1"));
    else {
      pieces.writeTo(turn, offset);
      this.commit(offset + length);
    }
  }

  /** Writes the bytes of `chunk` from `start` to `end`. They must not change afterwards. */
  bytes(chunk: Uint8Array, start = 0, end = chunk.length): void {
    const length = end - start;
    if (length === 0) return;
    const isDirect = length >= (this.#first === undefined ? DIRECT_BYTES : LONG_BYTES);
    const offset = isDirect ? -1 : this.reserve(length);
    if (offset === -1) {
      this.flush();
      this.bytesWritten += length;
      this.#send(chunk, start, end);
    } else {
      copyBytes.call(chunk, turn, offset, start, end);
      this.commit(offset + length);
      if (length >= AT_ONCE_BYTES) this.flush();
    }
  }

  /**
   * Reserves `room` bytes in `sendBuffer` and returns the offset at which to write them. Call `commit` with the offset
   * after them before anything else is written. -1 if bytes wait for the socket, or if `room` is larger than the
   * buffer.
   */
  reserve(room: number): number {
    if (room > TURN_BYTES - filled) {
      if (room > TURN_BYTES) return -1;
      sendGathered();
    }
    if (this.#backlogBytes > 0) return -1;
    if (open === undefined || open.owner !== this) this.#openPart();
    return filled;
  }

  commit(end: number): void {
    this.bytesWritten += end - filled;
    filled = end;
    // `reserve` has opened the part.
    if (open !== undefined) open.end = end;
  }

  /**
   * Sends up to `length` bytes of an open file after the gathered bytes, without reading them. Only for wires without
   * TLS. Returns the number of bytes that the socket took. If it is 0, the socket is full or the system cannot do this:
   * use `bytes`.
   */
  file(file: number, offset: number, length: number): number {
    this.flush();
    if (this.#backlogBytes > 0) return 0;
    const sent = sendFile(this.#wire.fd ?? -1, file, offset, length);
    this.bytesWritten += sent;
    return sent;
  }

  /** Sends the bytes that this connection has gathered. */
  flush(): void {
    const first = this.#takeParts();
    if (first === undefined) return;
    if (first.next === undefined) {
      this.#send(turn, first.start, first.end);
      if (first === open) releasePart(first);
      return;
    }
    let length = 0;
    for (let part: Part | undefined = first; part !== undefined; part = part.next) {
      length += copyBytes.call(turn, joined, length, part.start, part.end);
    }
    this.#send(joined, 0, length);
  }

  /** Like `flush`, for a wire without TLS that `close` follows: the last bytes and the FIN leave in one segment. */
  flushBeforeEnd(): void {
    const part = this.#first;
    if (part !== undefined && part.next === undefined) {
      this.#takeParts();
      const sent = sendBeforeEnd(this.#wire.fd ?? -1, (turnAddress + part.start) as Pointer, part.end - part.start);
      this.#send(turn, part.start + sent, part.end);
    } else this.flush();
  }

  /** Sends the backlog when the socket has room. Returns true if no bytes wait any more. */
  drain(): boolean {
    if (this.exhausted) return false;
    const backlog = this.#backlog;
    for (let waiting = backlog?.first; waiting !== undefined; waiting = backlog?.first) {
      const length = waiting.end - waiting.start;
      const taken = this.#wire.write(waiting.bytes, waiting.start, length);
      if (taken < 0) {
        this.discard();
        return false;
      }
      backlog?.shift(taken);
      this.#backlogBytes -= taken;
      if (taken < length) return false;
    }
    return true;
  }

  /** Discards all bytes that were not sent. */
  discard(): void {
    for (let part = this.#takeParts(); part !== undefined; part = part.next) this.bytesLost += part.end - part.start;
    this.bytesLost += this.#backlogBytes;
    this.#backlog?.clear();
    this.#backlogBytes = 0;
  }

  #openPart(): void {
    const part = (parts[partCount++] ??= { owner: this, start: 0, end: 0, next: undefined });
    part.owner = this;
    part.start = filled;
    part.end = filled;
    part.next = undefined;
    if (this.#last === undefined) this.#first = part;
    else this.#last.next = part;
    this.#last = part;
    open = part;
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(endTurn);
  }

  /** Returns the first of the parts, which belong to no connection any more. */
  #takeParts(): Part | undefined {
    const first = this.#first;
    for (let part = first; part !== undefined; part = part.next) part.owner = undefined;
    this.#first = undefined;
    this.#last = undefined;
    return first;
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    if (this.exhausted) return;
    this.#backlog ??= new ByteQueue(this.#buffers);
    // The shared buffer is reused at once.
    if (this.#backlog.push(bytes, start, end, bytes === turn || bytes === joined)) {
      const began = this.#backlogBytes === 0;
      this.#backlogBytes += end - start;
      if (began) this.#sender.onBlocked();
      return;
    }
    // The lost bytes cannot be replaced, so nothing may be sent after them.
    this.exhausted = true;
    this.discard();
    this.#backlogBytes = Number.POSITIVE_INFINITY;
    this.#sender.onBlocked();
  }

  #send(bytes: Uint8Array, start: number, end: number): void {
    if (start === end) return;
    const taken = this.#backlogBytes > 0 ? 0 : this.#wire.write(bytes, start, end - start);
    if (taken < 0) this.bytesLost += end - start;
    else if (taken < end - start) this.#keep(bytes, start + taken, end);
  }
}

/** Makes the place of the last part free: the next bytes then go through memory that is in the processor's cache. */
function releasePart(last: Part): void {
  filled = last.start;
  partCount--;
  open = undefined;
}

/** Sends what all connections have gathered. @internal */
export function sendGathered(): void {
  for (let i = 0; i < partCount; i++) parts[i]?.owner?.flush();
  partCount = 0;
  filled = 0;
  open = undefined;
}

function endTurn(): void {
  isScheduled = false;
  sendGathered();
}
