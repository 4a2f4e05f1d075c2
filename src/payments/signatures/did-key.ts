/** The method and the multibase prefix of base58-btc. */
const PREFIX = "did:key:z";
/** The multicodec of a public key, as a varint, by the length of the key in bytes: Ed25519, and compressed secp256k1. */
const CODECS: ReadonlyMap<number, Uint8Array> = new Map([
  [32, Uint8Array.of(0xed, 0x01)],
  [33, Uint8Array.of(0xe7, 0x01)],
]);
const CODEC_BYTES = 2;
const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Characters of a `did:key` with 35 bytes. */
const MAX_LENGTH = PREFIX.length + 48;

/** The `did:key` of a public key: 32 bytes of Ed25519, or 33 bytes of secp256k1. */
export function didOfKey(key: Uint8Array): string {
  const codec = CODECS.get(key.length);
  if (codec === undefined) throw new Error(`a public key has 32 or 33 bytes, not ${key.length}`);
  let value = BigInt(`0x${Buffer.concat([codec, key]).toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= 58n) text = DIGITS.charAt(Number(value % 58n)) + text;
  return PREFIX + text;
}

/** The public key in a `did:key`, as for `didOfKey`; undefined if it is another DID or another kind of key. */
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
  const codec = CODECS.get(bytes.length - CODEC_BYTES);
  if (codec === undefined || !bytes.subarray(0, CODEC_BYTES).equals(codec)) return undefined;
  return new Uint8Array(bytes.subarray(CODEC_BYTES));
}
