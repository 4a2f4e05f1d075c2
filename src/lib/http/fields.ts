/**
 * Header fields as latin1 text, one `Name: value\r\n` per field line, without the empty line that ends a head.
 * One string that is forwarded in slices costs less than a map of strings (bench/http1.ts); lookups scan it.
 */
export type Fields = string;

/** True if `fields` has a line at `start` whose name is `lowerName` in any capitalisation. */
function nameAt(fields: Fields, start: number, lowerName: string): boolean {
  if (fields.charCodeAt(start + lowerName.length) !== 0x3a) return false;
  for (let i = 0; i < lowerName.length; i++) {
    const code = fields.charCodeAt(start + i);
    const lower = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
    if (lower !== lowerName.charCodeAt(i)) return false;
  }
  return true;
}

/** By LF alone, which no value contains: a search for two characters takes twice as long (bench parts). */
function lineEnd(fields: Fields, start: number): number {
  const end = fields.indexOf("\n", start);
  return end === -1 ? fields.length : end - 1;
}

/** Removes the white space around a value: only SP and HTAB (RFC 9110 §5.6.3). `trim` would also remove 0xA0. */
export function trimOws(text: string): string {
  return trimmedSlice(text, 0, text.length);
}

function trimmedSlice(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isOws(text.charCodeAt(from))) from++;
  while (to > from && isOws(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

/** True for the code of optional white space (RFC 9110 §5.6.3). */
export function isOws(code: number | undefined): boolean {
  return code === 0x20 || code === 0x09;
}

/** A length with more digits is not an exact number in JavaScript, and exceeds any limit. */
export const MAX_LENGTH_DIGITS = 15;

/** Bytes of a Content-Length value; equal repetitions (`5, 5`) count once (RFC 9112 §6.3). -1: not a length. */
export function parseContentLength(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  const parts = value.split(",").map(trimOws);
  const first = parts[0] ?? "";
  const valid = /^\d+$/.test(first) && first.length <= MAX_LENGTH_DIGITS && parts.every((part) => part === first);
  return valid ? Number(first) : -1;
}

/** The same for a request. A leading zero is refused, because some servers read it as an octal number. */
export function parseRequestLength(value: string): number {
  return /^0\d/.test(value) ? -1 : parseContentLength(value);
}

/** Every value of the field, trimmed, in order. `lowerName` is lower case. */
export function fieldValues(fields: Fields, lowerName: string): string[] {
  const values: string[] = [];
  for (let start = 0; start < fields.length; ) {
    const end = lineEnd(fields, start);
    if (nameAt(fields, start, lowerName)) values.push(trimmedSlice(fields, start + lowerName.length + 1, end));
    start = end + 2;
  }
  return values;
}

/** The field's value, lines joined by `, ` (RFC 9110 §5.3); undefined if absent. `lowerName`: in lower case. */
export function fieldValue(fields: Fields, lowerName: string): string | undefined {
  let value: string | undefined;
  for (let start = 0; start < fields.length; ) {
    const end = lineEnd(fields, start);
    if (nameAt(fields, start, lowerName)) {
      const next = trimmedSlice(fields, start + lowerName.length + 1, end);
      value = value === undefined ? next : `${value}, ${next}`;
    }
    start = end + 2;
  }
  return value;
}

/** The value of the field's first line; undefined if the field is absent. `lowerName` is lower case. */
export function firstFieldValue(fields: Fields, lowerName: string): string | undefined {
  for (let start = 0; start < fields.length; ) {
    const end = lineEnd(fields, start);
    if (nameAt(fields, start, lowerName)) return trimmedSlice(fields, start + lowerName.length + 1, end);
    start = end + 2;
  }
  return undefined;
}

function isNamedAt(fields: Fields, start: number, lowerNames: readonly string[]): boolean {
  for (const name of lowerNames) if (nameAt(fields, start, name)) return true;
  return false;
}

/** The fields without the lines of the named ones. Names are lower case. */
export function withoutFields(fields: Fields, lowerNames: readonly string[]): Fields {
  let kept = "";
  let from = 0;
  for (let start = 0; start < fields.length; ) {
    const end = Math.min(lineEnd(fields, start) + 2, fields.length);
    if (isNamedAt(fields, start, lowerNames)) {
      kept += fields.slice(from, start);
      from = end;
    }
    start = end;
  }
  return from === 0 ? fields : kept + fields.slice(from);
}

/** True if there is a line of one of the names. Names are lower case. */
export function hasAnyLine(fields: Fields, lowerNames: readonly string[]): boolean {
  for (let start = 0; start < fields.length; start = lineEnd(fields, start) + 2) {
    if (isNamedAt(fields, start, lowerNames)) return true;
  }
  return false;
}

/** One field line. The caller ensures that the value contains no CR, LF or NUL. */
export function fieldLine(name: string, value: string): Fields {
  return `${name}: ${value}\r\n`;
}

/** Name and value of every line, in order; names as they were sent. */
export function* eachField(fields: Fields): Generator<readonly [name: string, value: string]> {
  for (let start = 0; start < fields.length; ) {
    const end = lineEnd(fields, start);
    const colon = fields.indexOf(":", start);
    yield [fields.slice(start, colon), trimmedSlice(fields, colon + 1, end)];
    start = end + 2;
  }
}
