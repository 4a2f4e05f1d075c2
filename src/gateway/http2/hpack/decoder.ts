import { latin1Text } from "../../../lib/memory/latin1.ts";
import { DynamicTable } from "./dynamic-table.ts";
import { decodeHuffman } from "./huffman.ts";
import { IntegerReader } from "./integer.ts";
import { ENTRY_OVERHEAD, STATIC_TABLE } from "./static-table.ts";

/** Bytes of the dynamic table if no SETTINGS set another size (RFC 9113 §6.5.2). @bound */
const DEFAULT_TABLE_SIZE = 4096;
/**
 * Table size updates before a block's first field: the smallest size since the last block, and the current size (RFC
 * 7541 §4.2).
 */
const MAX_SIZE_UPDATES = 2;

const TRUNCATED_BLOCK = "the block ends within a field";
const BAD_INTEGER = "an integer is not whole or too large";
const BAD_INDEX = "an index is in neither table";

/** Takes the fields of a block one by one. `size` is the bytes of name and value, plus 32 (RFC 7541 §4.1). */
export interface FieldSink<T> {
  field(item: T, size: number): void;
}

/** Makes the caller's item from a field. Name and value are unchecked latin1 text. */
export type ItemMaker<T> = (name: string, value: string) => T;

/** The items of the static table. They are made once and serve all decoders. */
export function staticItems<T>(make: ItemMaker<T>): readonly T[] {
  return STATIC_TABLE.map(([name, value]) => make(name, value));
}

const STATIC_COUNT = STATIC_TABLE.length;
const STATIC_SIZES = Int32Array.from(STATIC_TABLE, ([name, value]) => name.length + value.length + ENTRY_OVERHEAD);

const integers = new IntegerReader();

/**
 * The header compression of one direction of a connection (RFC 7541). The table keeps the item that was made from a
 * field. A field sent by index therefore costs one look-up, and no text is built.
 */
export class HpackDecoder<T> {
  readonly #make: ItemMaker<T>;
  readonly #statics: readonly T[];
  readonly #table: DynamicTable<T>;
  /** The offset of the block's next byte. */
  #at = 0;
  #error = "";

  constructor(make: ItemMaker<T>, statics: readonly T[], maxTableSize = DEFAULT_TABLE_SIZE) {
    this.#make = make;
    this.#statics = statics;
    this.#table = new DynamicTable(maxTableSize);
  }

  /**
   * Decodes the whole block in the bytes from `start` to `end`. Returns an empty text, or the reason why the block is
   * broken. The table cannot be used after that (RFC 9113 §4.3: a connection error COMPRESSION_ERROR).
   */
  decode(block: Uint8Array, start: number, end: number, sink: FieldSink<T>): string {
    this.#error = "";
    this.#at = start;
    if (start < end && ((block[start] ?? 0) & 0xe0) === 0x20) this.#readSizeUpdates(block, end);
    while (this.#at < end && this.#error === "") {
      const first = block[this.#at] ?? 0;
      if (first > 0x80 && first <= 0x80 + STATIC_COUNT) {
        // The usual case: an index of the static table.
        const index = first - 0x81;
        this.#at++;
        // `statics` has an item for each index of the static table.
        sink.field(this.#statics[index] as T, STATIC_SIZES[index] ?? 0);
      } else if (first >= 0x80) this.#readIndexed(block, end, sink);
      else if (first >= 0x40) this.#readLiteral(block, end, 0x3f, sink);
      else if (first >= 0x20) this.#error = "a table size update is not at the start of its block";
      else this.#readLiteral(block, end, 0x0f, sink);
    }
    return this.#error;
  }

  /** RFC 7541 §6.1. */
  #readIndexed(block: Uint8Array, end: number, sink: FieldSink<T>): void {
    const index = this.#readInteger(block, end, 0x7f);
    // Index 0 is invalid. The indexes of the static table do not come here: each is one byte.
    const entry = index === 0 ? undefined : this.#table.get(index - STATIC_COUNT - 1);
    if (entry === undefined) this.#fail(BAD_INDEX);
    else sink.field(entry.item, entry.size);
  }

  /**
   * RFC 7541 §6.2: a prefix of six bits means incremental indexing. A prefix of four bits means without indexing, or
   * never indexed.
   */
  #readLiteral(block: Uint8Array, end: number, mask: number, sink: FieldSink<T>): void {
    const index = this.#readInteger(block, end, mask);
    const name = index === 0 ? this.#readText(block, end) : this.#nameAt(index);
    if (name === undefined) this.#fail(BAD_INDEX);
    const value = this.#error === "" ? this.#readText(block, end) : "";
    if (name === undefined || this.#error !== "") return;
    const item = this.#make(name, value);
    const size = name.length + value.length + ENTRY_OVERHEAD;
    if (mask === 0x3f) this.#table.insert(name, item, size);
    sink.field(item, size);
  }

  #nameAt(index: number): string | undefined {
    return index <= STATIC_COUNT ? STATIC_TABLE[index - 1]?.[0] : this.#table.get(index - STATIC_COUNT - 1)?.name;
  }

  /** RFC 7541 §5.2. */
  #readText(block: Uint8Array, end: number): string {
    const huffman = (block[this.#at] ?? 0) >= 0x80;
    const length = this.#readInteger(block, end, 0x7f);
    const start = this.#at;
    if (this.#error !== "") return "";
    if (length > end - start) {
      this.#fail(TRUNCATED_BLOCK);
      return "";
    }
    this.#at = start + length;
    if (!huffman) return latin1Text(block, start, start + length);
    const text = decodeHuffman(block, start, start + length);
    if (text === undefined) this.#fail("a Huffman-coded text holds EOS or is wrongly padded");
    return text ?? "";
  }

  #readSizeUpdates(block: Uint8Array, end: number): void {
    for (let updates = 0; updates < MAX_SIZE_UPDATES; updates++) {
      if (this.#at >= end || ((block[this.#at] ?? 0) & 0xe0) !== 0x20) return;
      const size = this.#readInteger(block, end, 0x1f);
      if (this.#error !== "") return;
      if (!this.#table.resize(size)) this.#fail("a table size update is above the agreed size");
    }
  }

  /** Returns 0, and sets an error, if there is no valid integer. */
  #readInteger(block: Uint8Array, end: number, mask: number): number {
    const value = integers.read(block, this.#at, end, mask);
    if (value < 0) {
      this.#fail(BAD_INTEGER);
      return 0;
    }
    this.#at = integers.next;
    return value;
  }

  /** Only the first error counts. */
  #fail(error: string): void {
    if (this.#error === "") this.#error = error;
  }
}
