/**
 * Bytes. A longer message is discarded and its call fails, so that a hostile page cannot fill this process's memory.
 */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Characters of the beginning of a discarded message, enough for the id of its call. */
const HEAD_LENGTH = 64;

/** Receives the messages of a wire. */
export interface CdpReader {
  message(text: string): void;
  /** A message of more than MAX_MESSAGE_BYTES was discarded; `head` is its beginning. */
  oversized(head: string): void;
  /** The wire has ended. */
  closed(): void;
}

/** Carries messages to a browser and back. */
export interface CdpWire {
  /** Sets the reader, which gets all messages from now on. Called once. */
  read(reader: CdpReader): void;
  write(text: string): void;
  destroy(): void;
}

/** Puts a message together from the parts that arrive. */
export class MessageParts {
  readonly #reader: CdpReader;
  #chunks: Buffer[] = [];
  #length = 0;
  #discarding = false;

  constructor(reader: CdpReader) {
    this.#reader = reader;
  }

  keep(part: Buffer): void {
    if (this.#discarding) return;
    this.#chunks.push(part);
    this.#length += part.length;
    if (this.#length <= MAX_MESSAGE_BYTES) return;
    this.#discarding = true;
    this.#reader.oversized(this.#chunks[0]?.toString("latin1", 0, HEAD_LENGTH) ?? "");
    this.#chunks = [];
  }

  /** The message is complete. */
  finish(): void {
    const chunks = this.#chunks;
    const discarded = this.#discarding;
    this.#chunks = [];
    this.#length = 0;
    this.#discarding = false;
    const [first] = chunks;
    if (discarded || first === undefined) return;
    this.#reader.message(chunks.length === 1 ? first.toString("utf8") : Buffer.concat(chunks).toString("utf8"));
  }
}
