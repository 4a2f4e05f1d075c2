/** Frames of QUIC v1 (RFC 9000 §19) that a client with faults must write and read. */
import { type Bytes, varint } from "./http3-frames.ts";

export interface Close {
  /** An error of the transport, or of HTTP/3. */
  readonly by: "transport" | "application";
  readonly code: number;
}

export interface Frames {
  readonly crypto: readonly (readonly [offset: number, bytes: Buffer])[];
  readonly close: Close | undefined;
  /** There is a HANDSHAKE_DONE. */
  readonly confirmed: boolean;
  /** The highest packet that it acknowledges, or -1. */
  readonly acknowledged: number;
}

/** The number of integers in a frame of this type, for frames that are only skipped. */
const NUMBERS: Readonly<Record<number, number>> = {
  0x04: 3,
  0x05: 2,
  0x10: 1,
  0x11: 2,
  0x12: 1,
  0x13: 1,
  0x14: 1,
  0x15: 2,
  0x16: 1,
  0x17: 1,
  0x19: 1,
};

/** §16. */
export function readVarint(bytes: Uint8Array, at: number): { readonly value: number; readonly next: number } {
  const first = bytes[at] ?? 0;
  const length = 1 << (first >> 6);
  let value = first & 0x3f;
  for (let i = 1; i < length; i++) value = value * 256 + (bytes[at + i] ?? 0);
  return { value, next: at + length };
}

/** A length as an integer of four bytes, whatever its value. */
export function byteLength(value: number): Bytes {
  return [0x80 | (value >>> 24), (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

export function cryptoFrame(bytes: Uint8Array, offset = 0): Bytes {
  return [0x06, ...varint(offset), ...varint(bytes.length), ...bytes];
}

/** Acknowledges all packets up to `largest`. */
export function ackOf(largest: number): Bytes {
  return [0x02, ...varint(largest), 0, 0, ...varint(largest)];
}

/** Acknowledges the packets with these numbers, in at most 20 ranges: servers skip numbers to find false acknowledgements. */
export function ackOfSome(numbers: ReadonlySet<number>): Bytes {
  const ranges: { from: number; to: number }[] = [];
  for (const number of [...numbers].toSorted((a, b) => b - a)) {
    const last = ranges.at(-1);
    if (last?.from === number + 1) last.from = number;
    else ranges.push({ from: number, to: number });
  }
  const [first = { from: 0, to: 0 }, ...rest] = ranges.slice(0, 20);
  const bytes = [0x02, ...varint(first.to), 0, ...varint(rest.length), ...varint(first.to - first.from)];
  let { from } = first;
  for (const range of rest) {
    bytes.push(...varint(from - range.to - 2), ...varint(range.to - range.from));
    ({ from } = range);
  }
  return bytes;
}

/** The contents of a server's packet. Throws at a frame that servers do not send. */
export function readFrames(payload: Buffer): Frames {
  const reader = new Reader(payload);
  const crypto: [number, Buffer][] = [];
  let close: Close | undefined;
  let confirmed = false;
  let acknowledged = -1;
  while (reader.more) {
    const type = reader.number();
    if (type === 0x06) crypto.push([reader.number(), reader.bytes(reader.number())]);
    else if (type === 0x1c || type === 0x1d) {
      close = { by: type === 0x1c ? "transport" : "application", code: reader.number() };
      if (type === 0x1c) reader.number();
      reader.bytes(reader.number());
    } else if (type === 0x1e) confirmed = true;
    else if (type === 0x02 || type === 0x03) acknowledged = readAck(reader, type);
    else skip(reader, type);
  }
  return { crypto, close, confirmed, acknowledged };
}

function skip(reader: Reader, type: number): void {
  // PADDING and PING.
  if (type <= 1) return;
  if (type === 0x07) reader.bytes(reader.number());
  else if (type >= 0x08 && type <= 0x0f) skipStream(reader, type);
  else if (type === 0x18) {
    reader.number();
    reader.number();
    reader.bytes(reader.byte());
    reader.bytes(16);
  } else if (type === 0x1a || type === 0x1b) reader.bytes(8);
  else {
    const count = NUMBERS[type];
    if (count === undefined) throw new Error(`Cannot read the server's packet: a frame of type ${type}`);
    for (let i = 0; i < count; i++) reader.number();
  }
}

function readAck(reader: Reader, type: number): number {
  const largest = reader.number();
  reader.number();
  const ranges = reader.number();
  for (let i = 0; i < 1 + 2 * ranges + (type === 0x03 ? 3 : 0); i++) reader.number();
  return largest;
}

function skipStream(reader: Reader, type: number): void {
  reader.number();
  if ((type & 4) !== 0) reader.number();
  if ((type & 2) === 0) reader.rest();
  else reader.bytes(reader.number());
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get more(): boolean {
    return this.#at < this.#bytes.length;
  }

  number(): number {
    const { value, next } = readVarint(this.#bytes, this.#at);
    this.#at = next;
    return value;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  bytes(length: number): Buffer {
    const found = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return found;
  }

  rest(): void {
    this.#at = this.#bytes.length;
  }
}
