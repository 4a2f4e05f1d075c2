import { isLatin1At, latin1Text } from "./latin1.ts";

/** Texts that are kept; a newer one takes the place of an older one. A power of two. @bound */
const SLOTS = 256;
/** Characters of a text that is kept. Longer ones seldom recur. @bound */
const MAX_LENGTH = 64;

/**
 * Makes texts that recur, such as hosts and paths, only once: the bytes are compared with a text. A new text costs a call into
 * the runtime and memory that is collected later, four times as much (bench http1).
 */
export class RecurringTexts {
  readonly #slots: string[] = Array.from({ length: SLOTS }, () => "");

  /** The bytes from `start` to `end` as text, one character a byte. */
  text(bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    if (length > MAX_LENGTH) return latin1Text(bytes, start, end);
    let hash = length;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] ?? 0)) | 0;
    const slot = (hash ^ (hash >>> 8)) & (SLOTS - 1);
    const known = this.#slots[slot] ?? "";
    if (known.length === length && isLatin1At(bytes, start, known)) return known;
    const text = latin1Text(bytes, start, end);
    this.#slots[slot] = text;
    return text;
  }
}
