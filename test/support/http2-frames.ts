/** HTTP/2 frames as bytes, valid or invalid: nothing is checked here. Shares no code with the source. */

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

export const NO_FLAGS = 0x0;
export const ACK = 0x1;
export const END_STREAM = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;
export const HAS_PRIORITY = 0x20;
export const END_BOTH = END_STREAM | END_HEADERS;

export const NO_ERROR = 0x0;
export const PROTOCOL_ERROR = 0x1;
export const FLOW_CONTROL_ERROR = 0x3;
export const STREAM_CLOSED = 0x5;
export const FRAME_SIZE_ERROR = 0x6;
export const REFUSED_STREAM = 0x7;
export const CANCEL = 0x8;
export const COMPRESSION_ERROR = 0x9;
export const ENHANCE_YOUR_CALM = 0xb;

export const HEADER_TABLE_SIZE = 0x1;
export const ENABLE_PUSH = 0x2;
export const MAX_CONCURRENT_STREAMS = 0x3;
export const INITIAL_WINDOW_SIZE = 0x4;
export const MAX_FRAME_SIZE = 0x5;
export const MAX_HEADER_LIST_SIZE = 0x6;

export const MAX_WINDOW = 0x7fff_ffff;
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** `streamId` is written unchanged: its highest bit is the reserved one. */
export function frame(type: number, flags: number, streamId: number, payload: Buffer | string = ""): Buffer {
  const content = typeof payload === "string" ? Buffer.from(payload, "latin1") : payload;
  const head = Buffer.alloc(9);
  head.writeUIntBE(content.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId >>> 0, 5);
  return Buffer.concat([head, content]);
}

/** Numbers of 32 bits. */
export function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number >>> 0, i * 4);
  return bytes;
}

export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(pairs.length * 6);
  for (const [i, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, i * 6);
    payload.writeUInt32BE(value >>> 0, i * 6 + 2);
  }
  return frame(SETTINGS, NO_FLAGS, 0, payload);
}

export const SETTINGS_ACK = frame(SETTINGS, ACK, 0);

export function windowUpdate(streamId: number, increment: number): Buffer {
  return frame(WINDOW_UPDATE, NO_FLAGS, streamId, words(increment));
}

export function reset(streamId: number, code = CANCEL): Buffer {
  return frame(RST_STREAM, NO_FLAGS, streamId, words(code));
}

export function ping(content = "pingpong", flags = NO_FLAGS): Buffer {
  return frame(PING, flags, 0, content);
}

/** The five bytes of a PRIORITY frame; `weight` is one less than the real weight. */
export function priority(dependency: number, weight = 15, exclusive = false): Buffer {
  return Buffer.concat([words(exclusive ? dependency | 0x8000_0000 : dependency), Buffer.from([weight])]);
}

export function data(streamId: number, content: Buffer | string, flags = NO_FLAGS): Buffer {
  return frame(DATA, flags, streamId, content);
}

/** A padded payload: its length byte, the content, the padding. */
export function padded(content: Buffer | string, padding: number): Buffer {
  const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content;
  return Buffer.concat([Buffer.from([padding]), bytes, Buffer.alloc(padding)]);
}
