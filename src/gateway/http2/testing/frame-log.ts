import { type FakeWire } from "../../wire/testing/fake-wire.ts";
import * as f from "../frame.ts";
import { HpackDecoder, staticItems } from "../hpack/decoder.ts";

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

const statics = staticItems((name, value) => `${name}: ${value}`);

/** Reads the bytes written to a wire as frames. */
export class FrameLog {
  readonly #wire: FakeWire;
  readonly #decoder = new HpackDecoder((name, value) => `${name}: ${value}`, statics);
  #read: number;

  /** The frames begin behind `skip` bytes. */
  constructor(wire: FakeWire, skip = 0) {
    this.#wire = wire;
    this.#read = skip;
  }

  /** The frames that arrived since the last call. */
  frames(): Frame[] {
    const frames: Frame[] = [];
    const { bytes } = this.#wire;
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

  /** The frames that arrived since the last call, as text. */
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
    const error = this.#decoder.decode(block, 0, block.length, { field: (item) => fields.push(item) });
    return error === "" ? fields.join(", ") : error;
  }
}
