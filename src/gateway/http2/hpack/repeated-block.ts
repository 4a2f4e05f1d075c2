/**
 * After this many misses in a row, only every 16th block is kept, because keeping a block costs more than comparing
 * one.
 */
const TRIES = 8;
const SELDOM = 16;
/** The most bytes of a block that is kept. Longer blocks seldom repeat. */
const MAX_KEPT_BLOCK = 512;
const EMPTY = Buffer.alloc(0);

/**
 * The last field section of one direction of a connection that did not change the decoder's table, with the value that
 * was made from it. A client that repeats a request mostly sends the same bytes, and so does a server that repeats a
 * response. Comparing the bytes costs a tenth of decoding them (bench http2-hpack).
 */
export class RepeatedBlock<T> {
  #bytes = EMPTY;
  #length = -1;
  /** `HpackDecoder.changes` when the block arrived. After a change, its indices may stand for other fields. */
  #changes = 0;
  #value: T | undefined;
  /** Blocks since the last one that was found. */
  #misses = 0;

  /** The value of the same bytes, if the table has not changed since; undefined otherwise. */
  find(block: Uint8Array, start: number, end: number, changes: number): T | undefined {
    if (this.#length !== end - start || this.#changes !== changes) return undefined;
    const bytes = this.#bytes;
    for (let i = this.#length - 1; i >= 0; i--) if (bytes[i] !== block[start + i]) return undefined;
    this.#misses = 0;
    return this.#value;
  }

  /**
   * Keeps the value of a block that did not change the table. `changes` is the table's count, which is the same before
   * and after the block.
   */
  keep(block: Uint8Array, range: { start: number; end: number }, changes: number, value: T): void {
    const length = range.end - range.start;
    this.#misses++;
    if (length > MAX_KEPT_BLOCK || (this.#misses > TRIES && this.#misses % SELDOM !== 0)) return;
    if (this.#bytes.length < length) this.#bytes = Buffer.allocUnsafeSlow(length);
    for (let i = 0; i < length; i++) this.#bytes[i] = block[range.start + i] ?? 0;
    this.#length = length;
    this.#changes = changes;
    this.#value = value;
  }
}
