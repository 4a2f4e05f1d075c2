import { type GuestMemory } from "../../module/guest-memory.ts";
import { MAX_MAP_BYTES, MAX_MAP_PAIRS } from "../../module/proxy-wasm-bounds.ts";

/** A name and a value, as latin1 text. */
export type Pair = readonly [name: string, value: string];

function word(value: number): string {
  return String.fromCharCode(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}

/**
 * Encodes a list of fields for filters, in latin1: the number of fields, the lengths of each name and value, then all
 * of them, each with a NUL after it. Numbers have 4 bytes, the lowest first.
 */
export function encodePairs(pairs: readonly Pair[]): string {
  let lengths = word(pairs.length);
  let texts = "";
  for (const [name, value] of pairs) {
    lengths += word(name.length) + word(value.length);
    texts += `${name}\0${value}\0`;
  }
  return lengths + texts;
}

/** Reads a filter's list. Undefined if malformed or beyond the bounds. Zero bytes are an empty list. */
export function decodePairs(memory: GuestMemory, start: number, size: number): Pair[] | undefined {
  memory.check(start, size);
  if (size > MAX_MAP_BYTES) return undefined;
  if (size < 4) return [];
  const count = memory.u32(start);
  const header = 4 + 8 * count;
  if (count > MAX_MAP_PAIRS || header > size) return undefined;
  const pairs: Pair[] = [];
  let at = start + header;
  for (let i = 0; i < count; i++) {
    const nameLength = memory.u32(start + 4 + 8 * i);
    const valueLength = memory.u32(start + 8 + 8 * i);
    if (at - start + nameLength + valueLength + 2 > size) return undefined;
    pairs.push([memory.text(at, nameLength), memory.text(at + nameLength + 1, valueLength)]);
    at += nameLength + valueLength + 2;
  }
  return pairs;
}
