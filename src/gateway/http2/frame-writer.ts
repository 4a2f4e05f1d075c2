import { type Fields } from "../../lib/http/fields.ts";
import { type Outgoing, sendBuffer } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { maxEncodedLength, TABLE_SIZE_ZERO, writeFields } from "./hpack/encoder.ts";
import { type PeerSettings } from "./settings.ts";

/**
 * Bytes for a frame's head, a change of the table's size, and fields whose length is limited: a status, a content length, a
 * request id, and the names of a request's pseudo-header fields.
 */
const OWN_FIELDS_ROOM = 256;

interface HeadFrame {
  readonly streamId: number;
  readonly endStream: boolean;
}

/** The fields of a head that precede the fields that are passed on. */
export interface HeadPrefix {
  /** Maximum number of bytes that `encode` writes beyond `OWN_FIELDS_ROOM`. */
  readonly room?: number;
  /** Writes compressed fields at the offset `at`. Returns the offset behind them. */
  encode(target: Buffer, at: number): number;
}

/** Bytes of a DATA frame, from `start` to `end` of the chunk. */
export interface DataRange {
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Writes the frames of one connection, usually straight into the send buffer. */
export class FrameWriter {
  readonly #out: Outgoing;
  readonly #peer: PeerSettings;
  #firstBlock = true;

  constructor(out: Outgoing, peer: PeerSettings) {
    this.#out = out;
    this.#peer = peer;
  }

  /** Writes a head: first the prefix, then `fields`. */
  head(frame: HeadFrame, fields: Fields, prefix: HeadPrefix): void {
    const room = OWN_FIELDS_ROOM + (prefix.room ?? 0) + maxEncodedLength(fields);
    const offset = this.#out.reserve(room);
    const target = offset === -1 ? Buffer.allocUnsafe(room) : sendBuffer;
    const from = Math.max(offset, 0);
    let at = from + f.FRAME_HEADER_BYTES;
    if (this.#firstBlock) target[at++] = TABLE_SIZE_ZERO;
    this.#firstBlock = false;
    at = writeFields(target, prefix.encode(target, at), fields);
    const length = at - from - f.FRAME_HEADER_BYTES;
    if (length > this.#peer.maxFrameSize) {
      this.#longHead(frame, Buffer.from(target.subarray(at - length, at)));
      return;
    }
    const flags = f.END_HEADERS | (frame.endStream ? f.END_STREAM : 0);
    f.writeFrameHead(target, from, length, { type: f.HEADERS, flags, streamId: frame.streamId });
    if (offset === -1) this.#out.bytes(target, 0, at);
    else this.#out.commit(at);
  }

  #longHead({ streamId, endStream }: HeadFrame, block: Buffer): void {
    const { maxFrameSize } = this.#peer;
    for (let at = 0; at < block.length; at += maxFrameSize) {
      const part = block.subarray(at, at + maxFrameSize);
      const isLast = at + part.length === block.length;
      const type = at === 0 ? f.HEADERS : f.CONTINUATION;
      const flags = (isLast ? f.END_HEADERS : 0) | (at === 0 && endStream ? f.END_STREAM : 0);
      this.frame({ type, flags, streamId }, part);
    }
  }

  trailers(streamId: number, trailers: Fields): void {
    this.head({ streamId, endStream: true }, trailers, NOTHING);
  }

  data(streamId: number, flags: number, { chunk, start, end }: DataRange): void {
    const length = end - start;
    const offset = this.#out.reserve(f.FRAME_HEADER_BYTES + length);
    if (offset === -1) {
      const head = Buffer.allocUnsafe(f.FRAME_HEADER_BYTES);
      f.writeFrameHead(head, 0, length, { type: f.DATA, flags, streamId });
      this.#out.bytes(head);
      this.#out.bytes(chunk, start, end);
      return;
    }
    const at = f.writeFrameHead(sendBuffer, offset, length, { type: f.DATA, flags, streamId });
    copyBytes.call(chunk, sendBuffer, at, start, end);
    this.#out.commit(at + length);
  }

  windowUpdate(streamId: number, by: number): void {
    if (by > 0) this.#out.bytes(f.numbersFrame({ type: f.WINDOW_UPDATE, flags: 0, streamId }, [by]));
  }

  goaway(lastStreamId: number, code: number, reason: string): void {
    this.#out.bytes(f.numbersFrame({ type: f.GOAWAY, flags: 0, streamId: 0 }, [lastStreamId, code], reason));
  }

  ping(): void {
    this.frame({ type: f.PING, flags: 0, streamId: 0 }, Buffer.alloc(8));
  }

  frame(head: f.FrameHead, payload: Uint8Array): void {
    this.#out.bytes(f.payloadFrame(head, payload));
  }

  reset(streamId: number, code: number): void {
    this.#out.bytes(f.numbersFrame({ type: f.RST_STREAM, flags: 0, streamId }, [code]));
  }
}

const NOTHING: HeadPrefix = { encode: (_target, at) => at };
const { copy: copyBytes } = Buffer.prototype;
