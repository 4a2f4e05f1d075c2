import { keccak_256 } from "@noble/hashes/sha3.js";
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { NewestMap } from "../../lib/memory/newest-map.ts";

/** The hash of a text. */
export function hashText(text: string): Uint8Array {
  return keccak_256(utf8ToBytes(text));
}

/** Types whose hash is kept; beyond it the oldest one is hashed again. */
const MAX_TYPES = 64;
const types = new NewestMap<string, Uint8Array>(MAX_TYPES);

/** `hashText` of a type. Kept after its first use: all of them at the start would take a fifth of the CPU time of a short command. */
export function hashType(type: string): Uint8Array {
  const known = types.get(type);
  if (known !== undefined) return known;
  const hash = hashText(type);
  types.set(type, hash);
  return hash;
}

/** A hex value of at most 32 bytes, padded to a word of 32 bytes. */
export function word(hex: string): Uint8Array {
  return hexToBytes(hex.padStart(64, "0"));
}

/** A number as a word of 32 bytes, big-endian, as EIP-712 and Solidity's ABI encode `uint256`. */
export function numberWord(value: bigint): Uint8Array {
  return word(value.toString(16));
}

/** The Keccak-256 hash of the words, one after the other. */
export function hashWords(words: readonly Uint8Array[]): Uint8Array {
  const hash = keccak_256.create();
  for (const item of words) hash.update(item);
  return hash.digest();
}

/** The 32 bytes that are signed: EIP-712's hash of a struct's hash within a domain. */
export function signedHash(domain: Uint8Array, struct: Uint8Array): Uint8Array {
  return hashWords([Uint8Array.of(0x19, 0x01), domain, struct]);
}
