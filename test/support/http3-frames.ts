/** HTTP/3 and QPACK as bytes, in the simplest form: fields are literals, and the dynamic table is not used. */

export type Bytes = readonly number[];

const encoder = new TextEncoder();

/** RFC 9000 §16. */
export function varint(value: number): Bytes {
  if (value < 64) return [value];
  if (value < 16_384) return [0x40 | (value >> 8), value & 0xff];
  return [0x80 | (value >>> 24), (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

/** RFC 9114 §7.1. */
export function frame(type: number, payload: Bytes): Bytes {
  return [...varint(type), ...varint(payload.length), ...payload];
}

/** RFC 7541 §5.1: `first` holds the bits before the prefix. */
export function prefixed(value: number, bits: number, first: number): Bytes {
  const max = (1 << bits) - 1;
  if (value < max) return [first | value];
  const bytes = [first | max];
  let rest = value - max;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return bytes;
}

export type Field = readonly [name: string, value: string];

/** RFC 9204 §4.5.6. */
function literal([name, value]: Field): Bytes {
  const nameBytes = encoder.encode(name);
  const valueBytes = encoder.encode(value);
  return [...prefixed(nameBytes.length, 3, 0x20), ...nameBytes, ...prefixed(valueBytes.length, 7, 0), ...valueBytes];
}

/** A HEADERS frame. */
export function headers(fields: readonly Field[]): Bytes {
  return frame(1, [0, 0, ...fields.flatMap((field) => literal(field))]);
}

export function data(text: string): Bytes {
  return frame(0, [...encoder.encode(text)]);
}

export const SETTINGS: Bytes = frame(4, []);

export function hex(bytes: Bytes): string {
  return Buffer.from(bytes).toString("hex");
}

/** The status of a response whose first frame is HEADERS, if QPACK's static table has it; else 0. */
export function statusOf(responseHex: string): number {
  const bytes = Buffer.from(responseHex, "hex");
  // Type, length, prefix of two bytes.
  const at = 1 + (1 << ((bytes[1] ?? 0) >> 6)) + 2;
  const first = bytes[at] ?? 0;
  if ((first & 0xc0) === 0xc0) {
    const index = (first & 0x3f) === 0x3f ? 63 + (bytes[at + 1] ?? 0) : first & 0x3f;
    return STATIC_STATUS[index] ?? 0;
  }
  // A literal value after the name of a static entry (RFC 9204 §4.5.4): three digits, with or without Huffman coding.
  return -1;
}

/** RFC 9204, Appendix A. */
const STATIC_STATUS: Readonly<Record<number, number>> = {
  24: 103,
  25: 200,
  26: 304,
  27: 404,
  28: 503,
  63: 100,
  64: 204,
  65: 206,
  66: 302,
  67: 400,
  68: 403,
  69: 421,
  70: 425,
  71: 500,
};
