/** The end of string. Its code pads the last byte, and must not be sent (RFC 7541 §5.2). */
export const EOS = 256;

/** Bits of each symbol's code (RFC 7541 appendix B), EOS last. */
// biome-ignore format: 32 a line
const LENGTHS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];

/** The code of one symbol (RFC 7541 appendix B). */
export interface HuffmanCode {
  /** Bits of the code, 5 to 30. */
  readonly length: number;
  readonly code: number;
}

/**
 * The codes of all symbols. The code is canonical: in order of length and symbol, each code follows the code before it.
 */
export function huffmanCodes(): readonly HuffmanCode[] {
  const codes: HuffmanCode[] = [];
  let next = 0;
  for (let length = 5; length <= 30; length++) {
    next <<= 1;
    for (let symbol = 0; symbol <= EOS; symbol++) {
      if (LENGTHS[symbol] === length) codes[symbol] = { length, code: next++ };
    }
  }
  return codes;
}
