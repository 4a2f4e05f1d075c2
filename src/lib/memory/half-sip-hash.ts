import { isAscii } from "./latin1.ts";

/**
 * HalfSipHash-2-4 with 64 bits of output (Aumasson, Bernstein: "SipHash: a fast short-input PRF"; the variant on 32-bit
 * words of the reference implementation). Without the key, an attacker cannot choose inputs that collide. Fast hashes
 * with a public seed do not ensure this. The result is in `low` and `high`, because a pair would need a new object for
 * each look-up.
 */
export class HalfSipHash {
  /** The first and the last four bytes of the output, as signed integers. */
  low = 0;
  high = 0;
  readonly #key0: number;
  readonly #key1: number;
  #v0 = 0;
  #v1 = 0;
  #v2 = 0;
  #v3 = 0;

  constructor(key0: number, key1: number) {
    this.#key0 = key0;
    this.#key1 = key1;
  }

  /** Hashes two words and then the text in UTF-8. */
  hash(word0: number, word1: number, text: string): void {
    const bytes = isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
    this.#v0 = this.#key0;
    this.#v1 = this.#key1 ^ 0xee;
    this.#v2 = 0x6c796765 ^ this.#key0;
    this.#v3 = 0x74656462 ^ this.#key1;
    this.#absorb(word0);
    this.#absorb(word1);
    const { length } = bytes;
    let at = 0;
    for (; at + 4 <= length; at += 4) this.#absorb(wordOf(bytes, at, 4));
    this.#absorb(wordOf(bytes, at, length - at) | ((length + 8) << 24));
    this.#v2 ^= 0xee;
    for (let i = 0; i < 4; i++) this.#round();
    this.low = this.#v1 ^ this.#v3;
    this.#v1 ^= 0xdd;
    for (let i = 0; i < 4; i++) this.#round();
    this.high = this.#v1 ^ this.#v3;
  }

  #absorb(word: number): void {
    this.#v3 ^= word;
    this.#round();
    this.#round();
    this.#v0 ^= word;
  }

  #round(): void {
    let v0 = (this.#v0 + this.#v1) | 0;
    let v1 = rotate(this.#v1, 5) ^ v0;
    v0 = rotate(v0, 16);
    let v2 = (this.#v2 + this.#v3) | 0;
    let v3 = rotate(this.#v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotate(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotate(v1, 13) ^ v2;
    v2 = rotate(v2, 16);
    this.#v0 = v0;
    this.#v1 = v1;
    this.#v2 = v2;
    this.#v3 = v3;
  }
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Up to four bytes, the first one lowest. */
function wordOf(bytes: string, start: number, count: number): number {
  let word = 0;
  for (let i = 0; i < count; i++) word |= bytes.charCodeAt(start + i) << (8 * i);
  return word;
}

/** A hash with a random key of 8 bytes in shared memory, which the first caller chooses for all. */
export function sharedHash(key: BigInt64Array): HalfSipHash {
  const chosen = new BigInt64Array(1);
  crypto.getRandomValues(chosen);
  Atomics.compareExchange(key, 0, 0n, (chosen[0] ?? 0n) | 1n);
  chosen[0] = Atomics.load(key, 0);
  const [key0 = 0, key1 = 0] = new Int32Array(chosen.buffer);
  return new HalfSipHash(key0, key1);
}
