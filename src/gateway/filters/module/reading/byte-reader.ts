import { ModuleRefused } from "./refused.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a module's bytes from start to end. Throws ModuleRefused if they end too early or are invalid. */
export class ByteReader {
  readonly bytes: Uint8Array;
  offset: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.offset = start;
    this.#end = end;
  }

  byte(): number {
    if (this.offset >= this.#end) throw this.truncated(this.offset);
    // In bounds: checked above.
    return this.bytes[this.offset++] as number;
  }

  skip(count: number): void {
    if (count > this.#end - this.offset) throw this.truncated(this.offset);
    this.offset += count;
  }

  /** An unsigned LEB128 number of 32 bits. */
  u32(): number {
    const start = this.offset;
    let byte = this.byte();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    byte = this.byte();
    if (byte > 0x0f) throw new ModuleRefused("a number has more than 32 bits", start);
    return (value | (byte << 28)) >>> 0;
  }

  /** A signed LEB128 number of 33 bits: a heap type or a block type. Exact, since doubles hold 53 bits. */
  s33(): number {
    const start = this.offset;
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 5; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      factor *= 128;
      if (byte >= 0x80) continue;
      this.#checkSign(byte, i, 33, start);
      return byte & 0x40 ? value - factor : value;
    }
    throw new ModuleRefused("a number has more than 33 bits", start);
  }

  /** Skips a signed LEB128 number of 32 or 64 bits. */
  skipSigned(bits: 32 | 64): void {
    const start = this.offset;
    const most = Math.ceil(bits / 7);
    for (let i = 0; i < most; i++) {
      const byte = this.byte();
      if (byte >= 0x80) continue;
      this.#checkSign(byte, i, bits, start);
      return;
    }
    throw new ModuleRefused(`a number has more than ${bits} bits`, start);
  }

  /** The unused bits of the last byte must all repeat the sign. */
  #checkSign(last: number, index: number, bits: number, start: number): void {
    const used = bits - 7 * index;
    if (used >= 7) return;
    const rest = (last & 0x7f) >> (used - 1);
    if (rest === 0 || rest === 0x7f >> (used - 1)) return;
    throw new ModuleRefused(`a number has more than ${bits} bits`, start);
  }

  /** The number of entries that follow. Each takes at least one byte, so a larger number is invalid. */
  count(what: string): number {
    const start = this.offset;
    const count = this.u32();
    if (count > this.#end - this.offset) {
      throw new ModuleRefused(`${count} ${what} are announced, and ${this.#end - this.offset} bytes follow`, start);
    }
    return count;
  }

  name(): string {
    const start = this.offset;
    const length = this.u32();
    if (length > this.#end - this.offset) throw this.truncated(start);
    this.offset += length;
    try {
      return UTF8.decode(this.bytes.subarray(this.offset - length, this.offset));
    } catch {
      throw new ModuleRefused("a name is not UTF-8", start);
    }
  }

  truncated(offset: number): ModuleRefused {
    return new ModuleRefused(
      this.#end === this.bytes.length ? "the file ends too early" : "a section or function ends too early",
      offset,
    );
  }
}
