import { ptr } from "bun:ffi";
import { type BufferAccount } from "../../lib/memory/buffer-pool.ts";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";
import { beginEvent, endEvent } from "../../lib/time/event-clock.ts";
import { writeLatin1 } from "../../lib/memory/latin1.ts";
import { sendBeforeEnd } from "../../lib/net/send-before-end.ts";
import { sendFile } from "../../lib/net/send-file.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type Wire } from "./wire.ts";

/**
 * Bytes that are gathered before they go to the socket; with more, the buffer is sent first. A head and a small body
 * leave in one write. @bound
 */
const CORK_BYTES = 131_072;
/** Bytes from which a chunk is written without a copy: copying it costs more than a second write (bench proxy, 64k). */
const DIRECT_BYTES = 98_304;

/** Bytes that a connection gathers over several events; more is sent at once. @bound */
const GATHERED_BYTES = 65_536;

const cork = Buffer.allocUnsafeSlow(CORK_BYTES);
const corkAddress = ptr(cork);
/** The shared buffer, for callers that can write into it directly and so save a copy: see `reserve`. */
export const sendBuffer = cork;
/** Copies from any byte array, as `Buffer.prototype.copy` does, without making a view. */
const { copy: copyBytes } = Buffer.prototype;
let corkLength = 0;
let corkOwner: Outgoing | undefined;
/** True while an event is handled. `flushCork` is called at its end. */
let inEvent = false;
let flushScheduled = false;
/** Connections that have gathered bytes in this turn. `spareBuffers` are buffers that no connection uses. */
const gathering: Outgoing[] = [];
const spareBuffers: Buffer[] = [];

export interface Sender {
  /** Called when bytes must wait for the socket. It runs during a write, so it must only set a deadline. */
  onBlocked(): void;
}

/**
 * The sending half of a connection. Bytes that are written within one event are gathered in a buffer that all
 * connections of the worker share. They are sent when the event ends (`flush`) or another connection needs the buffer.
 * Bytes that the socket does not take wait in `#backlog`, in buffers of the worker's pool. The backlog is at most what
 * the sender still writes after `blocked` becomes true. If the pool has no free buffer, bytes are lost, and the
 * connection stays blocked until it is closed.
 * With `gathers`, the bytes of all events in one turn of the event loop are sent together. A connection that carries
 * the responses of many upstream connections then needs one write instead of one for each response (bench proxy,
 * h2-to-h1).
 */
export class Outgoing {
  readonly #wire: Wire;
  readonly #sender: Sender;
  readonly #buffers: BufferAccount;
  readonly #gathers: boolean;
  /** The bytes that were gathered in this turn. */
  #gathered: Buffer | undefined;
  #gatheredBytes = 0;
  /** Created when bytes must wait for the first time. */
  #backlog: ByteQueue | undefined;
  #backlogBytes = 0;
  /** The pool had no buffer for bytes that must wait: the owner must close the connection. */
  exhausted = false;
  /** Bytes written to this connection since it opened, including those that the socket has not taken. */
  bytesWritten = 0;
  /** The part of `bytesWritten` that the socket will never take, because it was closed or the bytes were discarded. */
  bytesLost = 0;

  constructor(wire: Wire, sender: Sender, buffers: BufferAccount, gathers = false) {
    this.#wire = wire;
    this.#gathers = gathers;
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
    if (text.length > CORK_BYTES || this.#backlogBytes > 0) {
      this.bytes(Buffer.from(text, "latin1"));
      return;
    }
    this.bytesWritten += text.length;
    if (!this.#claim(text.length)) {
      this.#keep(Buffer.from(text, "latin1"), 0, text.length);
      return;
    }
    corkLength += writeLatin1(cork, text, corkLength);
  }

  /** Writes several latin1 texts in order. */
  pieces(pieces: TextPieces): void {
    const { length } = pieces;
    if (length > CORK_BYTES || this.#backlogBytes > 0 || !this.#claim(length)) {
      this.text(pieces.join());
      return;
    }
    pieces.writeTo(cork, corkLength);
    this.bytesWritten += length;
    corkLength += length;
  }

  /** Writes the bytes of `chunk` from `start` to `end`. They must not change afterwards. */
  bytes(chunk: Uint8Array, start = 0, end = chunk.length): void {
    const length = end - start;
    if (length === 0) return;
    this.bytesWritten += length;
    if (this.#backlogBytes > 0) {
      this.#keep(chunk, start, end);
      return;
    }
    if (length >= DIRECT_BYTES) {
      this.flush();
      this.#send(chunk, start, end);
      return;
    }
    if (!this.#claim(length)) {
      this.#keep(chunk, start, end);
      return;
    }
    copyBytes.call(chunk, cork, corkLength, start, end);
    corkLength += length;
  }

  /**
   * Like `bytes`, for a chunk that no other bytes of this event follow: it is sent at once, without a copy. This saves a
   * twentieth of a small WebSocket message (bench proxy --only ws-echo).
   */
  pass(chunk: Uint8Array, start: number, end: number): void {
    if (corkOwner === this || this.#backlogBytes > 0 || this.#gathers) {
      this.bytes(chunk, start, end);
      return;
    }
    this.bytesWritten += end - start;
    this.#send(chunk, start, end);
  }

  /**
   * Reserves `room` bytes in `sendBuffer` and returns the offset at which to write them. Call `commit` with the offset
   * after them before anything else is written. -1 if bytes wait for the socket, or if `room` is larger than the
   * buffer.
   */
  reserve(room: number): number {
    if (room > CORK_BYTES || this.#backlogBytes > 0 || !this.#claim(room)) return -1;
    return corkLength;
  }

  commit(end: number): void {
    this.bytesWritten += end - corkLength;
    corkLength = end;
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
    if (corkOwner === this) flushOwner();
    this.#sendGathered();
  }

  /** Like `flush`, for a wire without TLS that `shutdown` follows: the last bytes and the FIN leave in one segment. */
  flushBeforeEnd(): void {
    if (corkOwner === this && this.#backlogBytes === 0 && !this.#gathers) {
      const length = corkLength;
      corkOwner = undefined;
      corkLength = 0;
      const sent = sendBeforeEnd(this.#wire.fd ?? -1, corkAddress, length);
      if (sent < length) this.#send(cork, sent, length);
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
    if (corkOwner === this) {
      this.bytesLost += corkLength;
      corkOwner = undefined;
      corkLength = 0;
    }
    this.bytesLost += this.#gatheredBytes + this.#backlogBytes;
    this.#gatheredBytes = 0;
    this.#backlog?.clear();
    this.#backlogBytes = 0;
  }

  /**
   * Gives the shared buffer to this connection, with `room` free bytes. False: sending the buffer began a backlog,
   * which must be sent first.
   */
  #claim(room: number): boolean {
    if (corkOwner !== this || corkLength + room > CORK_BYTES) {
      flushOwner();
      if (this.#backlogBytes > 0) return false;
    }
    // eslint-disable-next-line typescript/no-this-alias -- it is the buffer's owner, not an alias
    corkOwner = this;
    if (!inEvent) scheduleFlush();
    return true;
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    if (this.exhausted) return;
    this.#backlog ??= new ByteQueue(this.#buffers);
    // The shared buffer is reused at once.
    if (this.#backlog.push(bytes, start, end, bytes === cork)) {
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
    const taken = this.#backlogBytes > 0 ? 0 : this.#wire.write(bytes, start, end - start);
    if (taken < 0) this.bytesLost += end - start;
    else if (taken < end - start) this.#keep(bytes, start + taken, end);
  }

  /**
   * Takes the bytes from the shared buffer. During a backlog it gathers nothing, because the backlog must be sent
   * first.
   */
  #gather(length: number): void {
    if (this.#gatheredBytes + length > GATHERED_BYTES) this.#sendGathered();
    if (this.#backlogBytes > 0 || length > GATHERED_BYTES) {
      this.#send(cork, 0, length);
      return;
    }
    if (this.#gathered === undefined) {
      this.#gathered = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(GATHERED_BYTES);
      if (gathering.push(this) === 1) setImmediate(sendAllGathered);
    }
    cork.copy(this.#gathered, this.#gatheredBytes, 0, length);
    this.#gatheredBytes += length;
  }

  #sendGathered(): void {
    const length = this.#gatheredBytes;
    this.#gatheredBytes = 0;
    if (this.#gathered === undefined || length === 0) return;
    const taken = this.#wire.write(this.#gathered, 0, length);
    if (taken < 0) this.bytesLost += length;
    // The buffer is reused at once.
    else if (taken < length) this.#keep(Buffer.from(this.#gathered.subarray(taken, length)), 0, length - taken);
  }

  /** At the end of the turn, sends the gathered bytes and returns the buffer. */
  static endTurn(owner: Outgoing): void {
    owner.#sendGathered();
    if (owner.#gathered !== undefined) spareBuffers.push(owner.#gathered);
    owner.#gathered = undefined;
  }

  static sendCork(owner: Outgoing, length: number): void {
    if (owner.#gathers) owner.#gather(length);
    else owner.#send(cork, 0, length);
  }
}

function sendAllGathered(): void {
  for (const owner of gathering.splice(0)) Outgoing.endTurn(owner);
}

function flushOwner(): void {
  const owner = corkOwner;
  if (owner === undefined) return;
  const length = corkLength;
  corkOwner = undefined;
  corkLength = 0;
  if (length > 0) Outgoing.sendCork(owner, length);
}

/** Bytes that are written after an `await` are outside an event, so no end of an event sends them. */
function scheduleFlush(): void {
  if (flushScheduled) return;
  flushScheduled = true;
  queueMicrotask(() => {
    flushScheduled = false;
    flushOwner();
  });
}

/** Begins an event: bytes that are written from now on wait for `flushCork`. */
export function holdCork(): void {
  inEvent = true;
  beginEvent();
}

/** Ends an event: sends the bytes that a connection has gathered. */
export function flushCork(): void {
  inEvent = false;
  flushOwner();
  endEvent();
}
