/** Beyond any length, index or table size that can be meant (RFC 7541 §5.1 has a decoder set its own limit). */
const MAX_INTEGER = 0x7fff_ffff;
/** Bytes behind the prefix: what `MAX_INTEGER` needs. More of them, zeros at that, only keep a decoder busy. */
const MAX_CONTINUATION_BYTES = 5;

/** The integer is not whole at the end of the block. @internal */
export const TRUNCATED = -1;
/** The integer is above 2^31 - 1, or spelled longer than that needs. @internal */
export const TOO_LARGE = -2;

/** Reads the integers of RFC 7541 §5.1. */
export class IntegerReader {
  /** Where the integer that was read last ends. */
  next = 0;

  /** The integer whose prefix is the low bits, as set in `mask`, of `bytes[at]`; or TRUNCATED or TOO_LARGE. */
  read(bytes: Uint8Array, at: number, end: number, mask: number): number {
    if (at >= end) return TRUNCATED;
    let value = (bytes[at] ?? 0) & mask;
    this.next = at + 1;
    if (value < mask) return value;
    let scale = 1;
    for (let i = at + 1; i <= at + MAX_CONTINUATION_BYTES; i++) {
      if (i >= end) return TRUNCATED;
      const byte = bytes[i] ?? 0;
      // Not a shift: the fifth byte's bits go beyond 32.
      value += (byte & 0x7f) * scale;
      if (value > MAX_INTEGER) return TOO_LARGE;
      if (byte < 0x80) {
        this.next = i + 1;
        return value;
      }
      scale *= 128;
    }
    return TOO_LARGE;
  }
}

/**
 * Writes `value`, 0 to 2^31 - 1, at `at`, where the first byte already holds its high bits and zeros under `mask`; returns
 * the offset behind it, 6 bytes on at most.
 */
export function writeInteger(target: Uint8Array, at: number, mask: number, value: number): number {
  const first = target[at] ?? 0;
  if (value < mask) {
    target[at] = first | value;
    return at + 1;
  }
  target[at] = first | mask;
  let next = at + 1;
  let rest = value - mask;
  while (rest >= 0x80) {
    target[next++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[next++] = rest;
  return next;
}
