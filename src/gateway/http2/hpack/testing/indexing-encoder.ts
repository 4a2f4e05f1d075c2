import { writeInteger } from "../integer.ts";
import { STATIC_TABLE } from "../static-table.ts";
import { encodeHuffman } from "./huffman-encode.ts";

/**
 * The form in which a field is sent: by index if a table has it, or else as one of the three kinds of literals (RFC
 * 7541 §6.2).
 */
export type Representation = "indexed" | "incremental" | "without" | "never";

export interface SentField {
  readonly name: string;
  readonly value: string;
  readonly as: Representation;
  readonly huffman: boolean;
}

const LITERALS = {
  indexed: { pattern: 0x40, mask: 0x3f },
  incremental: { pattern: 0x40, mask: 0x3f },
  without: { pattern: 0x00, mask: 0x0f },
  never: { pattern: 0x10, mask: 0x0f },
} as const;

/** A simple encoder with a dynamic table, which is a list with its newest entry first. */
export class IndexingEncoder {
  readonly table: (readonly [name: string, value: string])[] = [];
  #limit: number;

  constructor(limit = 4096) {
    this.#limit = limit;
  }

  get size(): number {
    return this.table.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
  }

  resize(limit: number): Buffer {
    this.#limit = limit;
    this.#evict(limit);
    return integer(0x20, 0x1f, limit);
  }

  block(fields: readonly SentField[]): Buffer {
    return Buffer.concat(fields.map((field) => this.field(field)));
  }

  field({ name, value, as, huffman }: SentField): Buffer {
    const all = [...STATIC_TABLE, ...this.table];
    const match = all.findIndex((entry) => entry[0] === name && entry[1] === value);
    if (as === "indexed" && match !== -1) return integer(0x80, 0x7f, match + 1);
    const { pattern, mask } = LITERALS[as];
    const nameIndex = all.findIndex((entry) => entry[0] === name) + 1;
    const parts = [integer(pattern, mask, nameIndex)];
    if (nameIndex === 0) parts.push(text(name, huffman));
    parts.push(text(value, huffman));
    if (mask === 0x3f) this.#insert(name, value);
    return Buffer.concat(parts);
  }

  #insert(name: string, value: string): void {
    const size = name.length + value.length + 32;
    this.#evict(this.#limit - size);
    if (size <= this.#limit) this.table.unshift([name, value]);
  }

  #evict(room: number): void {
    while (this.size > room && this.table.length > 0) this.table.pop();
  }
}

export function integer(pattern: number, mask: number, value: number): Buffer {
  const bytes = Buffer.from([pattern, 0, 0, 0, 0, 0, 0]);
  return bytes.subarray(0, writeInteger(bytes, 0, mask, value));
}

export function text(value: string, huffman: boolean): Buffer {
  const bytes = huffman ? encodeHuffman(value) : Buffer.from(value, "latin1");
  return Buffer.concat([integer(huffman ? 0x80 : 0, 0x7f, bytes.length), bytes]);
}
