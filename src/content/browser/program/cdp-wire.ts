/**
 * Bytes. A longer message is discarded and its call fails, so that a hostile page cannot fill this process's memory.
 */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Characters of the beginning of a discarded message, enough for the id of its call. */
const HEAD_LENGTH = 64;

/** Bytes of a part that is copied: each part of its own takes more memory than its bytes. */
const SMALL_PART = 4096;
/** Bytes of the buffer for small parts. */
const SMALL_PARTS = 64 * 1024;

export interface CdpReader {
  message(text: string): void;
  /** A message of more than MAX_MESSAGE_BYTES was discarded; `head` is its beginning. */
  oversized(head: string): void;
  closed(): void;
}

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
  /** The end of the message so far, if its last parts were small: `#smallLength` bytes of `#small`. */
  #small: Buffer = Buffer.alloc(0);
  #smallLength = 0;
  #length = 0;
  #discarding = false;

  constructor(reader: CdpReader) {
    this.#reader = reader;
  }

  /** Buffers that are held. @internal */
  get held(): number {
    return this.#chunks.length + (this.#smallLength > 0 ? 1 : 0);
  }

  keep(part: Buffer): void {
    if (this.#discarding) return;
    this.#length += part.length;
    if (this.#length > MAX_MESSAGE_BYTES) this.#discard(part);
    else if (part.length <= SMALL_PART && this.#length > part.length) this.#copy(part);
    else {
      this.#endSmall();
      this.#chunks.push(part);
    }
  }

  /** The message is complete. */
  finish(): void {
    this.#endSmall();
    const chunks = this.#chunks;
    const discarded = this.#discarding;
    this.#chunks = [];
    this.#length = 0;
    this.#discarding = false;
    const [first] = chunks;
    if (discarded || first === undefined) return;
    this.#reader.message(chunks.length === 1 ? first.toString("utf8") : Buffer.concat(chunks).toString("utf8"));
  }

  #copy(part: Buffer): void {
    if (this.#smallLength + part.length > SMALL_PARTS) this.#endSmall();
    if (this.#small.length === 0) this.#small = Buffer.alloc(SMALL_PARTS);
    part.copy(this.#small, this.#smallLength);
    this.#smallLength += part.length;
  }

  #endSmall(): void {
    if (this.#smallLength > 0) this.#chunks.push(Buffer.from(this.#small.subarray(0, this.#smallLength)));
    this.#smallLength = 0;
  }

  #discard(part: Buffer): void {
    this.#endSmall();
    this.#discarding = true;
    const begun = Buffer.concat([...this.#chunks.slice(0, 3), part], HEAD_LENGTH);
    this.#reader.oversized(begun.toString("latin1"));
    this.#chunks = [];
  }
}
