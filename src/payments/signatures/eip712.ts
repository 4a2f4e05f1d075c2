import { keccak_256 } from "@noble/hashes/sha3.js";
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

/** The hash of a text, for example of the EIP-712 encoding of a type. */
export function hashText(text: string): Uint8Array {
  return keccak_256(utf8ToBytes(text));
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
