import { latin1Text, writeLatin1 } from "./latin1.ts";

/** Stands for bytes among the texts. It equals no text, because latin1 does not have its character. */
const BYTES = "\u0100";
/** Bytes up to which a piece is copied one by one. */
const SHORT = 40;
/** Copies from any byte array, without making a view. */
const { copy: copyBytes } = Buffer.prototype;

/**
 * Latin1 texts that follow each other in the head of a message, and are written by one call. Otherwise each piece has its own
 * copy of the writing code: 30 KB of machine code for a request's head instead of 13. Some pieces may be
 * bytes: no text of them is made, which the runtime would allocate in two places and clean up in both (bench http1).
 */
export class TextPieces {
  /** The texts, and BYTES for each piece that is bytes. */
  readonly #texts: string[] = [];
  #count = 0;
  #length = 0;
  /** The pieces that are bytes: array, start and end. */
  readonly #rangesOf: Uint8Array[] = [];
  readonly #rangesFrom: number[] = [];
  readonly #rangesTo: number[] = [];
  #ranges = 0;

  /** Forgets all pieces. Call it before the first `add`: the code that added the last ones may have thrown. */
  begin(): this {
    this.#count = 0;
    this.#length = 0;
    this.#ranges = 0;
    return this;
  }

  add(text: string): void {
    this.#texts[this.#count++] = text;
    this.#length += text.length;
  }

  /** Adds the bytes from `start` to `end`. They must not change before the head is written. */
  addBytes(bytes: Uint8Array, start: number, end: number): void {
    const n = this.#ranges++;
    this.#rangesOf[n] = bytes;
    this.#rangesFrom[n] = start;
    this.#rangesTo[n] = end;
    this.#texts[this.#count++] = BYTES;
    this.#length += end - start;
  }

  /** The number of characters, which is the number of bytes that `writeTo` writes. */
  get length(): number {
    return this.#length;
  }

  /** Writes all pieces to `bytes` at `at`, where `length` bytes must fit. */
  writeTo(bytes: Buffer, at: number): void {
    let end = at;
    let range = 0;
    for (let i = 0; i < this.#count; i++) {
      const text = this.#texts[i] ?? "";
      end += text === BYTES ? this.#writeRange(bytes, range++, end) : writeLatin1(bytes, text, end);
    }
  }

  /** Returns the number of bytes. A call into the runtime for few bytes takes longer than a loop (bench http1). */
  #writeRange(target: Buffer, n: number, at: number): number {
    const bytes = this.#rangesOf[n];
    const from = this.#rangesFrom[n] ?? 0;
    const size = (this.#rangesTo[n] ?? 0) - from;
    if (bytes === undefined) return 0;
    if (size > SHORT) copyBytes.call(bytes, target, at, from, from + size);
    else for (let i = 0; i < size; i++) target[at + i] = bytes[from + i] ?? 0;
    return size;
  }

  join(): string {
    let text = "";
    let range = 0;
    for (let i = 0; i < this.#count; i++) {
      const piece = this.#texts[i] ?? "";
      text += piece === BYTES ? this.#textOf(range++) : piece;
    }
    return text;
  }

  #textOf(range: number): string {
    const bytes = this.#rangesOf[range];
    return bytes === undefined ? "" : latin1Text(bytes, this.#rangesFrom[range] ?? 0, this.#rangesTo[range] ?? 0);
  }
}
