const ZERO = 0x30;

/** Digits of the largest number that is counted exactly. */
export const MAX_DIGITS = 16;

/** Writes a whole number from 0 to 2^53, in `MAX_DIGITS` at most; returns the offset behind it. */
export function writeDecimal(bytes: Uint8Array, at: number, value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  return writeDigits(bytes, at, value, digits);
}

/** Writes the last `count` digits of a whole number, with zeros in front where it has fewer; returns the offset behind them. */
export function writeDigits(bytes: Uint8Array, at: number, value: number, count: number): number {
  let rest = value;
  for (let i = at + count - 1; i >= at; i--) {
    const next = Math.floor(rest / 10);
    bytes[i] = ZERO + (rest - next * 10);
    rest = next;
  }
  return at + count;
}
