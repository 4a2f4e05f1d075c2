import { latin1Text } from "../../../lib/memory/latin1.ts";

/**
 * Texts that are kept at most, for responses that a worker sends repeatedly. A newer text replaces an older one. A
 * power of two. @bound
 */
const CACHE_SLOTS = 1024;
/**
 * Maximum number of characters of a text that is kept. Longer texts are rare, and CACHE_SLOTS texts with their bytes must stay
 * within a few MiB.
 */
const MAX_CACHED_LENGTH = 2048;

interface EncodedText {
  readonly text: string;
  readonly bytes: Buffer;
}

/**
 * Encoded bytes of texts that were seen twice, with one text per slot. A newer text replaces an older one. A Map would
 * have to keep each text when it is first seen. But most heads with their own date or id are never seen again.
 */
export class EncodedTexts {
  readonly #slots: (EncodedText | undefined)[] = Array.from({ length: CACHE_SLOTS });
  /** The hash of the last text that was offered to each slot. A text that was not seen before changes only its hash here. */
  readonly #prints = new Int32Array(CACHE_SLOTS);
  /** The hash of the last text that `write` did not have. */
  #print = 0;

  /** Writes the bytes of `text`. Returns the offset behind them, or 0 if there are no bytes for the text. */
  write(target: Buffer, at: number, text: string): number {
    // The native hash of the whole text costs less than reading a dozen characters one by one (bench parts).
    this.#print = Bun.hash.xxHash32(text) | 0;
    const kept = this.#slots[this.#print & (CACHE_SLOTS - 1)];
    if (kept === undefined || kept.text !== text) return 0;
    kept.bytes.copy(target, at);
    return at + kept.bytes.length;
  }

  /**
   * Keeps the encoding of the text that `write` did not have, if it is seen for the second time. The encoding lies in
   * `bytes` from `start` to `end`.
   */
  offer(text: string, bytes: Buffer, start: number, end: number): void {
    if (text.length > MAX_CACHED_LENGTH) return;
    const slot = this.#print & (CACHE_SLOTS - 1);
    if (this.#prints[slot] === this.#print) {
      // A copy, because the text can be a slice of a longer text, which would stay in memory with it.
      const own = Buffer.from(text, "latin1");
      this.#slots[slot] = { text: latin1Text(own, 0, own.length), bytes: Buffer.from(bytes.subarray(start, end)) };
    } else this.#prints[slot] = this.#print;
  }
}
