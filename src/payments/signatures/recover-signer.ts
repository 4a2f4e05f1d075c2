import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { type Address } from "../x402/address.ts";
import { addressOfKey } from "../x402/address-hash.ts";
import { recoverKey } from "./recover-key.ts";

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
const HALF_ORDER = secp256k1.Point.Fn.ORDER >> 1n;

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
  const key = recoverKey(hash, bytes.subarray(0, 64), v === 28 ? 1 : 0);
  return key && addressOfKey(key);
}
