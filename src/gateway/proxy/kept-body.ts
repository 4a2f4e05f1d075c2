/** Bytes of one request's body that are kept to be sent again. */
const MAX_KEPT_BYTES = 65_536;
/** Bytes that all bodies of a worker have kept for them. */
const MAX_ALL_KEPT_BYTES = 16_777_216;
const LEAST_BYTES = 256;

const NOTHING = Buffer.alloc(0);
const { copy: copyBytes } = Buffer.prototype;
let allKept = 0;

/** The beginning of a body, kept while its request may have to be sent again. Who is through with it clears it. */
export class KeptBody {
  #bytes = NOTHING;
  length = 0;

  /** From 0 to `length` they stay as they are, whatever is added. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Keeps the bytes of `chunk` from `start` to `end` as well; false, with nothing kept any more, where that is too much. */
  add(chunk: Uint8Array, start: number, end: number): boolean {
    const length = this.length + end - start;
    if (length > MAX_KEPT_BYTES || (length > this.#bytes.length && !this.#grow(length))) {
      this.clear();
      return false;
    }
    copyBytes.call(chunk, this.#bytes, this.length, start, end);
    this.length = length;
    return true;
  }

  clear(): void {
    allKept -= this.#bytes.length;
    this.#bytes = NOTHING;
    this.length = 0;
  }

  #grow(length: number): boolean {
    let size = Math.max(this.#bytes.length, LEAST_BYTES);
    while (size < length) size *= 2;
    const by = size - this.#bytes.length;
    if (allKept + by > MAX_ALL_KEPT_BYTES) return false;
    const grown = Buffer.allocUnsafe(size);
    this.#bytes.copy(grown, 0, 0, this.length);
    this.#bytes = grown;
    allKept += by;
    return true;
  }
}
