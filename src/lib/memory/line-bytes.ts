import { MAX_DIGITS, writeDecimal, writeDigits } from "../text/decimal.ts";
import { type FixedText } from "./fixed-text.ts";
import { visibleJson } from "../text/visible-text.ts";

const DOT = 0x2e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_BYTE = 0xff;

/** 1 for bytes that JSON text cannot have as they are. Without a branch for each character, a line takes less time. */
const ESCAPED = new Uint8Array(MAX_BYTE + 1).fill(1);
ESCAPED.fill(0, 0x20, 0x7f);
ESCAPED[QUOTE] = 1;
ESCAPED[BACKSLASH] = 1;

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
  #bytes: Buffer;
  #view: DataView;
  /** Offset of the next piece. */
  at = 0;
  full = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }
  set bytes(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  fixed(text: FixedText): void {
    if (!this.#lacks(text.room)) this.at = text.writeTo(this.#view, this.at);
  }

  /** Writes any text, as UTF-8. */
  text(text: string): void {
    if (!this.#lacksText(text)) this.at += this.bytes.write(text, this.at);
  }

  /** Writes `start`, and any text as a JSON string without invisible characters. */
  json(start: FixedText, text: string): void {
    const { length } = text;
    if (this.#lacks(start.room + length + 2)) return;
    const bytes = this.#bytes;
    let at = start.writeTo(this.#view, this.at);
    this.at = at;
    bytes[at++] = QUOTE;
    let escapes = 0;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      escapes |= code > MAX_BYTE ? 1 : (ESCAPED[code] ?? 0);
      bytes[at++] = code;
    }
    if (escapes !== 0) {
      this.text(visibleJson(text));
      return;
    }
    bytes[at++] = QUOTE;
    this.at = at;
  }

  /** Writes latin1 bytes as `json` does, without making a text. False: the text needs escapes, and nothing was written. */
  jsonBytes(start: FixedText, text: Uint8Array, from: number, to: number): boolean {
    if (this.#lacks(start.room + to - from + 2)) return true;
    const bytes = this.#bytes;
    let at = start.writeTo(this.#view, this.at);
    bytes[at++] = QUOTE;
    let escapes = 0;
    for (let i = from; i < to; i++) {
      const code = text[i] ?? 0;
      escapes |= ESCAPED[code] ?? 0;
      bytes[at++] = code;
    }
    if (escapes !== 0) return false;
    bytes[at++] = QUOTE;
    this.at = at;
    return true;
  }

  /** Writes `start`, and a whole number from 0 to 2^53. */
  integer(start: FixedText, value: number): void {
    if (this.#lacks(start.room + MAX_DIGITS)) return;
    this.at = writeDecimal(this.#bytes, start.writeTo(this.#view, this.at), value);
  }

  /** Writes the last `count` digits of a whole number, with leading zeros. */
  digits(value: number, count: number): void {
    if (!this.#lacks(count)) this.at = writeDigits(this.bytes, this.at, value, count);
  }

  /** Writes `start`, and milliseconds with three decimals, as in `1.235`. */
  millis(start: FixedText, ms: number): void {
    if (this.#lacks(start.room + MAX_DIGITS + DECIMALS)) return;
    const bytes = this.#bytes;
    const from = start.writeTo(this.#view, this.at);
    // 32-bit integers, as most times allow, take half the time (bench parts).
    const isSmall = ms >= 0 && ms < MAX_SMALL_MS;
    const micros = isSmall ? (ms * 1000 + 0.5) | 0 : Math.round(ms * 1000);
    const whole = isSmall ? (micros / 1000) | 0 : Math.floor(micros / 1000);
    const at = writeDecimal(bytes, from, whole);
    bytes[at] = DOT;
    this.at = writeDigits(bytes, at + 1, micros - whole * 1000, 3);
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

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
