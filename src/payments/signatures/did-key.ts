/** The method and the multibase prefix of base58-btc. */
const PREFIX = "did:key:z";
/** The multicodec of an Ed25519 public key, as a varint. */
const ED25519 = Uint8Array.of(0xed, 0x01);
const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const KEY_BYTES = 32;
/** Characters of a `did:key` with 34 bytes. */
const MAX_LENGTH = PREFIX.length + 48;

/** The `did:key` of an Ed25519 public key of 32 bytes. */
export function didOfKey(key: Uint8Array): string {
  let value = BigInt(`0x${Buffer.concat([ED25519, key]).toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= 58n) text = DIGITS.charAt(Number(value % 58n)) + text;
  return PREFIX + text;
}

/** The Ed25519 public key in a `did:key`; undefined if it is another DID or another kind of key. */
export function keyOfDid(did: string): Uint8Array | undefined {
  if (!did.startsWith(PREFIX) || did.length > MAX_LENGTH) return undefined;
  let value = 0n;
  for (const digit of did.slice(PREFIX.length)) {
    const number = DIGITS.indexOf(digit);
    if (number < 0) return undefined;
    value = value * 58n + BigInt(number);
  }
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  const isEd25519 = bytes.length === ED25519.length + KEY_BYTES && bytes.subarray(0, 2).equals(ED25519);
  return isEd25519 ? new Uint8Array(bytes.subarray(2)) : undefined;
}
