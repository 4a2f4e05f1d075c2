import { randomBytes } from "node:crypto";
import { type Socket } from "node:net";
import { type CdpReader, type CdpWire, MessageParts } from "../program/cdp-wire.ts";

/**
 * Maximum number of bytes that wait for a peer that does not read. Beyond it, the connection is closed, and all its
 * pages end.
 */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

/** Maximum number of bytes of a control frame's payload; a longer one is an error (RFC 6455 §5.5). */
const MAX_CONTROL_BYTES = 125;
/** Bytes of the shortest frame header (RFC 6455 §5.2). */
const SHORT_HEADER = 2;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

const OPCODES = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;
const FIN = 0x80;
const RESERVED_OR_OPCODE_BITS = 0x7f;
const MASKED = 0x80;

interface FrameHeader {
  readonly fin: boolean;
  readonly opcode: number;
  readonly length: number;
  /** Bytes of the header itself. */
  readonly size: number;
}

/**
 * The client's end of a WebSocket (RFC 6455) without extensions, after its handshake. Text messages carry the DevTools
 * protocol; anything else that is not a control frame closes the connection.
 */
export class WebSocketWire implements CdpWire {
  readonly #socket: Socket;
  #reader: CdpReader | undefined;
  #parts: MessageParts | undefined;
  /** Received bytes that are not a whole header, or not a whole control frame. */
  #held: Buffer = Buffer.alloc(0);
  /** Bytes of the current data frame that have not arrived. */
  #left = 0;
  #fin = true;
  #inMessage = false;
  #closed = false;

  /** `rest`: bytes that arrived after the handshake's response. */
  constructor(socket: Socket, rest: Buffer) {
    this.#socket = socket;
    this.#held = rest;
  }

  read(reader: CdpReader): void {
    this.#reader = reader;
    this.#parts = new MessageParts(reader);
    this.#socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    this.#socket.on("error", () => this.destroy());
    this.#socket.on("close", () => this.destroy());
    this.#onData(Buffer.alloc(0));
    this.#socket.resume();
  }

  write(text: string): void {
    this.#send(OPCODES.text, Buffer.from(text));
  }

  destroy(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#held = Buffer.alloc(0);
    this.#socket.destroy();
    this.#reader?.closed();
  }

  #onData(chunk: Buffer): void {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (bytes.length > 0 && !this.#closed) {
      const used = this.#left > 0 ? this.#takePayload(bytes) : this.#takeFrame(bytes);
      if (used === 0) break;
      bytes = bytes.subarray(used);
    }
    if (!this.#closed) this.#held = bytes;
  }

  /** Returns how many bytes it took: 0 if more are needed. */
  #takeFrame(bytes: Buffer): number {
    const header = headerOf(bytes);
    if (header === undefined) return 0;
    const { opcode, length, size, fin } = header;
    if (opcode >= OPCODES.close) {
      if (!fin || length > MAX_CONTROL_BYTES) return this.#fail();
      if (bytes.length < size + length) return 0;
      this.#onControl(opcode, bytes.subarray(size, size + length));
      return size + length;
    }
    if (opcode !== (this.#inMessage ? OPCODES.continuation : OPCODES.text)) return this.#fail();
    this.#inMessage = true;
    this.#fin = fin;
    this.#left = length;
    if (length === 0) this.#endFrame();
    return size;
  }

  #takePayload(bytes: Buffer): number {
    const taken = Math.min(this.#left, bytes.length);
    this.#parts?.keep(bytes.subarray(0, taken));
    this.#left -= taken;
    if (this.#left === 0) this.#endFrame();
    return taken;
  }

  #endFrame(): void {
    if (!this.#fin) return;
    this.#inMessage = false;
    this.#parts?.finish();
  }

  #onControl(opcode: number, payload: Buffer): void {
    if (opcode === OPCODES.ping) this.#send(OPCODES.pong, payload);
    else if (opcode !== OPCODES.pong) this.destroy();
  }

  #fail(): number {
    this.destroy();
    return 0;
  }

  #send(opcode: number, payload: Buffer): void {
    if (this.#closed) return;
    this.#socket.write(frameOf(opcode, payload));
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.destroy();
  }
}

/** Undefined if the header is not complete. A header that breaks the protocol gets the opcode of a closing frame. */
function headerOf(bytes: Buffer): FrameHeader | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const opcode = first & RESERVED_OR_OPCODE_BITS;
  const fin = (first & FIN) !== 0;
  // A server never masks. The bits between FIN and opcode belong to extensions, and none was agreed on.
  if ((second & MASKED) !== 0 || opcode > OPCODES.pong) return { fin: true, opcode: OPCODES.close, length: 0, size: 2 };
  if (second < LENGTH_16) return { fin, opcode, length: second, size: SHORT_HEADER };
  const extra = second === LENGTH_64 ? 8 : 2;
  if (bytes.length < SHORT_HEADER + extra) return undefined;
  const length = extra === 2 ? bytes.readUInt16BE(SHORT_HEADER) : Number(bytes.readBigUInt64BE(SHORT_HEADER));
  return { fin, opcode, length, size: SHORT_HEADER + extra };
}

/** A frame of a client: whole messages, each masked (RFC 6455 §5.3). */
function frameOf(opcode: number, payload: Buffer, mask = randomBytes(4)): Buffer {
  const extra = payload.length < LENGTH_16 ? 0 : payload.length < 0x1_00_00 ? 2 : 8;
  const frame = Buffer.allocUnsafe(SHORT_HEADER + extra + mask.length + payload.length);
  frame[0] = FIN | opcode;
  frame[1] = MASKED | (extra === 0 ? payload.length : extra === 2 ? LENGTH_16 : LENGTH_64);
  if (extra === 2) frame.writeUInt16BE(payload.length, SHORT_HEADER);
  else if (extra === 8) frame.writeBigUInt64BE(BigInt(payload.length), SHORT_HEADER);
  mask.copy(frame, SHORT_HEADER + extra);
  const start = SHORT_HEADER + extra + mask.length;
  for (let i = 0; i < payload.length; i++) frame[start + i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
  return frame;
}
