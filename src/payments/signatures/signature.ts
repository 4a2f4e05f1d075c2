import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../x402/address.ts";
import { addressOfKey } from "../x402/address-hash.ts";

/** An account that signs: an address and its key. */
export interface Account {
  readonly address: Address;
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
}

/** A valid authorization: its payer, and the hash that was signed. */
export interface Checked {
  readonly payer: string;
  readonly hash: Uint8Array;
}

/** Signs `hash` (32 bytes) with a private key of 32 bytes. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): Hex {
  const recoverable = secp256k1.sign(hash, privateKey, { prehash: false, format: "recovered" });
  const v = (recoverable[0] ?? 0) + 27;
  return `0x${bytesToHex(recoverable.subarray(1))}${v.toString(16)}`;
}

/** The account of a private key, in lower case. */
export function addressOfPrivateKey(privateKey: Uint8Array): Address {
  return addressOfKey(secp256k1.getPublicKey(privateKey, false));
}
