import {
  END_HEADERS,
  END_STREAM,
  ENHANCE_YOUR_CALM,
  HAS_PRIORITY,
  HEADERS,
  PADDED,
  PROTOCOL_ERROR,
  readUint31,
} from "./frame.ts";
import { type FrameReader } from "./frame-reader.ts";
import { type ConnectionError } from "./settings.ts";

/**
 * Bytes that a compressed block may be longer than the limit of its list. Blocks are seldom longer than their lists,
 * but the list's size is known only after decoding. @bound
 */
const EXTRA_BLOCK_BYTES = 16_384;
/** CONTINUATION frames of one field section (CVE-2024-27316). Peers that fill their frames need far fewer. */
const MAX_CONTINUATIONS = 64;

/** Assembles a field section from HEADERS and CONTINUATION frames (RFC 9113 §4.3, §6.2, §6.10). */
export class FieldSection {
  /** The block is not complete: only its next CONTINUATION may follow. */
  open = false;
  streamId = 0;
  endStream = false;
  /** The stream depends on itself, by its own HEADERS. That is a stream error once the block is decoded. */
  dependsOnItself = false;
  /** The range of the block in the frame that carried it, if that was the only one. */
  start = 0;
  end = 0;
  /** The block, if it arrived in several frames. */
  gathered: Buffer | undefined;
  readonly maxBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(maxHeaderListSize: number) {
    this.maxBytes = maxHeaderListSize + EXTRA_BLOCK_BYTES;
  }

  /** Takes a frame's payload. Returns the connection error that it causes, if any. */
  add(reader: FrameReader, bytes: Uint8Array, range: { start: number; end: number }): ConnectionError | undefined {
    const { type, flags, streamId } = reader;
    this.start = range.start;
    this.end = range.end;
    if (type === HEADERS) {
      this.streamId = streamId;
      this.endStream = (flags & END_STREAM) !== 0;
      this.gathered = undefined;
      const error = this.#unwrap(flags, bytes);
      if (error !== undefined) return error;
    } else if (!this.open) {
      return { code: PROTOCOL_ERROR, reason: "CONTINUATION without HEADERS" };
    }
    const isWhole = (flags & END_HEADERS) !== 0;
    if (isWhole && type === HEADERS) return undefined;
    return this.#gather(bytes, isWhole);
  }

  #unwrap(flags: number, bytes: Uint8Array): ConnectionError | undefined {
    this.dependsOnItself = false;
    if ((flags & PADDED) !== 0) {
      const padding = bytes[this.start] ?? 0;
      this.start++;
      this.end -= padding;
    }
    if ((flags & HAS_PRIORITY) !== 0) {
      this.dependsOnItself = readUint31(bytes, this.start) === this.streamId;
      this.start += 5;
    }
    if (this.end < this.start) return { code: PROTOCOL_ERROR, reason: "HEADERS shorter than its fixed fields" };
    return undefined;
  }

  #gather(bytes: Uint8Array, isWhole: boolean): ConnectionError | undefined {
    this.#parts.push(bytes.subarray(this.start, this.end));
    this.#length += this.end - this.start;
    if (this.#length > this.maxBytes || this.#parts.length > MAX_CONTINUATIONS) {
      return { code: ENHANCE_YOUR_CALM, reason: "the field section is too long" };
    }
    this.open = !isWhole;
    if (!isWhole) return undefined;
    this.gathered = Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return undefined;
  }
}
