/** The parts of a Zstandard stream (RFC 8878 §3.1). */
type Part = "magic" | "descriptor" | "header" | "block" | "content" | "checksum" | "skip-size" | "skip";

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const SKIPPABLE_MASK = 0xfffffff0;

/**
 * Follows the frames and blocks of a Zstandard stream without decoding them. It detects a stream that was cut
 * off, which the library treats as one that has ended.
 *
 *     magic ─▶ descriptor ─▶ header ─▶ block ─▶ content ─▶ block … ─▶ checksum ─▶ magic
 *        └──▶ skip-size ─▶ skip ─▶ magic
 */
export class ZstdFrames {
  #part: Part = "magic";
  /** Remaining bytes of the present part. */
  #left = 4;
  /** The bytes of the part so far as a little-endian number. */
  #value = 0;
  #taken = 0;
  #checksum = false;
  #last = false;
  #frames = 0;

  /** True if the stream may end here, after a frame. */
  get complete(): boolean {
    return this.#part === "magic" && this.#taken === 0 && this.#frames > 0;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#part === "content" || this.#part === "skip" || this.#part === "header" || this.#part === "checksum") {
        const step = Math.min(this.#left, bytes.length - at);
        at += step;
        this.#left -= step;
      } else {
        // Numbers have four bytes at most.
        this.#value += (bytes[at] ?? 0) * 2 ** (8 * this.#taken);
        this.#taken += 1;
        this.#left -= 1;
        at += 1;
      }
      while (this.#left === 0) this.#next();
    }
  }

  #go(part: Part, length: number): void {
    this.#part = part;
    this.#left = length;
    this.#value = 0;
    this.#taken = 0;
  }

  /** If the next part has no bytes, it calls itself again. */
  #next(): void {
    const value = this.#value;
    switch (this.#part) {
      case "magic":
        // A part that is not a frame is left to the library, which rejects it.
        if (value === MAGIC) this.#go("descriptor", 1);
        else if ((value & SKIPPABLE_MASK) >>> 0 === SKIPPABLE) this.#go("skip-size", 4);
        else this.#go("skip", Infinity);
        return;
      case "descriptor":
        this.#checksum = (value & 4) !== 0;
        return this.#go("header", headerLength(value));
      case "header":
        return this.#go("block", 3);
      case "block": {
        this.#last = (value & 1) === 1;
        // An RLE block has one byte, whatever its decoded length.
        return this.#go("content", ((value >> 1) & 3) === 1 ? 1 : value >> 3);
      }
      case "content":
        if (!this.#last) this.#go("block", 3);
        else if (this.#checksum) this.#go("checksum", 4);
        else this.#end();
        return;
      case "skip-size":
        return this.#go("skip", value);
      case "checksum":
      case "skip":
        this.#end();
    }
  }

  #end(): void {
    this.#frames += 1;
    this.#go("magic", 4);
  }
}

/** Bytes of the frame header after its descriptor: window, dictionary id and content size (§3.1.1.1). */
function headerLength(descriptor: number): number {
  const single = (descriptor & 32) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const size = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return (single ? 0 : 1) + dictionary + size;
}
