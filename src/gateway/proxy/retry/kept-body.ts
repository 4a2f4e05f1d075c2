/** Bytes of one request body that are kept for a retry. A longer body is not kept, so its request is not retried. */
const MAX_KEPT_BYTES = 65_536;
/** Bytes that a worker keeps for retries. Beyond them no further bytes are kept. @operator */
const MAX_ALL_KEPT_BYTES = 16_777_216;
const LEAST_BYTES = 256;

const NOTHING = Buffer.alloc(0);
const { copy: copyBytes } = Buffer.prototype;
let allKept = 0;

/** The beginning of a body, kept while its request may have to be sent again. Its owner clears it. */
export class KeptBody {
  #bytes = NOTHING;
  length = 0;

  /** The bytes from 0 to `length` stay unchanged when others are added. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Also keeps the bytes of `chunk` from `start` to `end`. Returns false and drops everything if that exceeds a limit. */
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
