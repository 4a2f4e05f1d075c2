import { TimerWheel } from "../../../lib/timer-wheel.ts";
import { BufferPool } from "../../../lib/buffer-pool.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { type AnsweredRequest, type Exchange } from "../../exchange.ts";
import { type ServerHost, type ServerSettings } from "../../server-host.ts";
import { FakeWire } from "../../wire/testing/fake-wire.ts";
import * as f from "../frame.ts";
import { HpackDecoder, staticItems } from "../hpack/decoder.ts";
import { writeField } from "../hpack/encoder.ts";
import { Http2ServerConnection } from "../server-connection.ts";

export const SETTINGS: ServerSettings = {
  maxHeaderBytes: 32_768,
  maxHeaderCount: 100,
  maxBodyBytes: 1_000_000,
  idleMs: 60_000,
  headerMs: 10_000,
  bodyMs: 30_000,
  writeMs: 20_000,
  http2: { maxStreams: 10, maxHeaderListSize: 8192, initialWindowSize: 65_535, maxFrameSize: 16_384 },
};

export class Host implements ServerHost {
  readonly clock = new FakeClock();
  readonly wheel = new TimerWheel(this.clock);
  readonly buffers = new BufferPool({ bufferSize: 65_536, bufferCount: 4096, reserve: 0 });
  readonly scheme = "https";
  readonly exchanges: Exchange[] = [];
  readonly refusals: AnsweredRequest[] = [];
  closedCount = 0;
  current: ServerSettings = SETTINGS;
  onExchange: (exchange: Exchange) => void = () => {};
  settings(): ServerSettings {
    return this.current;
  }
  draining(): boolean {
    return false;
  }
  handle(exchange: Exchange): void {
    this.exchanges.push(exchange);
    this.onExchange(exchange);
  }
  refused(request: AnsweredRequest): void {
    this.refusals.push(request);
  }
  closed(): void {
    this.closedCount++;
  }
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

const statics = staticItems((name, value) => `${name}: ${value}`);

export const GET: readonly (readonly [string, string])[] = [
  [":method", "GET"],
  [":scheme", "https"],
  [":authority", "example.com"],
  [":path", "/"],
];
export const POST: readonly (readonly [string, string])[] = [[":method", "POST"], ...GET.slice(1)];

/** A client without a socket: what it sends reaches the connection at once, what the connection sends is read as frames. */
export class ScriptedClient {
  readonly host: Host;
  readonly wire = new FakeWire();
  readonly connection: Http2ServerConnection;
  readonly #decoder = new HpackDecoder((name, value) => `${name}: ${value}`, statics);
  #read = 0;

  constructor(host = new Host()) {
    this.host = host;
    this.connection = new Http2ServerConnection(this.wire, host);
    this.wire.onClose = () => this.connection.onClose();
  }

  /** Sends the preface and SETTINGS, and forgets what the server says to that. */
  begin(settings: readonly (readonly [number, number])[] = []): this {
    this.bytes(f.PREFACE);
    const payload = Buffer.alloc(settings.length * 6);
    for (const [i, [id, value]] of settings.entries()) {
      payload.writeUInt16BE(id, i * 6);
      payload.writeUInt32BE(value, i * 6 + 2);
    }
    this.frame(f.SETTINGS, 0, 0, payload);
    this.frame(f.SETTINGS, f.ACK, 0);
    this.frames();
    return this;
  }

  bytes(bytes: Uint8Array): void {
    this.connection.onData(Buffer.from(bytes));
  }

  frame(type: number, flags: number, streamId: number, payload: Uint8Array = Buffer.alloc(0)): void {
    this.bytes(f.payloadFrame({ type, flags, streamId }, payload));
  }

  numbers(type: number, streamId: number, ...numbers: number[]): void {
    this.bytes(f.numbersFrame({ type, flags: 0, streamId }, numbers));
  }

  head(streamId: number, flags: number, fields: readonly (readonly [string, string])[]): void {
    this.frame(f.HEADERS, flags | f.END_HEADERS, streamId, this.block(fields));
  }

  block(fields: readonly (readonly [string, string])[]): Buffer {
    const target = Buffer.alloc(100_000);
    let at = 0;
    for (const [name, value] of fields) at = writeField(target, at, name, value);
    return target.subarray(0, at);
  }

  data(streamId: number, flags: number, text: string | Uint8Array): void {
    this.frame(f.DATA, flags, streamId, Buffer.from(text));
  }

  /** The frames that came since the last call. */
  frames(): Frame[] {
    const frames: Frame[] = [];
    const { bytes } = this.wire;
    while (bytes.length >= this.#read + f.FRAME_HEADER_BYTES) {
      const length = bytes.readUIntBE(this.#read, 3);
      const end = this.#read + f.FRAME_HEADER_BYTES + length;
      if (end > bytes.length) break;
      frames.push({
        type: bytes[this.#read + 3] ?? 0,
        flags: bytes[this.#read + 4] ?? 0,
        streamId: bytes.readUInt32BE(this.#read + 5),
        payload: bytes.subarray(this.#read + f.FRAME_HEADER_BYTES, end),
      });
      this.#read = end;
    }
    return frames;
  }

  /** The frames that came, in words. */
  heard(): string[] {
    return this.frames().map((frame) => this.#describe(frame));
  }

  #describe({ type, flags, streamId, payload }: Frame): string {
    const end = (flags & f.END_STREAM) !== 0 ? " end" : "";
    switch (type) {
      case f.DATA:
        return `DATA ${streamId} ${payload.length > 40 ? payload.length : JSON.stringify(payload.toString())}${end}`;
      case f.HEADERS:
        return `HEADERS ${streamId} ${this.#fields(payload)}${end}`;
      case f.RST_STREAM:
        return `RST_STREAM ${streamId} ${payload.readUInt32BE(0)}`;
      case f.GOAWAY:
        return `GOAWAY ${payload.readUInt32BE(0)} ${payload.readUInt32BE(4)}`;
      case f.WINDOW_UPDATE:
        return `WINDOW_UPDATE ${streamId} ${payload.readUInt32BE(0)}`;
      default:
        return `${["", "", "PRIORITY", "", "SETTINGS", "", "PING", "", "", "CONTINUATION"][type]} ${flags}`;
    }
  }

  #fields(block: Buffer): string {
    const fields: string[] = [];
    const fault = this.#decoder.decode(block, 0, block.length, { field: (item) => fields.push(item) });
    return fault === "" ? fields.join(", ") : fault;
  }
}
