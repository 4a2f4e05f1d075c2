import { FakeWire } from "../../wire/testing/fake-wire.ts";
import { sendGathered } from "../../wire/outgoing.ts";
import { type Http2Connection } from "../connection.ts";
import * as f from "../frame.ts";
import { writeField } from "../hpack/encoder.ts";
import { type Frame, FrameLog } from "./frame-log.ts";

export type FieldList = readonly (readonly [name: string, value: string])[];

/** A peer without a socket. Its bytes reach the connection at once, and the connection's bytes are read as frames. */
export abstract class ScriptedPeer<T extends Http2Connection> {
  readonly wire = new FakeWire();
  readonly connection: T;
  readonly #log: FrameLog;

  /** The connection's frames begin behind `skip` bytes. */
  constructor(connect: (wire: FakeWire) => T, skip: number) {
    this.connection = connect(this.wire);
    this.wire.onClose = () => this.connection.onClose();
    this.#log = new FrameLog(this.wire, skip);
  }

  settings(settings: readonly (readonly [id: number, value: number])[]): void {
    const payload = Buffer.alloc(settings.length * 6);
    for (const [i, [id, value]] of settings.entries()) {
      payload.writeUInt16BE(id, i * 6);
      payload.writeUInt32BE(value, i * 6 + 2);
    }
    this.frame(f.SETTINGS, 0, 0, payload);
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

  head(streamId: number, flags: number, fields: FieldList): void {
    this.frame(f.HEADERS, flags | f.END_HEADERS, streamId, this.block(fields));
  }

  block(fields: FieldList): Buffer {
    const target = Buffer.alloc(100_000);
    let at = 0;
    for (const [name, value] of fields) at = writeField(target, at, name, value);
    return target.subarray(0, at);
  }

  data(streamId: number, flags: number, text: string | Uint8Array): void {
    this.frame(f.DATA, flags, streamId, Buffer.from(text));
  }

  /** The frames that arrived since the last call. */
  frames(): Frame[] {
    sendGathered();
    return this.#log.frames();
  }

  /** The frames that arrived since the last call, as text. */
  heard(): string[] {
    sendGathered();
    return this.#log.heard();
  }
}
