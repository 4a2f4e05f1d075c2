import { writeLatin1 } from "../../../lib/latin1.ts";
import { type Fields } from "../../../lib/fields.ts";
import { EncodedTexts } from "./encoded-texts.ts";
import { writeInteger } from "./integer.ts";
import { STATIC_TABLE } from "./static-table.ts";

/** A dynamic table size update to 0: our blocks use no dynamic table, so begin a connection with it, and no later SETTINGS can ask for another. */
export const TABLE_SIZE_ZERO = 0x20;

const INDEXED = 0x80;
const WITHOUT_INDEXING = 0x00;
const NEVER_INDEXED = 0x10;
const LITERAL_MASK = 0x0f;
const INDEX_OF_STATUS = 8;

/** Secrets, which an intermediary must not index either: whether a guess was in its table would show in a length (RFC 7541 §7.1). */
const SECRETS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

interface StaticName {
  /** Of the name's first entry. */
  readonly index: number;
  /** Values of that entry and those that follow it. */
  readonly values: readonly string[];
  readonly literal: number;
}

const STATIC_NAMES: ReadonlyMap<string, StaticName> = staticNames();

function staticNames(): Map<string, StaticName> {
  const names = new Map<string, StaticName>();
  for (const [i, [name]] of STATIC_TABLE.entries()) {
    if (names.has(name)) continue;
    const values = STATIC_TABLE.filter((entry) => entry[0] === name).map((entry) => entry[1]);
    names.set(name, { index: i + 1, values, literal: SECRETS.has(name) ? NEVER_INDEXED : WITHOUT_INDEXING });
  }
  return names;
}

/** Writes `:status`, 3 digits, in 5 bytes at most; returns the offset behind it. */
export function writeStatus(target: Buffer, at: number, status: number): number {
  const indexed = INDEXED_STATUS.get(status);
  if (indexed !== undefined) {
    target[at] = indexed;
    return at + 1;
  }
  target[at] = WITHOUT_INDEXING | INDEX_OF_STATUS;
  return writeText(target, at + 1, String(status));
}

const INDEXED_STATUS: ReadonlyMap<number, number> = new Map(
  STATIC_TABLE.flatMap(([name, value], i) => (name === ":status" ? [[Number(value), INDEXED | (i + 1)] as const] : [])),
);

/**
 * Writes one field; returns the offset behind it. It takes the length of name and value, one byte more, and for each of
 * both a length as `writeInteger` writes it. Texts go out as they are: Huffman coding would spare some 30 bytes of
 * a small head, and have the peer decode it.
 */
export function writeField(target: Buffer, at: number, lowerName: string, value: string): number {
  const known = STATIC_NAMES.get(lowerName);
  if (known === undefined) {
    target[at] = WITHOUT_INDEXING;
    return writeText(target, writeText(target, at + 1, lowerName), value);
  }
  const match = known.literal === NEVER_INDEXED ? -1 : known.values.indexOf(value);
  if (match !== -1) {
    target[at] = INDEXED | (known.index + match);
    return at + 1;
  }
  target[at] = known.literal;
  return writeText(target, writeInteger(target, at, LITERAL_MASK, known.index), value);
}

function writeText(target: Buffer, at: number, text: string): number {
  target[at] = 0;
  const start = writeInteger(target, at, 0x7f, text.length);
  return start + writeLatin1(target, text, start);
}

const encodedFields = new EncodedTexts();

/**
 * Writes every field line, names in lower case; returns the offset behind the last. The caller has room for
 * `maxEncodedLength(fields)`. What an upstream sends is the same for a second or longer, so encoded fields are kept:
 * a tenth of the cost of encoding anew (bench http2-hpack).
 */
export function writeFields(target: Buffer, at: number, fields: Fields): number {
  if (fields === "") return at;
  const kept = encodedFields.write(target, at, fields);
  if (kept !== 0) return kept;
  const end = encodeLines(target, at, fields);
  encodedFields.offer(fields, target, at, end);
  return end;
}

/** As `writeFields`, for fields that are different each time: looking for them among those that are kept would cost a third more. */
export function writeNewFields(target: Buffer, at: number, fields: Fields): number {
  return encodeLines(target, at, fields);
}

function encodeLines(target: Buffer, at: number, fields: Fields): number {
  let offset = at;
  for (let start = 0; start < fields.length; ) {
    const crlf = fields.indexOf("\r\n", start);
    const end = crlf === -1 ? fields.length : crlf;
    const colon = fields.indexOf(":", start);
    let from = colon + 1;
    let to = end;
    while (from < to && isOws(fields.charCodeAt(from))) from++;
    while (to > from && isOws(fields.charCodeAt(to - 1))) to--;
    offset = writeField(target, offset, fields.slice(start, colon).toLowerCase(), fields.slice(from, to));
    start = end + 2;
  }
  return offset;
}

function isOws(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The bytes that `writeFields` may need: a length above 126 takes one byte more than the line's punctuation, one above 254 two, and so on. */
export function maxEncodedLength(fields: Fields): number {
  return fields.length + (fields.length >> 6);
}
