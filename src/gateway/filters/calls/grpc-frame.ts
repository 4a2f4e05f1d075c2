import { GrowingBytes } from "./growing-bytes.ts";

/** The flag for compression, and the message's length (grpc/grpc, doc/PROTOCOL-HTTP2.md, Length-Prefixed-Message). */
const PREFIX_BYTES = 5;

/** An uncompressed message with its prefix. */
export function framed(message: Uint8Array): Uint8Array {
  const out = new Uint8Array(PREFIX_BYTES + message.length);
  new DataView(out.buffer).setUint32(1, message.length);
  out.set(message, PREFIX_BYTES);
  return out;
}

/** Joins the messages of a response, which arrive in chunks of any size. Their length was checked before. */
export class FrameReader {
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #prefixLength = 0;
  /** Bytes of the message that have not arrived yet. */
  #left = 0;
  readonly #message = new GrowingBytes();

  /** Bytes of memory for an incomplete message. */
  get memory(): number {
    return this.#message.memory;
  }

  /** True if a message or its prefix is incomplete. */
  get isInside(): boolean {
    return this.#prefixLength > 0;
  }

  /** The messages that end with this chunk. Undefined if one is compressed, which was not asked for. */
  take(chunk: Uint8Array, start: number, end: number): Uint8Array[] | undefined {
    const messages: Uint8Array[] = [];
    for (let at = start; at < end; ) {
      if (this.#prefixLength < PREFIX_BYTES) {
        this.#prefix[this.#prefixLength++] = chunk[at++] ?? 0;
        if (this.#prefixLength < PREFIX_BYTES) continue;
        if (this.#prefix[0] !== 0) return undefined;
        this.#left = new DataView(this.#prefix.buffer).getUint32(1);
      }
      const size = Math.min(this.#left, end - at);
      this.#message.add(chunk, at, at + size);
      this.#left -= size;
      at += size;
      if (this.#left > 0) break;
      messages.push(this.#message.take());
      this.#prefixLength = 0;
    }
    return messages;
  }
}
