import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Address } from "./address.ts";

/** The address with the letter case of EIP-55. */
export function checksumAddress(address: Address): Address {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  let text = "";
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charAt(i);
    text += Number.parseInt(hash.charAt(i), 16) >= 8 ? digit.toUpperCase() : digit;
  }
  return `0x${text}`;
}

/** The last address that `hasBadChecksum` was asked about, and its result. Most routes have the same address. */
let asked = "";
let isBad = false;

/** True if an address's letter case is not its checksum (EIP-55): a digit is mistyped. Digits of one case do not tell. */
export function hasBadChecksum(address: Address): boolean {
  const digits = address.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return false;
  if (address !== asked) isBad = checksumAddress(address) !== address;
  asked = address;
  return isBad;
}

/** The address of an uncompressed public key (65 bytes), in lower case. */
export function addressOfKey(publicKey: Uint8Array): Address {
  return `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`;
}
