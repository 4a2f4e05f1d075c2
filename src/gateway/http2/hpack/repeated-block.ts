/** A direction that seldom repeats a block keeps one in so many, since keeping one costs more than comparing it. */
const TRIES = 8;
const SELDOM = 16;
/** Bytes of a block that is kept; longer ones are rare among those that repeat. */
const MAX_KEPT_BLOCK = 512;
const EMPTY = Buffer.alloc(0);

/**
 * The last field section of one direction of a connection that did not change the decoder's table, and the value that was made of
 * it. A client that sends the same request again, or a server the same response, mostly sends the same bytes: comparing them
 * costs a tenth of decoding them (bench http2-hpack).
 */
export class RepeatedBlock<T> {
  #bytes = EMPTY;
  #length = -1;
  /** `HpackDecoder.changes` when the block came: after a change its indices may mean other fields. */
  #changes = 0;
  #value: T | undefined;
  /** Blocks since the last that was found. */
  #misses = 0;

  /** The value that the same bytes had, where the table has not changed since then. */
  find(block: Uint8Array, start: number, end: number, changes: number): T | undefined {
    if (this.#length !== end - start || this.#changes !== changes) return undefined;
    const bytes = this.#bytes;
    for (let i = this.#length - 1; i >= 0; i--) if (bytes[i] !== block[start + i]) return undefined;
    this.#misses = 0;
    return this.#value;
  }

  /** Keeps the value of a block that left the table as it was; `changes` is the table's, before the block and after it. */
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
