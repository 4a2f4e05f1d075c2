import { RECORD_SEPARATOR } from "./command.ts";

/** Bytes of a reply that a filter receives, with the trailer. More is read and dropped. */
const MAX_REPLY_BYTES = 16_384;
/** The separator, one digit and the line feed. */
const MIN_TRAILER_BYTES = 3;
const MAX_OUTPUT_BYTES = MAX_REPLY_BYTES - MIN_TRAILER_BYTES;

const ESCAPE = 0x1f;
const ESCAPED_BIT = 0x40;
const LF = 0x0a;
const ZERO = 0x30;
const NINE = 0x39;
const MAX_EXIT = 255;
const MAX_EXIT_DIGITS = 3;

const OUTPUT = 0;
const ESCAPED = 1;
const EXIT = 2;
const DONE = 3;
const BROKEN = 4;

/**
 * Reads one reply of the control socket: output, 0x1e, a decimal exit code, a line feed. In the output, 0x1f stands
 * before a byte whose bit 0x40 is inverted, so that the output can contain 0x1e and 0x1f.
 */
export class ReplyReader {
  readonly #output = Buffer.allocUnsafe(MAX_REPLY_BYTES);
  #length = 0;
  #state = OUTPUT;
  #exit = 0;
  #digits = 0;
  /** True if bytes of the output did not fit and are missing from `#output`. */
  #isCut = false;

  reset(): void {
    this.#length = 0;
    this.#state = OUTPUT;
    this.#exit = 0;
    this.#digits = 0;
    this.#isCut = false;
  }

  /** Reads bytes. Returns how many of them belong to the reply, which can end before the chunk does. */
  read(chunk: Uint8Array): number {
    let at = 0;
    while (at < chunk.length && this.#state < DONE) this.#take(chunk[at++] ?? 0);
    return at;
  }

  /** True if the whole reply has arrived. */
  get isDone(): boolean {
    return this.#state === DONE;
  }

  /** True if the bytes are not a valid reply. The start of the next reply cannot be found then. */
  get isBroken(): boolean {
    return this.#state === BROKEN;
  }

  /** True for one complete line `ERR ...` or `OK ...`: the replies of managers without a trailer. */
  get isBareLine(): boolean {
    if (this.#state !== OUTPUT || this.#isCut || this.#output[this.#length - 1] !== LF) return false;
    return /^(?:ERR|OK) [^\n]*\n$/.test(this.text);
  }

  /** The output so far, each byte as one character. */
  get text(): string {
    return this.#output.toString("latin1", 0, this.#length);
  }

  /** The bytes for the filter: the trailer, and as much of the output as fits before it. A copy. */
  get bytes(): Buffer {
    const trailer = Buffer.from(`${String.fromCharCode(RECORD_SEPARATOR)}${this.#exit}\n`, "latin1");
    const room = MAX_REPLY_BYTES - trailer.length;
    return Buffer.concat([this.#output.subarray(0, Math.min(this.#length, room)), trailer]);
  }

  #take(byte: number): void {
    switch (this.#state) {
      case OUTPUT:
        if (byte === RECORD_SEPARATOR) this.#state = EXIT;
        else if (byte === ESCAPE) this.#state = ESCAPED;
        else this.#put(byte);
        break;
      case ESCAPED:
        this.#put(byte ^ ESCAPED_BIT);
        this.#state = OUTPUT;
        break;
      default:
        this.#takeExit(byte);
    }
  }

  #takeExit(byte: number): void {
    if (byte >= ZERO && byte <= NINE && this.#digits < MAX_EXIT_DIGITS) {
      this.#exit = this.#exit * 10 + byte - ZERO;
      this.#digits++;
    } else this.#state = byte === LF && this.#digits > 0 && this.#exit <= MAX_EXIT ? DONE : BROKEN;
  }

  #put(byte: number): void {
    if (this.#length < MAX_OUTPUT_BYTES) this.#output[this.#length++] = byte;
    else this.#isCut = true;
  }
}
