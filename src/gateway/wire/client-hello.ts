/** The requests of a client before encryption begins (RFC 8446 §4.1.2). */
export interface ClientHello {
  /** In lower case; empty if the client sends no name. */
  readonly serverName: string;
  readonly protocols: readonly string[];
}

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const ALPN = 16;
/** The length of a record's header. `MESSAGE_HEADER_BYTES` is the length of a handshake message's header. */
const HEADER_BYTES = 5;
const MESSAGE_HEADER_BYTES = 4;
const RANDOM_BYTES = 34;
/**
 * Bytes of a client's first message that are examined; a longer message goes to TLS without a look. Usual messages have
 * 2 KiB.
 */
const MAX_HELLO_BYTES = 16_384;

/**
 * Reads a client's first bytes. Undefined if they are not a ClientHello, or if it is too long. TLS reports what is
 * wrong with them.
 */
export function readClientHello(bytes: Buffer): ClientHello | "unfinished" | undefined {
  const message = messageOf(bytes);
  if (message === undefined || message === "unfinished") return message;
  try {
    return helloOf(new Reader(message));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The first handshake message, which may have several records (RFC 8446 §5.1). */
function messageOf(bytes: Buffer): Buffer | "unfinished" | undefined {
  const parts: Buffer[] = [];
  let have = 0;
  let at = 0;
  for (;;) {
    if (at < bytes.length && bytes[at] !== HANDSHAKE_RECORD) return undefined;
    if (have > MAX_HELLO_BYTES) return undefined;
    if (bytes.length < at + HEADER_BYTES) return "unfinished";
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > MAX_HELLO_BYTES) return undefined;
    const part = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    parts.push(part);
    have += part.length;
    const message = parts.length === 1 ? part : Buffer.concat(parts);
    if (message.length >= MESSAGE_HEADER_BYTES) {
      const whole = message.readUIntBE(1, 3);
      if (message[0] !== CLIENT_HELLO || whole > MAX_HELLO_BYTES) return undefined;
      if (message.length >= MESSAGE_HEADER_BYTES + whole) {
        return message.subarray(MESSAGE_HEADER_BYTES, MESSAGE_HEADER_BYTES + whole);
      }
    }
    if (part.length < length) return "unfinished";
    at += HEADER_BYTES + length;
  }
}

function helloOf(reader: Reader): ClientHello {
  reader.take(RANDOM_BYTES);
  reader.take(reader.number(1));
  reader.take(reader.number(2));
  reader.take(reader.number(1));
  let serverName = "";
  const protocols: string[] = [];
  const extensions = reader.isAtEnd ? reader : new Reader(reader.take(reader.number(2)));
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const content = new Reader(extensions.take(extensions.number(2)));
    if (type === SERVER_NAME) serverName = serverNameIn(content);
    if (type !== ALPN) continue;
    const list = new Reader(content.take(content.number(2)));
    while (!list.isAtEnd) protocols.push(list.take(list.number(1)).toString("latin1"));
  }
  return { serverName, protocols };
}

/** The server name (RFC 6066 §3). The extension is a list, but only one kind of name exists. */
function serverNameIn(content: Reader): string {
  const list = new Reader(content.take(content.number(2)));
  list.number(1);
  return list.take(list.number(2)).toString("latin1").toLowerCase();
}

/** Reads bytes from the front. Throws a RangeError at the end. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(length: 1 | 2): number {
    const bytes = this.take(length);
    return bytes.readUIntBE(0, length);
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("Cannot read the ClientHello: it ends early");
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}
