import {
  BAD_EXTENSION,
  EXTENSION_AWAITED,
  EXTENSION_BEGINS,
  type ExtensionState,
  isExtensionEnd,
  nextExtensionState,
} from "./chunk-extension.ts";

/** Hexadecimal digits of a chunk size; no body may be so long. A longer size is an error. */
const MAX_SIZE_DIGITS = 13;
/**
 * Bytes of chunk extensions in a whole body; more are an error. Extensions have no use today except to keep a
 * parser busy (RFC 9112 §7.1.1).
 */
const MAX_EXTENSION_BYTES = 4096;

const SIZE = 0;
const EXTENSION = 1;
const SIZE_LF = 2;
const DATA = 3;
const DATA_CR = 4;
const DATA_LF = 5;
const TRAILERS = 6;
const DONE = 7;

/** Receives the data of chunks: the bytes of `chunk` from `start` up to but not including `end`. */
export interface ChunkedSink {
  onChunk(chunk: Uint8Array, start: number, end: number): void;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/**
 * Decodes the chunked transfer coding (RFC 9112 §7.1), strictly: lines end with CRLF, and white space is allowed only
 * before an extension.
 *
 *   SIZE ─▶ [EXTENSION] ─▶ SIZE_LF ─▶ DATA ─▶ DATA_CR ─▶ DATA_LF ─▶ SIZE …
 *                             └─ size 0 ─▶ TRAILERS ─▶ DONE
 */
export class ChunkedDecoder {
  readonly #maxTrailerBytes: number;
  readonly #maxBodyBytes: number;
  #announced = 0;
  #state = SIZE;
  #size = 0;
  #digits = 0;
  #extension: ExtensionState = EXTENSION_BEGINS;
  #extensionBytes = 0;
  /** Trailer field lines with their CRLFs, as received and not yet checked. */
  trailers = "";
  /** Why the body is refused; empty if it is valid. */
  error = "";
  /** True if the body is refused because the announced chunk sizes exceed the limit in sum. */
  tooLarge = false;

  constructor(maxTrailerBytes: number, maxBodyBytes: number) {
    this.#maxTrailerBytes = maxTrailerBytes;
    this.#maxBodyBytes = maxBodyBytes;
  }

  get done(): boolean {
    return this.#state === DONE;
  }

  /** Decodes the bytes from `from` on. Returns the index after the last byte of the body. */
  decode(bytes: Uint8Array, from: number, sink: ChunkedSink): number {
    let at = from;
    while (at < bytes.length && this.#state !== DONE && this.error === "") {
      if (this.#state === DATA) {
        const take = Math.min(this.#size, bytes.length - at);
        this.#size -= take;
        if (this.#size === 0) this.#state = DATA_CR;
        sink.onChunk(bytes, at, at + take);
        at += take;
      } else if (this.#state === TRAILERS) {
        at = this.#readTrailers(bytes, at);
      } else {
        // Within `bytes` by the condition of the loop.
        this.#step(bytes[at] as number);
        at++;
      }
    }
    return at;
  }

  #step(code: number): void {
    switch (this.#state) {
      case SIZE: {
        const digit = hexDigit(code);
        if (digit !== -1) {
          this.#size = this.#size * 16 + digit;
          if (++this.#digits > MAX_SIZE_DIGITS) this.error = "chunk size too large";
        } else if (this.#digits === 0) this.error = "bad chunk size";
        else if (code === 0x0d) this.#state = SIZE_LF;
        else if (code === 0x3b || code === 0x20 || code === 0x09) {
          this.#state = EXTENSION;
          this.#extension = code === 0x3b ? EXTENSION_BEGINS : EXTENSION_AWAITED;
        } else this.error = "bad chunk size";
        return;
      }
      case EXTENSION:
        this.#stepExtension(code);
        return;
      case SIZE_LF:
        if (code !== 0x0a) this.error = "bare CR after a chunk size";
        this.#announced += this.#size;
        if (this.#announced > this.#maxBodyBytes) {
          this.tooLarge = true;
          this.error = `the body is larger than ${this.#maxBodyBytes} bytes`;
        }
        this.#digits = 0;
        this.#state = this.#size === 0 ? TRAILERS : DATA;
        return;
      case DATA_CR:
        if (code !== 0x0d) this.error = "chunk longer than its size";
        this.#state = DATA_LF;
        return;
      default:
        if (code !== 0x0a) this.error = "bare CR after a chunk";
        this.#state = SIZE;
    }
  }

  #stepExtension(code: number): void {
    if (code === 0x0d) {
      if (isExtensionEnd(this.#extension)) this.#state = SIZE_LF;
      else this.error = "malformed chunk extension";
    } else if ((code < 0x20 && code !== 0x09) || code === 0x7f) this.error = "control character in a chunk extension";
    else if (++this.#extensionBytes > MAX_EXTENSION_BYTES) this.error = "chunk extensions too large";
    else {
      this.#extension = nextExtensionState(this.#extension, code);
      if (this.#extension === BAD_EXTENSION) this.error = "malformed chunk extension";
    }
  }

  /** Collects trailer lines up to the empty line. The field scanner checks their syntax. */
  #readTrailers(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      // Within `bytes` by the condition of the loop.
      const code = bytes[at] as number;
      this.trailers += String.fromCharCode(code);
      at++;
      if (this.trailers.length > this.#maxTrailerBytes) {
        this.error = "trailers too large";
        return at;
      }
      if (code !== 0x0a) continue;
      if (!this.trailers.endsWith("\r\n")) {
        this.error = "bare LF in trailers";
        return at;
      }
      if (this.trailers === "\r\n" || this.trailers.endsWith("\r\n\r\n")) {
        this.trailers = this.trailers.slice(0, -2);
        this.#state = DONE;
        return at;
      }
    }
    return at;
  }
}

/** The chunk-size line before a chunk of `length` bytes. */
export function chunkHead(length: number): string {
  return `${length.toString(16)}\r\n`;
}
