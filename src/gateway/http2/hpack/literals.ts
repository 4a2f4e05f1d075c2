import { writeLatin1 } from "../../../lib/memory/latin1.ts";
import { type Fields, isOws } from "../../../lib/http/fields.ts";
import { writeInteger } from "./integer.ts";
import { STATIC_TABLE } from "./static-table.ts";

/**
 * First bytes of the literals that are not added to a dynamic table (RFC 7541 §6.2.2, §6.2.3). LITERAL_MASK has the
 * bits for a name's index.
 */
export const WITHOUT_INDEXING = 0x00;
export const NEVER_INDEXED = 0x10;
export const LITERAL_MASK = 0x0f;

/**
 * Fields with secrets, which intermediaries must not index either: the length of a block could show whether a guess was
 * in the table (RFC 7541 §7.1).
 */
const SECRETS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

/** Lengths below this take one byte. */
const ONE_BYTE = 0x7f;
/**
 * Values of this length or longer are written by the native method: writing them by character costs more (bench
 * http2-hpack).
 */
const LONG_VALUE = 40;

interface StaticName {
  readonly name: string;
  /** The index of the name's first entry. */
  readonly index: number;
  readonly values: readonly string[];
  /** The first bits of a literal with this name. */
  readonly literal: number;
}

/** The names of the static table (RFC 7541 appendix A), with the indexes of each name and of its values. */
export const STATIC_NAMES: ReadonlyMap<string, StaticName> = staticNames();

function staticNames(): Map<string, StaticName> {
  const names = new Map<string, StaticName>();
  for (const [i, [name]] of STATIC_TABLE.entries()) {
    if (names.has(name)) continue;
    const values = STATIC_TABLE.filter((entry) => entry[0] === name).map((entry) => entry[1]);
    names.set(name, { name, index: i + 1, values, literal: SECRETS.has(name) ? NEVER_INDEXED : WITHOUT_INDEXING });
  }
  return names;
}

/**
 * The slots of a hash table of the static names. A name whose slot is taken goes to the next free one. A power of two.
 */
const SLOTS = 256;
const slots: readonly (StaticName | undefined)[] = hashedNames();

function hashedNames(): (StaticName | undefined)[] {
  const table: (StaticName | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  for (const known of STATIC_NAMES.values()) {
    let hash = 0;
    for (let i = 0; i < known.name.length; i++) hash = hashed(hash, known.name.charCodeAt(i));
    let slot = hash & (SLOTS - 1);
    while (table[slot] !== undefined) slot = (slot + 1) & (SLOTS - 1);
    table[slot] = known;
  }
  return table;
}

function hashed(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

function findName(target: Uint8Array, start: number, end: number, hash: number): StaticName | undefined {
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const known = slots[slot];
    if (known === undefined) return undefined;
    const { name } = known;
    if (name.length !== end - start) continue;
    let i = 0;
    while (i < name.length && name.charCodeAt(i) === target[start + i]) i++;
    if (i === name.length) return known;
  }
}

/** Writes a text without Huffman coding, behind its length. Returns the offset behind the text. */
export function writeText(target: Buffer, at: number, text: string): number {
  target[at] = 0;
  const start = writeInteger(target, at, 0x7f, text.length);
  return start + writeLatin1(target, text, start);
}

/**
 * Writes one field line as a literal. Returns the offset behind it. It writes by character, because slices of the name
 * and value, a look-up in a map and native writes take twice as long (bench parts).
 */
export function writeLine(target: Buffer, at: number, fields: Fields, line: { start: number; end: number }): number {
  // The name is written where a literal name of usual length lies. Otherwise it is overwritten later.
  const nameAt = at + 2;
  let offset = nameAt;
  let hash = 0;
  let i = line.start;
  for (; i < line.end; i++) {
    let code = fields.charCodeAt(i);
    if (code === 0x3a) break;
    if (code >= 0x41 && code <= 0x5a) code += 0x20;
    hash = hashed(hash, code);
    target[offset++] = code;
  }
  const length = offset - nameAt;
  const known = findName(target, nameAt, offset, hash);
  if (known !== undefined) {
    target[at] = known.literal;
    offset = writeInteger(target, at, LITERAL_MASK, known.index);
  } else if (length < ONE_BYTE) {
    target[at] = WITHOUT_INDEXING;
    target[at + 1] = length;
  } else {
    target[at] = WITHOUT_INDEXING;
    offset = writeText(target, at + 1, fields.slice(line.start, i).toLowerCase());
  }
  return writeValue(target, offset, fields, { start: i + 1, end: line.end });
}

/** Writes the value between `start` and `end`, without the white space around it. */
function writeValue(target: Buffer, at: number, fields: Fields, range: { start: number; end: number }): number {
  let { start, end } = range;
  while (start < end && isOws(fields.charCodeAt(start))) start++;
  while (end > start && isOws(fields.charCodeAt(end - 1))) end--;
  if (end - start >= LONG_VALUE) return writeText(target, at, fields.slice(start, end));
  target[at] = end - start;
  let offset = at + 1;
  for (let i = start; i < end; i++) target[offset++] = fields.charCodeAt(i);
  return offset;
}
