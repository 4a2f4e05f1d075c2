/** WebSocket frames as bytes (RFC 6455 §5.2), valid or invalid. Shares no code with the source. */

export const CONTINUATION = 0x0;
export const TEXT = 0x1;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

export interface FrameOptions {
  readonly fin?: boolean;
  /** The three reserved bits as a number. */
  readonly rsv?: number;
  /** Four bytes; absent: the frame is not masked. */
  readonly mask?: Buffer;
  /** 2 or 8: a length in more bytes than it needs. */
  readonly lengthBytes?: 2 | 8;
}

function lengthOf(length: number, wanted: 0 | 2 | 8): Buffer {
  if (wanted === 8 || length > 65_535) {
    const bytes = Buffer.alloc(9);
    bytes[0] = 127;
    bytes.writeBigUInt64BE(BigInt(length), 1);
    return bytes;
  }
  if (wanted === 0 && length < 126) return Buffer.from([length]);
  return Buffer.from([126, length >> 8, length & 0xff]);
}

export function frame(opcode: number, payload: Buffer | string = "", options: FrameOptions = {}): Buffer {
  const { fin = true, rsv = 0, mask, lengthBytes = 0 } = options;
  const content = Buffer.from(payload);
  const length = lengthOf(content.length, lengthBytes);
  length[0] = (length[0] ?? 0) | (mask === undefined ? 0 : 0x80);
  if (mask !== undefined) for (const [i, byte] of content.entries()) content[i] = byte ^ (mask[i % 4] ?? 0);
  return Buffer.concat([
    Buffer.from([(fin ? 0x80 : 0) | (rsv << 4) | opcode]),
    length,
    mask ?? Buffer.alloc(0),
    content,
  ]);
}

/** The payload of a close frame. */
export function closing(code: number, reason: Buffer | string = ""): Buffer {
  return Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
}

export interface ReadFrame {
  readonly fin: boolean;
  readonly rsv: number;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The complete unmasked frames at the start of `bytes`. */
export function framesIn(bytes: Buffer): ReadFrame[] {
  const frames: ReadFrame[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const first = bytes.readUInt8(at);
    const short = bytes.readUInt8(at + 1) & 0x7f;
    const extra = short === 127 ? 8 : short === 126 ? 2 : 0;
    if (at + 2 + extra > bytes.length) break;
    let length = short;
    if (extra === 2) length = bytes.readUInt16BE(at + 2);
    else if (extra === 8) length = Number(bytes.readBigUInt64BE(at + 2));
    const start = at + 2 + extra;
    if (start + length > bytes.length) break;
    const payload = bytes.subarray(start, start + length);
    frames.push({ fin: first >= 0x80, rsv: (first >> 4) & 7, opcode: first & 0xf, payload });
    at = start + length;
  }
  return frames;
}
