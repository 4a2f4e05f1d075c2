import { type WireHandler } from "./wire.ts";

const HEADER_BYTES = 5;
/** The content types of records (RFC 8446 §5.1). */
const ALERT = 21;
const APPLICATION_DATA = 23;
/** Bytes that a TLS 1.3 record adds to its content: the content type and the tag (RFC 8446 §5.2). */
const OVERHEAD_13 = 17;
const ALERT_BYTES = 2;
/**
 * Session tickets that a server sends together before its content; after more, a `close_notify` in the same chunk is
 * not recognised. OpenSSL sends two.
 */
const MAX_TICKETS = 8;

/**
 * Reads the encrypted bytes of a TLS connection, to find out whether its peer sent a `close_notify` or the connection
 * was cut. Bun reports both ends in the same way.
 */
export class TlsRecords implements WireHandler {
  /** In TLS 1.3 an alert looks like any other record. */
  isTls13 = false;
  /** Bytes of decrypted content from the last chunk. The owner counts them. */
  content = 0;
  /**
   * Bytes inside the records that the last chunk completed. `#firsts` has the bytes in the first of them, in the first
   * two, and so on.
   */
  #inner = 0;
  readonly #firsts: number[] = [];
  #headerBytes = 0;
  #type = 0;
  #length = 0;
  /** Bytes of the current record that have not arrived yet. */
  #left = 0;

  /** True if the last record was an alert. For the TLS library, any alert other than `close_notify` is an error. */
  get sentCloseNotify(): boolean {
    if (this.#left > 0 || this.#headerBytes > 0) return false;
    if (this.#type === ALERT) return true;
    if (!this.isTls13 || this.#type !== APPLICATION_DATA || this.#length !== ALERT_BYTES + OVERHEAD_13) return false;
    // A record with two bytes of content has the same length, but its content is passed on. All other bytes that are
    // not passed on are session tickets.
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

  /** Reads the type, version and length (RFC 8446 §5.1). */
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
