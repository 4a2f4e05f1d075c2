import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hexToBytes } from "@noble/hashes/utils.js";
import { type Account, addressOfPrivateKey } from "../../signatures/signature.ts";

/** The account of a private key of 32 bytes in hex, `0x` or not. Throws if it is invalid, never with the key. */
export function parseKey(text: string): Account {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text.trim())?.[1];
  if (digits === undefined) throw new Error("Cannot use the facilitator's key: it is not 32 bytes of hex");
  const privateKey = hexToBytes(digits);
  if (!secp256k1.utils.isValidSecretKey(privateKey)) {
    throw new Error("Cannot use the facilitator's key: it is not valid for secp256k1");
  }
  return { address: addressOfPrivateKey(privateKey), privateKey };
}
