import { writeDecimal } from "../../../lib/text/decimal.ts";
import { type Fields } from "../../../lib/http/fields.ts";
import { EncodedTexts } from "./encoded-texts.ts";
import { LITERAL_MASK, NEVER_INDEXED, STATIC_NAMES, WITHOUT_INDEXING, writeLine, writeText } from "./literals.ts";
import { writeInteger } from "./integer.ts";
import { STATIC_TABLE } from "./static-table.ts";

/**
 * A dynamic table size update to 0. The gateway's blocks use no dynamic table, so the first block of a connection
 * begins with this update. No later SETTINGS can then ask for another.
 */
export const TABLE_SIZE_ZERO = 0x20;

const INDEXED = 0x80;
const INDEX_OF_STATUS = 8;
const INDEX_OF_CONTENT_LENGTH = 28;

/** Writes `:status` with 3 digits, in at most 5 bytes. Returns the offset behind it. */
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

/** Writes `content-length`, in at most 19 bytes. Returns the offset behind it. */
export function writeContentLength(target: Buffer, at: number, length: number): number {
  target[at] = WITHOUT_INDEXING | LITERAL_MASK;
  target[at + 1] = INDEX_OF_CONTENT_LENGTH - LITERAL_MASK;
  const end = writeDecimal(target, at + 3, length);
  target[at + 2] = end - at - 3;
  return end;
}

/**
 * Writes one field. Returns the offset behind it. The field takes one byte, the bytes of name and value, and a length
 * for each as `writeInteger` writes it. Texts are not Huffman-coded: that would save about 30 bytes of a small head,
 * but the peer would have to decode it.
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

/** Writes a field up to its value, which has `length` bytes. Its name is not in the static table. */
export function writeFieldStart(target: Buffer, at: number, lowerName: string, length: number): number {
  target[at] = WITHOUT_INDEXING;
  const next = writeText(target, at + 1, lowerName);
  target[next] = 0;
  return writeInteger(target, next, 0x7f, length);
}

const encodedFields = new EncodedTexts();

/**
 * Writes every field line, with names in lower case. Returns the offset behind the last line. The caller has room for
 * `maxEncodedLength(fields)` bytes. An upstream sends the same fields for a second or longer, so encoded fields are
 * kept: that costs a tenth of encoding them again (bench parts).
 */
export function writeFields(target: Buffer, at: number, fields: Fields): number {
  if (fields === "") return at;
  const kept = encodedFields.write(target, at, fields);
  if (kept !== 0) return kept;
  const end = writeNewFields(target, at, fields);
  encodedFields.offer(fields, target, at, end);
  return end;
}

/**
 * As `writeFields`, for fields that are different each time. Looking them up among the kept fields would cost as much
 * as encoding a short line.
 */
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

/**
 * Maximum number of bytes that `writeFields` needs. A length above 126 takes one byte more than the line's punctuation, a length
 * above 254 takes two, and so on.
 */
export function maxEncodedLength(fields: Fields): number {
  return fields.length + (fields.length >> 6);
}
