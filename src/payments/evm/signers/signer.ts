import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { addressOfKey } from "../../x402/address-hash.ts";
import { type Address, sameAddress } from "../../x402/address.ts";
import { type Account } from "../../signatures/signature.ts";

/** A key that pays for gas. It may be in another program. */
export interface Signer {
  readonly address: Address;
  /**
   * Signs keccak-256 of `preimage`. Resolves to 65 bytes: recovery id, r, s in the lower half. Rejects with SignerError if
   * there is no signature of this key.
   */
  sign(preimage: Uint8Array): Promise<Uint8Array>;
}

/** There is no signature. The message is for the log: it contains no address of an endpoint and no secret. */
export class SignerError extends Error {
  override readonly name = "SignerError";
}

/** A key in this process. */
export function keySigner({ address, privateKey }: Account): Signer {
  return {
    address,
    sign: async (preimage) => secp256k1.sign(keccak_256(preimage), privateKey, { prehash: false, format: "recovered" }),
  };
}

/** The bytes of a signature that another program made. */
export type Signed = { readonly der: Uint8Array } | { readonly rs: Uint8Array };

/**
 * Finds the recovery id of a signature of `preimage`, and puts s into the lower half (EIP-2). Throws SignerError if it is
 * not a signature of `address`.
 */
export function completed(preimage: Uint8Array, signed: Signed, address: Address): Uint8Array {
  const digest = keccak_256(preimage);
  for (const recovery of [0, 1]) {
    try {
      const { r, s } =
        "der" in signed
          ? secp256k1.Signature.fromBytes(signed.der, "der")
          : secp256k1.Signature.fromBytes(signed.rs, "compact");
      const { ORDER: order } = secp256k1.Point.Fn;
      const signature = new secp256k1.Signature(r, s > order >> 1n ? order - s : s, recovery);
      const bytes = signature.toBytes("recovered");
      const key = secp256k1.recoverPublicKey(bytes, digest, { prehash: false });
      if (sameAddress(addressOfKey(secp256k1.Point.fromBytes(key).toBytes(false)), address)) return bytes;
    } catch {
      // r or s is out of range, or r is not on the curve.
    }
  }
  throw new SignerError(`its response is not a signature of the key of ${address}`);
}
