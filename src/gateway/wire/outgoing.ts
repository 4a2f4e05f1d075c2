import { type BufferAccount } from "../../lib/buffer-pool.ts";
import { ByteQueue } from "../../lib/byte-queue.ts";
import { MAX_DIGITS, writeDecimal } from "../../lib/decimal.ts";
import { beginEvent, endEvent } from "../../lib/event-clock.ts";
import { writeLatin1 } from "../../lib/latin1.ts";
import { sendFile } from "../../lib/send-file.ts";
import { type TextPieces } from "../../lib/text-pieces.ts";
import { type Wire } from "./wire.ts";

/** Bytes gathered before they go to the socket: a head and a small body leave in one write. @bound */
const CORK_BYTES = 131_072;
/** A chunk from here on is written from where it lies: copying it costs more than a second write (bench proxy, 64k). */
const DIRECT_BYTES = 98_304;

/** Bytes that a connection which gathers over events has waiting at most; more leaves at once. @bound */
const GATHERED_BYTES = 65_536;

const cork = Buffer.allocUnsafeSlow(CORK_BYTES);
/** The shared buffer, for who writes into it what would else be copied there: see `reserve`. */
export const sendBuffer = cork;
/** Copies from any byte array, as `Buffer.prototype.copy` does, without a view in between. */
const { copy: copyBytes } = Buffer.prototype;
let corkLength = 0;
let corkOwner: Outgoing | undefined;
/** An event is being handled, at whose end `flushCork` is called. */
let inEvent = false;
let flushScheduled = false;
/** Connections that have gathered something, and buffers that none uses. */
const gathering: Outgoing[] = [];
const spareBuffers: Buffer[] = [];

/** Who writes. */
export interface Sender {
  /** Bytes have to wait. Called in the midst of writing: it sets a deadline, and nothing else. */
  onBlocked(): void;
}

/**
 * The sending half of a connection. What is written within one event is gathered in a buffer that all connections of
 * the worker share, and leaves when the event ends (`flush`) or another connection needs the buffer. What the socket
 * does not take waits in `#backlog`: as much as the sender had in hand when told by `blocked` to stop, in buffers of the
 * worker's pool. Where the pool has none left, bytes are lost and the connection with them: it stays blocked until closed.
 *
 * One that `gathers` goes further: what all events of one turn of the event loop write to it leaves together. A connection that
 * carries answers of many upstream connections pays for one write instead of one a response (bench proxy, h2-to-h1).
 */
export class Outgoing {
  readonly #wire: Wire;
  readonly #sender: Sender;
  readonly #buffers: BufferAccount;
  readonly #gathers: boolean;
  /** What was gathered in this turn. */
  #gathered: Buffer | undefined;
  #gatheredBytes = 0;
  /** Made when bytes have to wait for the first time. */
  #backlog: ByteQueue | undefined;
  #backlogBytes = 0;
  /** The pool had no buffer for bytes that had to wait: whoever owns this closes the connection. */
  exhausted = false;
  /** Bytes given to this connection since it opened, taken by the socket or not. */
  bytesWritten = 0;
  /** The last of them, which the socket will never take: it was closed, or they were discarded. */
  bytesLost = 0;

  constructor(wire: Wire, sender: Sender, buffers: BufferAccount, gathers = false) {
    this.#wire = wire;
    this.#gathers = gathers;
    this.#sender = sender;
    this.#buffers = buffers;
  }

  /** True while bytes wait for the socket: whoever produces them must stop until `drain` answers true. */
  get blocked(): boolean {
    return this.#backlogBytes > 0;
  }

  get backlogBytes(): number {
    return this.#backlogBytes;
  }

  /** Writes latin1 text. */
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

  /** Writes latin1 texts one after the other. */
  pieces(pieces: TextPieces): void {
    const { count } = pieces;
    let length = 0;
    for (let i = 0; i < count; i++) length += pieces.at(i).length;
    if (length > CORK_BYTES || this.#backlogBytes > 0 || !this.#claim(length)) {
      this.text(pieces.join());
      return;
    }
    let at = corkLength;
    for (let i = 0; i < count; i++) at += writeLatin1(cork, pieces.at(i), at);
    this.bytesWritten += length;
    corkLength = at;
  }

  /** Writes a whole number. */
  decimal(value: number): void {
    const at = this.reserve(MAX_DIGITS);
    if (at === -1) this.text(String(value));
    else this.commit(writeDecimal(cork, at, value));
  }

  /** Writes the bytes of `chunk` from `start` to `end`; they must not change afterwards. */
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
   * Makes room for `room` bytes in `sendBuffer` and returns the offset at which to write them; `commit` is called with
   * the offset behind them, before anything else is written. -1: bytes wait for the socket, or so many never fit.
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
   * Sends up to `length` bytes of an open file, after what was gathered, without reading them; for wires without TLS.
   * Returns how many the socket took; 0 where it is full or this cannot be done: then `bytes` is the way.
   */
  file(file: number, offset: number, length: number): number {
    this.flush();
    if (this.#backlogBytes > 0) return 0;
    const sent = sendFile(this.#wire.fd ?? -1, file, offset, length);
    this.bytesWritten += sent;
    return sent;
  }

  /** Sends what this connection has gathered. */
  flush(): void {
    if (corkOwner === this) flushOwner();
    this.#sendGathered();
  }

  /** Takes up the backlog when the socket has room; true when nothing waits any more. */
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

  /** Forgets all that was not sent. */
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

  /** Makes the buffer this connection's, with `room` bytes free in it. False: emptying it began a backlog, which goes first. */
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
    // The shared buffer is used again at once.
    if (this.#backlog.push(bytes, start, end, bytes === cork)) {
      const began = this.#backlogBytes === 0;
      this.#backlogBytes += end - start;
      if (began) this.#sender.onBlocked();
      return;
    }
    // What is lost cannot be made up for: nothing that follows may leave.
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

  /** Takes up what the shared buffer has. While a backlog waits nothing is gathered: it goes first. */
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
    // The buffer is used again at once.
    else if (taken < length) this.#keep(Buffer.from(this.#gathered.subarray(taken, length)), 0, length - taken);
  }

  /** The turn is over: sends what it has brought, and gives the buffer back. */
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

/** What is written after an `await` has no event whose end would send it. */
function scheduleFlush(): void {
  if (flushScheduled) return;
  flushScheduled = true;
  queueMicrotask(() => {
    flushScheduled = false;
    flushOwner();
  });
}

/** Begins an event: what is written from now on waits for `flushCork`. */
export function holdCork(): void {
  inEvent = true;
  beginEvent();
}

/** Ends an event: sends whatever any connection has gathered. */
export function flushCork(): void {
  inEvent = false;
  flushOwner();
  endEvent();
}
