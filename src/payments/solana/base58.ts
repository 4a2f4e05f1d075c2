const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const VALUES = new Map(Array.from(ALPHABET, (character, value) => [character, value]));

/** Longest text that is decoded, in characters: 64 bytes have at most 88. A longer one is invalid. */
const MAX_LENGTH = 88;

/** The bytes as base58, in the alphabet of Bitcoin and Solana. */
export function toBase58(bytes: Uint8Array): string {
  // Digits of base 58, the lowest first.
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let i = 0; i < digits.length; i++) {
      carry += (digits[i] ?? 0) * 256;
      digits[i] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    for (; carry > 0; carry = Math.floor(carry / 58)) digits.push(carry % 58);
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return (
    ALPHABET.charAt(0).repeat(zeros === -1 ? bytes.length : zeros) +
    digits
      .map((digit) => ALPHABET.charAt(digit))
      .toReversed()
      .join("")
  );
}

/** The bytes of a base58 text; undefined if it is not base58, or not of `length` bytes (64 at most). */
export function fromBase58(text: string, length: number): Uint8Array | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const bytes = new Uint8Array(length);
  let zeros = 0;
  while (text.charAt(zeros) === ALPHABET.charAt(0)) zeros += 1;
  let used = 0;
  for (const character of text.slice(zeros)) {
    let carry = VALUES.get(character);
    if (carry === undefined) return undefined;
    for (let i = 0; i < used || carry > 0; i++) {
      carry += (bytes[length - 1 - i] ?? 0) * 58;
      bytes[length - 1 - i] = carry & 0xff;
      carry >>= 8;
      used = Math.max(used, i + 1);
    }
  }
  return zeros + used === length ? bytes : undefined;
}
