import { MAX_DIGITS, writeDecimal, writeDigits } from "./decimal.ts";

const DOT = 0x2e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;

/** UTF-8 has no more of them for one unit of a string. */
const MAX_UTF8_BYTES = 3;

/** Characters that JSON allows as they are, and some terminals take for commands. */
const CONTROLS = /[\u007f-\u009f]/g;

/**
 * A line as it grows in a buffer, piece by piece. Writing short texts a character at a time costs less than joining
 * them and having the runtime encode the whole (bench log-line). What does not fit leaves the line `full`, for nobody to send.
 */
export class LineBytes {
  bytes: Buffer;
  /** Where the next piece goes. */
  at = 0;
  full = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Text of ours: ASCII. */
  ascii(text: string): void {
    const { bytes } = this;
    const { length } = text;
    const start = this.at;
    if (this.#lacks(length)) return;
    for (let i = 0; i < length; i++) bytes[start + i] = text.charCodeAt(i);
    this.at = start + length;
  }

  /** Any text, as UTF-8. */
  text(text: string): void {
    if (!this.#lacksText(text)) this.at += this.bytes.write(text, this.at);
  }

  /** Any text as a JSON string, with no control character in it. */
  json(text: string): void {
    const { bytes } = this;
    const { length } = text;
    const start = this.at;
    if (this.#lacks(length + 2)) return;
    bytes[start] = QUOTE;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) {
        this.#escaped(text);
        return;
      }
      bytes[start + 1 + i] = code;
    }
    bytes[start + 1 + length] = QUOTE;
    this.at = start + length + 2;
  }

  #escaped(text: string): void {
    this.text(JSON.stringify(text).replaceAll(CONTROLS, (char) => `\\u00${char.charCodeAt(0).toString(16)}`));
  }

  /** A whole number from 0 to 2^53. */
  integer(value: number): void {
    if (!this.#lacks(MAX_DIGITS)) this.at = writeDecimal(this.bytes, this.at, value);
  }

  /** Milliseconds, to the microsecond: `1.235`. */
  millis(ms: number): void {
    const micros = Math.round(ms * 1000);
    const whole = Math.floor(micros / 1000);
    this.integer(whole);
    if (this.#lacks(4)) return;
    this.bytes[this.at++] = DOT;
    this.at = writeDigits(this.bytes, this.at, micros - whole * 1000, 3);
  }

  /** Counted only where there might be too little: most text has ample room. */
  #lacksText(text: string): boolean {
    const hasAmple = this.at + text.length * MAX_UTF8_BYTES <= this.bytes.length;
    return this.#lacks(hasAmple ? 0 : Buffer.byteLength(text));
  }

  #lacks(length: number): boolean {
    if (this.at + length > this.bytes.length) this.full = true;
    return this.full;
  }
}
