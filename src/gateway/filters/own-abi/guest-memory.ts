import { latin1Text, writeLatin1 } from "../../../lib/latin1.ts";

/**
 * The linear memory of an instance. It has its final size from the start, so one view stays valid. Pointers arrive as
 * signed numbers.
 */
export class GuestMemory {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #abort: (reason: string) => Error;

  /** `abort` creates the error for bytes outside the memory. */
  constructor(buffer: ArrayBuffer, abort: (reason: string) => Error) {
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
    this.#abort = abort;
  }

  /** Throws if a part of the bytes is outside the memory. */
  check(pointer: number, length: number): void {
    this.#start(pointer, length);
  }

  /** The bytes as latin1 text. */
  text(pointer: number, length: number): string {
    const start = this.#start(pointer, length);
    return latin1Text(this.#bytes, start, start + (length >>> 0));
  }

  /** A copy of the bytes. */
  copy(pointer: number, length: number): Uint8Array {
    const start = this.#start(pointer, length);
    return this.#bytes.slice(start, start + (length >>> 0));
  }

  /** Writes the part of a latin1 text that fits into `capacity` bytes. */
  writeText(text: string, pointer: number, capacity: number): void {
    const start = this.#start(pointer, capacity);
    writeLatin1(this.#bytes, text.length > capacity >>> 0 ? text.slice(0, capacity >>> 0) : text, start);
  }

  /** Writes the part that fits into `capacity` bytes. Returns the number of bytes written. */
  writeBytes(bytes: Uint8Array, pointer: number, capacity: number): number {
    const start = this.#start(pointer, capacity);
    const count = Math.min(bytes.length, capacity >>> 0);
    this.#bytes.set(count === bytes.length ? bytes : bytes.subarray(0, count), start);
    return count;
  }

  /** Reads a number of 4 bytes. */
  u32(pointer: number): number {
    return this.#view.getUint32(this.#start(pointer, 4), true);
  }

  /** Writes a number of 4 bytes. */
  setU32(pointer: number, value: number): void {
    this.#view.setUint32(this.#start(pointer, 4), value, true);
  }

  /** Writes a number of 8 bytes. */
  setU64(pointer: number, value: bigint): void {
    this.#view.setBigUint64(this.#start(pointer, 8), value, true);
  }

  #start(pointer: number, length: number): number {
    const start = pointer >>> 0;
    if (start + (length >>> 0) > this.#bytes.length) {
      throw this.#abort(`names ${length >>> 0} bytes at ${start}, and its memory has ${this.#bytes.length}`);
    }
    return start;
  }
}
