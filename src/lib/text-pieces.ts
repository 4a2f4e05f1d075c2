import { latin1Text, writeLatin1 } from "./latin1.ts";

/** Bytes of the last message's head that are kept. Longer heads are written piece by piece. */
const MAX_KEPT_BYTES = 2048;
/** Stands for bytes of its length among the texts. It equals no text, because latin1 does not have its character. */
let standsForBytes = "";
/** Copies from any byte array, without making a view. */
const { copy: copyBytes } = Buffer.prototype;

/**
 * Latin1 texts that follow each other in the head of a message, and are written by one call. Otherwise each piece has its own
 * copy of the writing code: 30 KB of machine code for a request's head instead of 13 (docs/performance.md).
 *
 * The bytes of the last head are kept. Most pieces are the same texts as in the head before, at the same place. Only the others
 * are written, and one call copies the whole (bench http1).
 */
export class TextPieces {
  readonly #texts: string[] = [];
  #count = 0;
  readonly #kept = Buffer.allocUnsafeSlow(MAX_KEPT_BYTES);
  /** The pieces in `#kept`. */
  readonly #keptTexts: string[] = [];
  #keptCount = 0;
  /** Bytes among the texts, and their index; -1: only texts. */
  #bytes: Uint8Array | undefined;
  #bytesAt = -1;

  /** Forgets all pieces. Call it before the first `add`: the code that added the last ones may have thrown. */
  begin(): this {
    this.#count = 0;
    this.#bytesAt = -1;
    return this;
  }

  add(text: string): void {
    this.#texts[this.#count++] = text;
  }

  /**
   * Adds all bytes of `bytes`, once in a head. They must not change before the head is written. No text of them is made: the
   * runtime would allocate it in two places, and clean up both (bench policy).
   */
  addBytes(bytes: Uint8Array): void {
    if (this.#bytesAt !== -1) throw new Error("Cannot add bytes to a head: it has some already");
    const { length } = bytes;
    this.#bytes = bytes;
    this.#bytesAt = this.#count;
    if (standsForBytes.length !== length) standsForBytes = "\u0100".repeat(length);
    this.add(standsForBytes);
  }

  /** The number of characters, which is the number of bytes that `writeTo` writes. */
  get length(): number {
    let length = 0;
    for (let i = 0; i < this.#count; i++) length += (this.#texts[i] ?? "").length;
    return length;
  }

  /** Writes all pieces to `bytes` at `at`, where `length` bytes must fit. `length` is that of the pieces. */
  writeTo(bytes: Buffer, at: number, length: number): void {
    if (length > MAX_KEPT_BYTES) {
      let end = at;
      for (let i = 0; i < this.#count; i++) end += writeLatin1(bytes, this.#textAt(i), end);
      return;
    }
    let end = 0;
    let hasMoved = false;
    for (let i = 0; i < this.#count; i++) {
      const text = this.#texts[i] ?? "";
      const kept = i < this.#keptCount ? this.#keptTexts[i] : undefined;
      if (hasMoved || text !== kept) {
        if (i !== this.#bytesAt) writeLatin1(this.#kept, text, end);
        hasMoved ||= text.length !== kept?.length;
        this.#keptTexts[i] = text;
      }
      if (i === this.#bytesAt && this.#bytes !== undefined) this.#kept.set(this.#bytes, end);
      end += text.length;
    }
    this.#keptCount = this.#count;
    copyBytes.call(this.#kept, bytes, at, 0, end);
  }

  /** All pieces as one text. */
  join(): string {
    let text = "";
    for (let i = 0; i < this.#count; i++) text += this.#textAt(i);
    return text;
  }

  #textAt(i: number): string {
    const bytes = this.#bytes;
    return i === this.#bytesAt && bytes !== undefined ? latin1Text(bytes, 0, bytes.length) : (this.#texts[i] ?? "");
  }
}
