const LEAST_BYTES = 1024;
const NOTHING = new Uint8Array(0);

/** Joins bytes that arrive in pieces of any size. Many small pieces would take far more memory than they hold. */
export class GrowingBytes {
  #room: Uint8Array = NOTHING;
  #length = 0;

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#room.length;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start;
    if (length > this.#room.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#room.length, LEAST_BYTES));
      grown.set(this.#room.subarray(0, this.#length));
      this.#room = grown;
    }
    this.#room.set(chunk.subarray(start, end), this.#length);
    this.#length = length;
  }

  /** Returns the bytes, and starts again with none. */
  take(): Uint8Array {
    const bytes = this.#room.subarray(0, this.#length);
    this.#room = NOTHING;
    this.#length = 0;
    return bytes;
  }
}
