import { latin1Text } from "../../../lib/latin1.ts";

/** Texts that are kept, at most: the responses that a worker sends again and again. A power of two. @bound */
const CACHE_SLOTS = 1024;
/** Longer texts are not kept: they are rare, and CACHE_SLOTS of them with their bytes must stay within a few MiB. */
const MAX_CACHED_LENGTH = 2048;

interface Kept {
  readonly text: string;
  readonly bytes: Buffer;
}

/**
 * Encoded bytes of texts seen twice, one text a slot; a newer one takes an older one's place. Not a Map, since that would
 * have to keep a text at its first sight, and most heads with a date or an id of their own are never seen again.
 */
export class EncodedTexts {
  readonly #slots: (Kept | undefined)[] = Array.from({ length: CACHE_SLOTS });
  /** Of the last text that was offered to each slot. A first sight leaves this alone. */
  readonly #prints = new Int32Array(CACHE_SLOTS);
  /** What was written last: most responses of a worker follow one that has the same fields. */
  #last: Kept | undefined;
  /** Of the text that `write` did not have. */
  #print = 0;

  /** Writes the bytes of `text`; returns the offset behind them, or 0 where it does not have them. */
  write(target: Buffer, at: number, text: string): number {
    if (this.#last !== undefined && this.#last.text === text) {
      this.#last.bytes.copy(target, at);
      return at + this.#last.bytes.length;
    }
    // Native, so that the whole text costs less than a dozen of its characters read one by one (bench http2-hpack).
    this.#print = Bun.hash.xxHash32(text) | 0;
    const kept = this.#slots[this.#print & (CACHE_SLOTS - 1)];
    if (kept === undefined || kept.text !== text) return 0;
    this.#last = kept;
    kept.bytes.copy(target, at);
    return at + kept.bytes.length;
  }

  /** Takes the encoding of the text that `write` did not have, from `start` to `end` of `bytes`, if it comes for the second time. */
  offer(text: string, bytes: Buffer, start: number, end: number): void {
    if (text.length > MAX_CACHED_LENGTH) return;
    const slot = this.#print & (CACHE_SLOTS - 1);
    if (this.#prints[slot] === this.#print) {
      // A copy of the text: it may be a slice of a longer one, which would stay in memory with it.
      const own = Buffer.from(text, "latin1");
      this.#slots[slot] = { text: latin1Text(own, 0, own.length), bytes: Buffer.from(bytes.subarray(start, end)) };
    } else this.#prints[slot] = this.#print;
  }
}
