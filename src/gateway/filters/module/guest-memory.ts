import { latin1Text, writeLatin1 } from "../../../lib/memory/latin1.ts";

const NO_BYTES = new ArrayBuffer();

/** The linear memory of an instance. Pointers arrive as signed numbers. */
export class GuestMemory {
  readonly #memory: WebAssembly.Memory | undefined;
  readonly #abort: (reason: string) => Error;
  #bytes = new Uint8Array(NO_BYTES);
  #view = new DataView(NO_BYTES);

  /** `memory` is undefined for a module without one. `abort` creates the error for bytes outside the memory. */
  constructor(memory: WebAssembly.Memory | undefined, abort: (reason: string) => Error) {
    this.#memory = memory;
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
    const start = this.#start(pointer, 4);
    return this.#view.getUint32(start, true);
  }

  /** Writes a number of 4 bytes. */
  setU32(pointer: number, value: number): void {
    const start = this.#start(pointer, 4);
    this.#view.setUint32(start, value, true);
  }

  /** Writes a number of 8 bytes. */
  setU64(pointer: number, value: bigint): void {
    const start = this.#start(pointer, 8);
    this.#view.setBigUint64(start, value, true);
  }

  #start(pointer: number, length: number): number {
    const start = pointer >>> 0;
    const end = start + (length >>> 0);
    // A memory that has grown has another buffer, and the old one is empty.
    if (end > this.#bytes.length) this.#refresh();
    if (end > this.#bytes.length) {
      throw this.#abort(`names ${length >>> 0} bytes at ${start}, and its memory has ${this.#bytes.length}`);
    }
    return start;
  }

  #refresh(): void {
    const { buffer = NO_BYTES } = this.#memory ?? {};
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }
}
