/** Builds the bytes of a module. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  u32(value: number): this {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return this.byte(rest);
  }

  /** A signed LEB128 number of 32 bits. */
  s32(value: number): this {
    let rest = value | 0;
    while (rest < -0x40 || rest > 0x3f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    return this.byte(rest & 0x7f);
  }

  raw(bytes: ArrayLike<number>): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  sized(bytes: Uint8Array): this {
    return this.u32(bytes.length).raw(bytes);
  }

  name(text: string): this {
    return this.sized(new TextEncoder().encode(text));
  }

  /** The bytes written so far; valid until the next write. */
  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
