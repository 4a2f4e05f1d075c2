/** Larger than any valid length, index or table size (RFC 7541 §5.1 tells decoders to set a limit). */
const MAX_INTEGER = 0x7fff_ffff;
/** Bytes behind the prefix that `MAX_INTEGER` needs. More bytes could only be zeros that keep a decoder busy. */
const MAX_CONTINUATION_BYTES = 5;

/** The integer is not complete at the end of the block. @internal */
export const TRUNCATED = -1;
/** The integer is above 2^31 - 1, or encoded in more bytes than that needs. @internal */
export const TOO_LARGE = -2;

/** Reads the integers of RFC 7541 §5.1. */
export class IntegerReader {
  /** The offset behind the integer that was read last. */
  next = 0;

  /**
   * Reads the integer whose prefix is the low bits of `bytes[at]`, as set in `mask`. Returns the integer, TRUNCATED or
   * TOO_LARGE.
   */
  read(bytes: Uint8Array, at: number, end: number, mask: number): number {
    if (at >= end) return TRUNCATED;
    let value = (bytes[at] ?? 0) & mask;
    this.next = at + 1;
    if (value < mask) return value;
    let scale = 1;
    for (let i = at + 1; i <= at + MAX_CONTINUATION_BYTES; i++) {
      if (i >= end) return TRUNCATED;
      const byte = bytes[i] ?? 0;
      // A multiplication, because a shift would lose the bits of the fifth byte beyond 32.
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
 * Writes `value`, 0 to 2^31 - 1, at `at`. The first byte already holds its high bits, and zeros under `mask`. Returns
 * the offset behind the integer, at most 6 bytes on.
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
