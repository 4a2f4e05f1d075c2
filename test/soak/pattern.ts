/** Bodies whose bytes follow from a seed and an offset, so that a lost, repeated or foreign byte is found. */
import { Random } from "../fuzz/random.ts";

const TABLE_BYTES = 65_521;
const TABLE = Buffer.alloc(TABLE_BYTES * 2);
const random = new Random(1);
for (let i = 0; i < TABLE_BYTES; i++) TABLE[i] = random.below(256);
TABLE.copyWithin(TABLE_BYTES, 0, TABLE_BYTES);

/** Up to 64 KiB of the body with this seed, from `at` on. */
function piece(seed: number, at: number, length: number): Buffer {
  const from = (seed * 7919 + at) % TABLE_BYTES;
  return TABLE.subarray(from, from + Math.min(length, TABLE_BYTES));
}

export function bodyOf(seed: number, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < size; ) {
    const part = piece(seed, at, size - at);
    parts.push(part);
    at += part.length;
  }
  return Buffer.concat(parts);
}

/** Compares a body with the expected one, chunk by chunk. */
export class BodyCheck {
  received = 0;
  readonly #seed: number;
  readonly #size: number;

  constructor(seed: number, size: number) {
    this.#seed = seed;
    this.#size = size;
  }

  take(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const wanted = piece(this.#seed, this.received, chunk.length - at);
      const got = chunk.subarray(at, at + wanted.length);
      if (wanted.compare(got) !== 0) {
        const off = got.findIndex((byte, i) => byte !== wanted[i]);
        throw new Error(`byte ${this.received + off} of body ${this.#seed} is wrong`);
      }
      this.received += wanted.length;
      at += wanted.length;
    }
  }

  end(): void {
    if (this.received !== this.#size) throw new Error(`${this.received} bytes came of ${this.#size}`);
  }
}
