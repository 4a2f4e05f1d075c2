import { createHash } from "node:crypto";

/** Bytes that are stored of each of a name's two parts: see `fittedName`. */
const MAX_PART_BYTES = 256;
/** Hex digits that distinguish two long names with the same beginning. */
const HASH_DIGITS = 16;
/** Separates the beginning of a long name from its hash; 3 bytes. */
const CUT = "…";
/** Rows that are searched for a name after its first choice. */
const MAX_PROBES = 32;
/** Hash, lengths, and the two parts. */
const ROW_BYTES = 16 + 2 * MAX_PART_BYTES;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A name of two parts, for example a consumer and a route. */
export interface PairName {
  readonly first: string;
  readonly second: string;
}

/**
 * A part of a name in the form in which it is stored. Databases accept it: it has no NUL and at most `MAX_PART_BYTES`.
 * A longer text is cut off between characters and gets a hash of the whole text, so that it is the same in every
 * process and differs from others.
 */
export function fittedName(text: string): string {
  const name = text.toWellFormed().replaceAll("\0", "\ufffd");
  // A UTF-16 unit has at most 3 bytes in UTF-8.
  if (name.length * 3 <= MAX_PART_BYTES || Buffer.byteLength(name) <= MAX_PART_BYTES) return name;
  const kept = new Uint8Array(MAX_PART_BYTES - CUT.length * 3 - HASH_DIGITS);
  const { written } = encoder.encodeInto(name, kept);
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_DIGITS);
  return decoder.decode(kept.subarray(0, written)) + CUT + hash;
}

/** Bytes of memory for `rows` names. */
export function nameBytes(rows: number): number {
  return rows * ROW_BYTES;
}

/**
 * Numbers for names, the same in all processes. A name keeps its number until the rows are freed. Row 0 belongs to
 * no name: all names without a row of their own share it.
 *
 * The first bytes of row 0 count the writes, so that readers look for names only if there may be new ones.
 *
 *   row: │ 64 bits of the name's SHA-256; 0: free │ lengths of both parts; 0: not written yet │ first │ second │
 *
 * A row is taken by one compare-and-exchange of its hash. Every process writes the name before it uses the row for the
 * first time. All of them write the same bytes, so a process may die before it has written them.
 */
export class SharedNames {
  readonly #rows: number;
  readonly #memory: Uint8Array;
  readonly #hashes: BigInt64Array;
  readonly #lengths: Int32Array;

  /** `memory` has `nameBytes(rows)` bytes, zeros at first. */
  constructor(memory: Uint8Array, rows: number) {
    this.#rows = rows;
    this.#memory = memory;
    this.#hashes = new BigInt64Array(memory.buffer, memory.byteOffset, memory.byteLength / 8);
    this.#lengths = new Int32Array(memory.buffer, memory.byteOffset, memory.byteLength / 4);
  }

  /** Changes whenever a name may have been written. Read it before the names. */
  get generation(): number {
    return Atomics.load(this.#lengths, 0);
  }

  /** Frees all rows. A name that another process writes meanwhile may stay. */
  clear(): void {
    this.#memory.fill(0, ROW_BYTES);
    Atomics.add(this.#lengths, 0, 1);
  }

  /** The row of a name; 0 if no row is left. Not for every request: it computes a hash. */
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

  nameOf(row: number): PairName | undefined {
    const lengths = Atomics.load(this.#lengths, (row * ROW_BYTES + 8) / 4);
    if (row === 0 || lengths === 0) return undefined;
    const start = row * ROW_BYTES + 16;
    const part = (at: number, length: number): string => decoder.decode(this.#memory.slice(at, at + length));
    // The stored length is one more, to distinguish a name of two empty parts from a free row.
    const firstLength = (lengths & 0xffff) - 1;
    return { first: part(start, firstLength), second: part(start + MAX_PART_BYTES, lengths >>> 16) };
  }

  #write(row: number, { first, second }: PairName): void {
    const start = row * ROW_BYTES + 16;
    const put = (text: string, at: number): number =>
      encoder.encodeInto(fittedName(text), this.#memory.subarray(at, at + MAX_PART_BYTES)).written;
    const lengths = (put(first, start) + 1) | (put(second, start + MAX_PART_BYTES) << 16);
    Atomics.store(this.#lengths, (row * ROW_BYTES + 8) / 4, lengths);
    // This comes after the name. A process that dies in between has counted nothing under the name.
    Atomics.add(this.#lengths, 0, 1);
  }
}
