import { latin1Text, writeLatin1 } from "./latin1.ts";

/** Bytes of the last message's head that are kept. Longer heads are written piece by piece. */
const MAX_KEPT_BYTES = 2048;
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
 *
 * The bytes of the last head are kept. Most pieces are the same texts as in the head before, at the same place. Only the others
 * are written, and one call copies the whole (bench http1).
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
  readonly #kept = Buffer.allocUnsafeSlow(MAX_KEPT_BYTES);
  /** The pieces in `#kept`, and the lengths of those that are bytes. */
  readonly #keptTexts: string[] = [];
  readonly #keptLengths: number[] = [];
  #keptCount = 0;

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

  /** Writes all pieces to `bytes` at `at`, where `length` bytes must fit. `length` is that of the pieces. */
  writeTo(bytes: Buffer, at: number, length: number): void {
    if (length > MAX_KEPT_BYTES) {
      writeLatin1(bytes, this.join(), at);
      return;
    }
    let end = 0;
    let hasMoved = false;
    let range = 0;
    for (let i = 0; i < this.#count; i++) {
      const text = this.#texts[i] ?? "";
      const kept = i < this.#keptCount ? this.#keptTexts[i] : undefined;
      if (text === BYTES) {
        const size = this.#keepRange(range++, end);
        hasMoved ||= kept !== BYTES || size !== this.#keptLengths[i];
        this.#keptTexts[i] = text;
        this.#keptLengths[i] = size;
        end += size;
        continue;
      }
      if (hasMoved || text !== kept) {
        writeLatin1(this.#kept, text, end);
        hasMoved ||= kept === BYTES || text.length !== kept?.length;
        this.#keptTexts[i] = text;
      }
      end += text.length;
    }
    this.#keptCount = this.#count;
    copyBytes.call(this.#kept, bytes, at, 0, end);
  }

  /** Copies bytes to `#kept`. Returns their number. A call into the runtime for few bytes takes longer than a loop (bench http1). */
  #keepRange(n: number, at: number): number {
    const bytes = this.#rangesOf[n];
    const from = this.#rangesFrom[n] ?? 0;
    const size = (this.#rangesTo[n] ?? 0) - from;
    if (bytes === undefined) return 0;
    if (size > SHORT) copyBytes.call(bytes, this.#kept, at, from, from + size);
    else for (let i = 0; i < size; i++) this.#kept[at + i] = bytes[from + i] ?? 0;
    return size;
  }

  /** All pieces as one text. */
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
