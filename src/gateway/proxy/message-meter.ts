/**
 * Bytes of the prefix of each gRPC message: a compression flag, and the message's length (grpc/grpc, doc/PROTOCOL-HTTP2.md,
 * Length-Prefixed-Message).
 */
const PREFIX_BYTES = 5;

/** Parses the lengths of the messages in one direction of a call, in chunks of any size. */
export class MessageMeter {
  readonly #maxBytes: number;
  /** Bytes of the current message that have not arrived. */
  #left = 0;
  /** Bytes of the next message's prefix that have arrived. */
  #prefix = 0;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns false as soon as a message announces more bytes than the limit. */
  takes(chunk: Uint8Array, start: number, end: number): boolean {
    let at = start;
    for (;;) {
      const skipped = Math.min(this.#left, end - at);
      this.#left -= skipped;
      at += skipped;
      if (at === end) return true;
      // The first byte is a flag.
      if (this.#prefix > 0) this.#length = this.#length * 256 + (chunk[at] ?? 0);
      at++;
      if (++this.#prefix < PREFIX_BYTES) continue;
      if (this.#length > this.#maxBytes) return false;
      this.#left = this.#length;
      this.#prefix = 0;
      this.#length = 0;
    }
  }
}
