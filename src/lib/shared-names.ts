import { createHash } from "node:crypto";

/** Bytes of each of a name's two parts that are kept: see `fittedName`. */
const MAX_PART_BYTES = 256;
/** Hex digits that tell two long names apart which begin alike. */
const HASH_DIGITS = 16;
/** What stands between the beginning of a long name and its hash; 3 bytes. */
const CUT = "…";
/** Rows after the first choice at which a name is looked for. */
const MAX_PROBES = 32;
/** Hash, lengths, and the two parts. */
const ROW_BYTES = 16 + 2 * MAX_PART_BYTES;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A name of two parts, such as who asks and for what. */
export interface PairName {
  readonly first: string;
  readonly second: string;
}

/**
 * A part of a name as it is kept, and as databases take it: without NUL, and of `MAX_PART_BYTES` at most. What is longer is cut off
 * between characters and gets a hash of the whole, so that it is the same in every process and differs from others.
 */
export function fittedName(text: string): string {
  const name = text.toWellFormed().replaceAll("\0", "\ufffd");
  // No character has more bytes in UTF-8.
  if (name.length * 3 <= MAX_PART_BYTES || Buffer.byteLength(name) <= MAX_PART_BYTES) return name;
  const kept = new Uint8Array(MAX_PART_BYTES - CUT.length * 3 - HASH_DIGITS);
  const { written } = encoder.encodeInto(name, kept);
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_DIGITS);
  return decoder.decode(kept.subarray(0, written)) + CUT + hash;
}

/** What `rows` names take. */
export function nameBytes(rows: number): number {
  return rows * ROW_BYTES;
}

/**
 * Names that all processes give the same numbers, which they keep for as long as the memory lasts. Row 0 is nobody's: it stands
 * for all that find no row.
 *
 * The first bytes of row 0 count what was written, so that readers look for names only when there are new ones.
 *
 *   row: │ 64 bits of the name's SHA-256; 0: free │ lengths of both parts; 0: not written yet │ first │ second │
 *
 * A row is taken by one compare-and-exchange of its hash, and every process writes the name before it uses the row for the
 * first time: all write the same, so it does no harm that one dies before it has.
 */
export class SharedNames {
  readonly #rows: number;
  readonly #memory: Uint8Array;
  readonly #hashes: BigInt64Array;
  readonly #lengths: Int32Array;

  /** `memory` has `nameBytes(rows)`, zeros at first. */
  constructor(memory: Uint8Array, rows: number) {
    this.#rows = rows;
    this.#memory = memory;
    this.#hashes = new BigInt64Array(memory.buffer, memory.byteOffset, memory.byteLength / 8);
    this.#lengths = new Int32Array(memory.buffer, memory.byteOffset, memory.byteLength / 4);
  }

  /** Another number whenever a name may have been written since; read it before the names. */
  get generation(): number {
    return Atomics.load(this.#lengths, 0);
  }

  /** The row of a name; 0 where there is none left. Not for every request: it hashes. */
  rowOf(name: PairName): number {
    const digest = createHash("sha256")
      .update(JSON.stringify([name.first, name.second]))
      .digest();
    const hash = digest.readBigInt64LE(0) || 1n;
    const start = digest.readUInt32LE(8);
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const row = 1 + ((start + probe) % (this.#rows - 1));
      const seen = Atomics.compareExchange(this.#hashes, (row * ROW_BYTES) / 8, 0n, hash);
      if (seen !== 0n && seen !== hash) continue;
      this.#write(row, name);
      return row;
    }
    return 0;
  }

  /** The name of a row; undefined where it has none. */
  nameOf(row: number): PairName | undefined {
    const lengths = Atomics.load(this.#lengths, (row * ROW_BYTES + 8) / 4);
    if (row === 0 || lengths === 0) return undefined;
    const start = row * ROW_BYTES + 16;
    const part = (at: number, length: number): string => decoder.decode(this.#memory.slice(at, at + length));
    // One is added to the lengths, so that the name of two empty parts is told from none.
    const firstLength = (lengths & 0xffff) - 1;
    return { first: part(start, firstLength), second: part(start + MAX_PART_BYTES, lengths >>> 16) };
  }

  #write(row: number, { first, second }: PairName): void {
    const start = row * ROW_BYTES + 16;
    const put = (text: string, at: number): number =>
      encoder.encodeInto(fittedName(text), this.#memory.subarray(at, at + MAX_PART_BYTES)).written;
    const lengths = (put(first, start) + 1) | (put(second, start + MAX_PART_BYTES) << 16);
    Atomics.store(this.#lengths, (row * ROW_BYTES + 8) / 4, lengths);
    // After the name: a process that dies in between has counted nothing under it.
    Atomics.add(this.#lengths, 0, 1);
  }
}
