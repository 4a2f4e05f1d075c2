import { type Fields } from "../../../lib/http/fields.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type CacheRequest } from "./cache-request.ts";

/** Copies from any byte array, without a view. */
const { copy: copyBytes } = Buffer.prototype;
/** Chunks below this length are joined, because an object takes more than a hundred bytes beside its chunk. */
const SMALL_BYTES = 4096;
/** The length of the memory that small chunks are copied into. */
const BLOCK_BYTES = 16_384;

/** A part of a body: `bytes` up to `length`. `at` is the offset of its first byte in the body. */
interface Block {
  readonly bytes: Buffer;
  readonly at: number;
  length: number;
}

/**
 * The bytes of a body that still arrives, without those that all readers have read. They take little more memory than
 * their number, because an upstream can send a body of megabytes byte by byte.
 */
export class Pieces {
  readonly #blocks: Block[] = [];
  /** The offset behind the last byte. */
  next = 0;
  isWhole = false;
  trailers: Fields = "";

  get bytes(): number {
    return this.next - (this.#blocks[0]?.at ?? this.next);
  }

  /** The block with the byte at this offset; undefined if it has not arrived. */
  find(at: number): Block | undefined {
    // Most readers are at the end.
    return at < this.next ? this.#blocks.findLast((block) => block.at <= at) : undefined;
  }

  /** Copies the bytes, because they may be a small part of a large read buffer. */
  add(chunk: Uint8Array, start: number, end: number): void {
    const length = end - start;
    let block = this.#blocks.at(-1);
    if (block === undefined || block.length + length > block.bytes.length) {
      // The first chunk is often the whole body.
      const isJoint = block !== undefined && length < SMALL_BYTES;
      block = { bytes: Buffer.allocUnsafeSlow(isJoint ? BLOCK_BYTES : length), at: this.next, length: 0 };
      this.#blocks.push(block);
    }
    copyBytes.call(chunk, block.bytes, block.length, start, end);
    block.length += length;
    this.next += length;
  }

  /** Removes the blocks that end before the offset `at` or there. */
  forget(at: number): void {
    for (let block = this.#blocks[0]; block !== undefined; block = this.#blocks[0]) {
      if (block.at + block.length > at) return;
      this.#blocks.shift();
    }
  }

  /** The whole body. Call this only if nothing was removed. */
  joined(): Uint8Array {
    const parts = this.#blocks.map(({ bytes, length }) => bytes.subarray(0, length));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }
}

/** A client that reads a body while it arrives. */
export class Reader {
  readonly exchange: Exchange;
  readonly request: CacheRequest;
  /** The client joined the request of another client. */
  readonly isCollapsed: boolean;
  /** The offset of the byte that the client reads next. */
  at = 0;
  #isFull = false;
  isOver = false;

  constructor(exchange: Exchange, request: CacheRequest, isCollapsed: boolean) {
    this.exchange = exchange;
    this.request = request;
    this.isCollapsed = isCollapsed;
  }

  drained(): void {
    this.#isFull = false;
  }

  /** Sends as much as the client accepts. */
  read(pieces: Pieces): void {
    const { response } = this.exchange;
    while (!this.isOver && !this.#isFull) {
      const block = pieces.find(this.at);
      if (block === undefined) break;
      const start = this.at - block.at;
      this.at = block.at + block.length;
      this.#isFull = !response.data(block.bytes, start, block.length);
    }
    if (this.isOver || !pieces.isWhole || this.at < pieces.next) return;
    this.isOver = true;
    response.end(pieces.trailers);
  }
}
