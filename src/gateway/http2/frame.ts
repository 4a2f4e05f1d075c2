/** Frame types (RFC 9113 §6). */
export const DATA = 0x0;
export const HEADERS = 0x1;
export const PRIORITY = 0x2;
export const RST_STREAM = 0x3;
export const SETTINGS = 0x4;
export const PUSH_PROMISE = 0x5;
export const PING = 0x6;
export const GOAWAY = 0x7;
export const WINDOW_UPDATE = 0x8;
export const CONTINUATION = 0x9;

/** Flags (RFC 9113 §6). The type of a frame decides which of them it can have. */
export const END_STREAM = 0x1;
export const ACK = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;
export const HAS_PRIORITY = 0x20;

/** Error codes (RFC 9113 §7). */
export const NO_ERROR = 0x0;
export const PROTOCOL_ERROR = 0x1;
export const INTERNAL_ERROR = 0x2;
export const FLOW_CONTROL_ERROR = 0x3;
export const STREAM_CLOSED = 0x5;
export const FRAME_SIZE_ERROR = 0x6;
export const REFUSED_STREAM = 0x7;
export const CANCEL = 0x8;
export const COMPRESSION_ERROR = 0x9;
export const ENHANCE_YOUR_CALM = 0xb;

/** Bytes of the header of every frame (RFC 9113 §4.1). */
export const FRAME_HEADER_BYTES = 9;
/** The frame size that every peer accepts, and the limit of a peer that sets no other (RFC 9113 §4.2, §6.5.2). */
export const DEFAULT_MAX_FRAME_SIZE = 16_384;
export const DEFAULT_WINDOW = 65_535;
/** RFC 9113 §6.9.1. */
export const MAX_WINDOW = 0x7fff_ffff;
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** A frame's header, without its length. */
export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
}

/** Writes the nine-byte header of a frame with `length` bytes of payload. Returns the offset behind it. */
export function writeFrameHead(target: Uint8Array, at: number, length: number, head: FrameHead): number {
  const { type, flags, streamId } = head;
  target[at] = length >>> 16;
  target[at + 1] = (length >>> 8) & 0xff;
  target[at + 2] = length & 0xff;
  target[at + 3] = type;
  target[at + 4] = flags;
  writeUint32(target, at + 5, streamId);
  return at + FRAME_HEADER_BYTES;
}

function writeUint32(target: Uint8Array, at: number, value: number): void {
  target[at] = value >>> 24;
  target[at + 1] = (value >>> 16) & 0xff;
  target[at + 2] = (value >>> 8) & 0xff;
  target[at + 3] = value & 0xff;
}

/** Reads 32 bits. `readUint31` drops the highest bit, if it is reserved. */
export function readUint32(bytes: Uint8Array, at: number): number {
  return (readUint31(bytes, at) | ((bytes[at] ?? 0) & 0x80 ? 0x8000_0000 : 0)) >>> 0;
}

/** Reads four bytes as a number of 31 bits. The first bit is reserved and ignored (RFC 9113 §4.1). */
export function readUint31(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) & 0x7f) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)
  );
}

/** A frame whose payload is one or two 32-bit numbers and, for GOAWAY, a text: RST_STREAM, WINDOW_UPDATE or GOAWAY. */
export function numbersFrame(head: FrameHead, numbers: readonly number[], text = ""): Buffer {
  const length = numbers.length * 4 + text.length;
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + length);
  let at = writeFrameHead(frame, 0, length, head);
  for (const number of numbers) {
    writeUint32(frame, at, number);
    at += 4;
  }
  frame.write(text, at, "latin1");
  return frame;
}

/** A frame with the payload `payload`. */
export function payloadFrame(head: FrameHead, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  frame.set(payload, writeFrameHead(frame, 0, payload.length, head));
  return frame;
}
