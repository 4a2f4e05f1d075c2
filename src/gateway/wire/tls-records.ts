import { type WireHandler } from "./wire.ts";

const HEADER_BYTES = 5;
/** RFC 8446 §5.1. */
const ALERT = 21;
const APPLICATION_DATA = 23;
/** What a record of TLS 1.3 adds to its content: a byte that says what it is, and the tag (RFC 8446 §5.2). */
const OVERHEAD_13 = 17;
const ALERT_BYTES = 2;
/** Session tickets that a server sends ahead of its content in one go; OpenSSL sends two. */
const MAX_TICKETS = 8;

/**
 * Follows the records of a TLS connection from outside, to tell whether its peer said goodbye (`close_notify`) or somebody
 * cut it off: Bun ends both alike. It hears the encrypted bytes.
 */
export class TlsRecords implements WireHandler {
  /** Alerts of TLS 1.3 look like any other record. */
  isTls13 = false;
  /** Bytes of content that came out of what was heard last; counted by the owner. */
  content = 0;
  /** Bytes in the records that the chunk heard last completed; and in the first one of them, the first two, and so on. */
  #inner = 0;
  readonly #firsts: number[] = [];
  #headerBytes = 0;
  #type = 0;
  #length = 0;
  /** Bytes of the record that are to come. */
  #left = 0;

  /** The last that came was an alert. Which it was the TLS library knows: any but the goodbye is an error to it. */
  get saidGoodbye(): boolean {
    if (this.#left > 0 || this.#headerBytes > 0) return false;
    if (this.#type === ALERT) return true;
    if (!this.isTls13 || this.#type !== APPLICATION_DATA || this.#length !== ALERT_BYTES + OVERHEAD_13) return false;
    // Two bytes of content make a record of the same length, and come out. What does not come out besides are tickets.
    const tickets = this.#inner - this.content - ALERT_BYTES;
    return tickets === 0 || this.#firsts.includes(tickets);
  }

  onData(chunk: Uint8Array): void {
    this.#inner = 0;
    this.#firsts.length = 0;
    this.content = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) this.#header(chunk[at++] ?? 0);
      else {
        const taken = Math.min(this.#left, chunk.length - at);
        at += taken;
        this.#left -= taken;
        if (this.#left === 0 && this.#type === APPLICATION_DATA) this.#completed();
      }
    }
  }

  #completed(): void {
    this.#inner += this.#length - OVERHEAD_13;
    if (this.#firsts.length < MAX_TICKETS) this.#firsts.push(this.#inner);
  }

  onDrain(): void {}
  onEnd(): void {}
  onClose(): void {}

  /** Type, version, length (RFC 8446 §5.1). */
  #header(byte: number): void {
    this.#headerBytes++;
    if (this.#headerBytes === 1) this.#type = byte;
    else if (this.#headerBytes === HEADER_BYTES - 1) this.#length = byte << 8;
    else if (this.#headerBytes === HEADER_BYTES) {
      this.#length |= byte;
      this.#left = this.#length;
      this.#headerBytes = 0;
    }
  }
}
