import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { ByteQueue } from "../../lib/memory/byte-queue.ts";
import { type Share } from "../../lib/net/client-shares.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type SpareAccount } from "../../lib/memory/spare-account.ts";
import { Deadline, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { CannedError } from "../exchange/local-response.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { BLOCK_BYTES, type Spool } from "./spool.ts";

/**
 * Bytes of one response that wait in memory. Beyond them the upstream is paused until some are sent or written to the disk.
 * @bound
 */
const MEMORY_BYTES = 262_144;
/** Bytes below which a response is not written to the disk. */
const MIN_DISK_BYTES = 65_536;
/**
 * Milliseconds that a client may make its response wait, in total, before waiting bytes go to the disk. Most clients are
 * faster.
 */
const SLOW_MS = 250;
/** Milliseconds before the disk is tried again after it had no room. */
const RETRY_MS = 500;
/** Bytes that are read back at a time. @bound */
const READ_BYTES = 131_072;

const NO_MEMORY = new CannedError("overloaded", "no memory is left for data that waits for the client");
const UNREADABLE = new CannedError("internal", "the response could not be read back");

/** The buffers for responses of a route whose clients are slow. */
export interface ResponseBuffering {
  readonly wheel: TimerWheel;
  readonly memory: BufferPool;
  /** The spare part of `memory`: responses wait in it only while enough is left for other work. */
  readonly spare: SpareAccount;
  readonly spool: Spool;
  /** Bytes of one response, in memory and on the disk. */
  readonly maxBytes: number;
}

export interface BufferSource {
  /** The buffer accepts more, after a `data` that returned false. */
  resume(): void;
  fail(error: TurnpikeError): void;
}

/**
 * Buffers a response that its upstream sends faster than the client reads it. Bytes wait in memory first. If the client
 * stays slow, they go to the disk, so that the upstream's connection is free for other requests. The response's sinks see
 * the bytes only when the client accepts them.
 *
 *   source ──▶ memory ──▶ client                while the client keeps up, or nearly so
 *   source ──▶ memory ──▶ disk ──▶ client       after it has made the response wait for SLOW_MS
 */
export class ResponseBuffer extends Deadline {
  readonly #exchange: Exchange;
  readonly #source: BufferSource;
  readonly #options: ResponseBuffering;
  /** Bytes that follow those on the disk. */
  readonly #queue: ByteQueue;
  /** Blocks on the disk, in the order of their bytes. */
  readonly #blocks: number[] = [];
  #share: Share<never> | undefined;
  /** Offset of the first byte in the first block. */
  #readFrom = 0;
  /** Offset of the end in the last block. BLOCK_BYTES if the next bytes need a new block. */
  #writtenTo = BLOCK_BYTES;
  /** A disk operation is running: the first block, or the first bytes of the queue, must stay. */
  #isBusy = false;
  #isFull = true;
  #isHeldBack = false;
  #isSlow = false;
  /** Milliseconds of waiting times that have ended. */
  #waited = 0;
  /** In wheel time; -1 while no bytes wait. */
  #waitingSince = -1;
  #trailers: Fields | undefined;
  isOver = false;

  /** Create the buffer when the client has stopped accepting bytes. */
  constructor(exchange: Exchange, source: BufferSource, options: ResponseBuffering) {
    super();
    this.#exchange = exchange;
    this.#source = source;
    this.#options = options;
    this.#queue = new ByteQueue(options.memory);
  }

  /** Like `BodySink.data`. */
  data(chunk: Uint8Array, start: number, end: number): boolean {
    if (this.isOver) return true;
    if (!this.#isFull && this.#isEmpty) {
      this.#isFull = !this.#exchange.response.data(chunk, start, end);
      return true;
    }
    if (!this.#queue.push(chunk, start, end)) {
      this.#source.fail(NO_MEMORY);
      return true;
    }
    if (this.#isFull) this.#wait();
    this.#diskBuffer();
    if (this.#hasRoom(1)) return true;
    this.#isHeldBack = true;
    return false;
  }

  end(trailers: Fields): void {
    if (this.isOver) return;
    this.#trailers = trailers;
    if (this.#isEmpty) this.#finish(trailers);
  }

  /** The client accepts more. */
  drained(): void {
    this.#isFull = false;
    if (this.#waitingSince !== -1) {
      const { wheel } = this.#options;
      this.#waited += wheel.now() - this.#waitingSince;
      this.#waitingSince = -1;
      wheel.clear(this);
    }
    this.#deliver();
  }

  drop(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#options.wheel.remove(this);
    this.#queue.clear();
    if (!this.#isBusy) this.#giveBlocks();
  }

  /** The client has been slow for SLOW_MS, or the disk may have room again. */
  override onDeadline(): void {
    this.#isSlow = true;
    this.#diskBuffer();
  }

  get #isEmpty(): boolean {
    return this.#queue.length === 0 && this.#blocks.length === 0 && !this.#isBusy;
  }

  get #onDisk(): number {
    return this.#blocks.length === 0 ? 0 : (this.#blocks.length - 1) * BLOCK_BYTES + this.#writtenTo - this.#readFrom;
  }

  /** True if this part of the memory limit is free, and the other limits are not reached. */
  #hasRoom(part: number): boolean {
    const { maxBytes, spare } = this.#options;
    if (this.#queue.length >= MEMORY_BYTES * part || !spare.admits) return false;
    return this.#queue.length + this.#onDisk < maxBytes;
  }

  /** Measures how long bytes wait for the client. */
  #wait(): void {
    if (this.#waitingSince !== -1 || this.#isSlow) return;
    const { wheel } = this.#options;
    this.#waitingSince = wheel.now();
    wheel.set(this, Math.max(SLOW_MS - this.#waited, 0));
  }

  /** Sends as much as the client accepts. */
  #deliver(): void {
    while (!this.#isFull && !this.isOver && !this.#isBusy) {
      if (this.#blocks.length > 0) {
        this.#readBack();
        break;
      }
      const piece = this.#queue.first;
      if (piece === undefined) break;
      const { bytes, start, end } = piece;
      this.#queue.shift(end - start);
      this.#isFull = !this.#exchange.response.data(bytes, start, end);
    }
    if (this.isOver) return;
    if (this.#trailers !== undefined && this.#isEmpty) this.#finish(this.#trailers);
    else this.#goOn();
  }

  /** Measures how long the rest waits, moves it to the disk, and resumes the source if there is room. */
  #goOn(): void {
    if (this.#isFull && !this.#isEmpty) this.#wait();
    this.#diskBuffer();
    if (!this.#isHeldBack || !this.#hasRoom(1 / 2)) return;
    this.#isHeldBack = false;
    this.#source.resume();
  }

  #finish(trailers: Fields): void {
    this.isOver = true;
    this.#options.wheel.remove(this);
    this.#exchange.response.end(trailers);
  }

  /** Writes the bytes of a slow client to the disk. */
  #diskBuffer(): void {
    if (!this.#isSlow || !this.#isFull || this.#isBusy || this.isOver || this.#queue.length < MIN_DISK_BYTES) return;
    const piece = this.#queue.first;
    const block = piece === undefined ? undefined : this.#blockToFill();
    if (piece === undefined || block === undefined) {
      this.#options.wheel.set(this, RETRY_MS);
      return;
    }
    const { bytes, start } = piece;
    const length = Math.min(piece.end - start, BLOCK_BYTES - this.#writtenTo);
    this.#isBusy = true;
    this.#options.spool.write({ block, offset: this.#writtenTo }, { bytes, start, end: start + length }, (written) => {
      this.#isBusy = false;
      if (this.isOver) this.#giveBlocks();
      else this.#onWritten(written ? length : 0);
    });
  }

  #onWritten(length: number): void {
    this.#queue.shift(length);
    this.#writtenTo += length;
    if (this.#writtenTo === 0) this.#giveUnused();
    if (length > 0 || !this.#isFull) this.#deliver();
    else this.#options.wheel.set(this, RETRY_MS);
  }

  /** Releases the last block if nothing was written to it. */
  #giveUnused(): void {
    for (const block of this.#blocks.splice(-1)) this.#give(block);
    this.#writtenTo = BLOCK_BYTES;
  }

  /** The last block, or a new one if it is full. Undefined if no block is free. */
  #blockToFill(): number | undefined {
    if (this.#writtenTo < BLOCK_BYTES) return this.#blocks.at(-1);
    const { spool } = this.#options;
    this.#share ??= spool.shareOf(this.#exchange);
    const block = spool.take(this.#share);
    if (block === -1) return undefined;
    this.#blocks.push(block);
    this.#writtenTo = 0;
    return block;
  }

  #readBack(): void {
    const [block] = this.#blocks;
    if (block === undefined) return;
    const to = this.#blocks.length === 1 ? this.#writtenTo : BLOCK_BYTES;
    const length = Math.min(to - this.#readFrom, READ_BYTES);
    this.#isBusy = true;
    this.#options.spool.read({ block, offset: this.#readFrom }, length, (bytes) => {
      this.#isBusy = false;
      if (this.isOver) this.#giveBlocks();
      else if (bytes === undefined) this.#source.fail(UNREADABLE);
      else this.#hasRead(bytes);
    });
  }

  #hasRead(bytes: Uint8Array): void {
    this.#readFrom += bytes.length;
    if (this.#onDisk === 0) this.#giveBlocks();
    else if (this.#readFrom === BLOCK_BYTES) {
      const block = this.#blocks.shift();
      this.#readFrom = 0;
      if (block !== undefined) this.#give(block);
    }
    this.#isFull = !this.#exchange.response.data(bytes);
    this.#deliver();
  }

  #giveBlocks(): void {
    for (const block of this.#blocks.splice(0)) this.#give(block);
    this.#readFrom = 0;
    this.#writtenTo = BLOCK_BYTES;
  }

  #give(block: number): void {
    if (this.#share !== undefined) this.#options.spool.give(this.#share, block);
  }
}
