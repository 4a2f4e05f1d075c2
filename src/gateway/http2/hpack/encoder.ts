import { writeDecimal } from "../../../lib/decimal.ts";
import { type Fields } from "../../../lib/fields.ts";
import { EncodedTexts } from "./encoded-texts.ts";
import { LITERAL_MASK, NEVER_INDEXED, STATIC_NAMES, WITHOUT_INDEXING, writeLine, writeText } from "./literals.ts";
import { writeInteger } from "./integer.ts";
import { STATIC_TABLE } from "./static-table.ts";

/** A dynamic table size update to 0: our blocks use no dynamic table, so begin a connection with it, and no later SETTINGS can ask for another. */
export const TABLE_SIZE_ZERO = 0x20;

const INDEXED = 0x80;
const INDEX_OF_STATUS = 8;
const INDEX_OF_CONTENT_LENGTH = 28;

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

/** Writes `content-length`, 19 bytes at most; returns the offset behind it. */
export function writeContentLength(target: Buffer, at: number, length: number): number {
  target[at] = WITHOUT_INDEXING | LITERAL_MASK;
  target[at + 1] = INDEX_OF_CONTENT_LENGTH - LITERAL_MASK;
  const end = writeDecimal(target, at + 3, length);
  target[at + 2] = end - at - 3;
  return end;
}

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
  const end = writeNewFields(target, at, fields);
  encodedFields.offer(fields, target, at, end);
  return end;
}

/** As `writeFields`, for fields that are different each time: looking for them among those that are kept costs as much as a short line. */
export function writeNewFields(target: Buffer, at: number, fields: Fields): number {
  let offset = at;
  for (let start = 0; start < fields.length; ) {
    const crlf = fields.indexOf("\r\n", start);
    const end = crlf === -1 ? fields.length : crlf;
    offset = writeLine(target, offset, fields, { start, end });
    start = end + 2;
  }
  return offset;
}

/** The bytes that `writeFields` may need: a length above 126 takes one byte more than the line's punctuation, one above 254 two, and so on. */
export function maxEncodedLength(fields: Fields): number {
  return fields.length + (fields.length >> 6);
}
