import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../x402/address.ts";
import { addressOfKey } from "../x402/address-hash.ts";

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
const HALF_ORDER = secp256k1.Point.Fn.ORDER >> 1n;

/** An account that signs: an address and its key. */
export interface Account {
  readonly address: Address;
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
}

/** A valid authorization: its payer, and the hash that was signed. */
export interface Checked {
  readonly payer: Address;
  readonly hash: Uint8Array;
}

/**
 * The signer of `hash` (32 bytes), in lower case; undefined if token contracts would not accept the signature. They
 * accept 65 bytes r ‖ s ‖ v with v 27 or 28, and s in the lower half of the order (EIP-2), so that each signature has
 * only one form.
 */
export function recoverSigner(hash: Uint8Array, signature: string): Address | undefined {
  if (!SIGNATURE.test(signature)) return undefined;
  const bytes = hexToBytes(signature.slice(2));
  const v = bytes[64];
  if (v !== 27 && v !== 28) return undefined;
  if (BigInt(`0x${bytesToHex(bytes.subarray(32, 64))}`) > HALF_ORDER) return undefined;
  const recoverable = new Uint8Array(65);
  recoverable[0] = v - 27;
  recoverable.set(bytes.subarray(0, 64), 1);
  try {
    const key = secp256k1.recoverPublicKey(recoverable, hash, { prehash: false });
    return addressOfKey(secp256k1.Point.fromBytes(key).toBytes(false));
  } catch {
    // r or s is out of range, or not a point on the curve: the signature has no signer.
    return undefined;
  }
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
