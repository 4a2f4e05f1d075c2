import { MAX_DIGITS, writeDecimal, writeDigits } from "../text/decimal.ts";
import { writeLatin1 } from "./latin1.ts";
import { visibleJson } from "../text/visible-text.ts";

const DOT = 0x2e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;

/** Most bytes of UTF-8 for one unit of a string. */
const MAX_UTF8_BYTES = 3;

/** Bytes of the fraction of `millis`, with its point. */
const DECIMALS = 4;
/** Milliseconds up to which the microseconds are an integer of 32 bits. */
const MAX_SMALL_MS = 2_000_000;

/**
 * A line that is written into a buffer piece by piece. For short texts, writing single characters is faster than
 * joining the texts and encoding them in the runtime (bench parts). If a piece does not fit, the line is `full` and
 * must not be used.
 */
export class LineBytes {
  bytes: Buffer;
  /** Offset of the next piece. */
  at = 0;
  full = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Writes ASCII text of this program. */
  ascii(text: string): void {
    if (!this.#lacks(text.length)) this.at += writeLatin1(this.bytes, text, this.at);
  }

  /** Writes any text, as UTF-8. */
  text(text: string): void {
    if (!this.#lacksText(text)) this.at += this.bytes.write(text, this.at);
  }

  /** Writes any text as a JSON string without invisible characters. */
  json(text: string): void {
    const { bytes } = this;
    const { length } = text;
    const start = this.at;
    if (this.#lacks(length + 2)) return;
    bytes[start] = QUOTE;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) {
        this.text(visibleJson(text));
        return;
      }
      bytes[start + 1 + i] = code;
    }
    bytes[start + 1 + length] = QUOTE;
    this.at = start + length + 2;
  }

  /** Writes latin1 bytes as `json` does, without making a text. False: the text needs escapes, and nothing was written. */
  jsonBytes(text: Uint8Array, from: number, to: number): boolean {
    const { bytes } = this;
    const start = this.at;
    if (this.#lacks(to - from + 2)) return true;
    bytes[start] = QUOTE;
    let at = start + 1;
    for (let i = from; i < to; i++) {
      const code = text[i] ?? 0;
      if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) return false;
      bytes[at++] = code;
    }
    bytes[at] = QUOTE;
    this.at = at + 1;
    return true;
  }

  /** Writes a whole number from 0 to 2^53. */
  integer(value: number): void {
    if (!this.#lacks(MAX_DIGITS)) this.at = writeDecimal(this.bytes, this.at, value);
  }

  /** Writes the last `count` digits of a whole number, with leading zeros. */
  digits(value: number, count: number): void {
    if (!this.#lacks(count)) this.at = writeDigits(this.bytes, this.at, value, count);
  }

  /** Writes milliseconds with three decimals, as in `1.235`. */
  millis(ms: number): void {
    if (this.#lacks(MAX_DIGITS + DECIMALS)) return;
    const { bytes } = this;
    if (ms >= 0 && ms < MAX_SMALL_MS) {
      // 32-bit integers, as most times allow, take half the time (bench parts).
      const micros = (ms * 1000 + 0.5) | 0;
      const whole = (micros / 1000) | 0;
      const at = writeDecimal(bytes, this.at, whole);
      bytes[at] = DOT;
      this.at = writeDigits(bytes, at + 1, (micros - whole * 1000) | 0, 3);
      return;
    }
    const micros = Math.round(ms * 1000);
    const whole = Math.floor(micros / 1000);
    this.at = writeDecimal(bytes, this.at, whole);
    bytes[this.at++] = DOT;
    this.at = writeDigits(bytes, this.at, micros - whole * 1000, 3);
  }

  /** Counts the bytes only if there may be too little room. Most text has ample room. */
  #lacksText(text: string): boolean {
    const hasAmple = this.at + text.length * MAX_UTF8_BYTES <= this.bytes.length;
    return this.#lacks(hasAmple ? 0 : Buffer.byteLength(text));
  }

  #lacks(length: number): boolean {
    if (this.at + length > this.bytes.length) this.full = true;
    return this.full;
  }
}
