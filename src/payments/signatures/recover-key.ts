import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";

/**
 * The uncompressed public key (65 bytes) that signed `hash` (32 bytes). `signature`: r and s, 64 bytes. Undefined if one
 * of them is out of range, or not a point on the curve.
 */
export type RecoverKey = (hash: Uint8Array, signature: Uint8Array, recovery: 0 | 1) => Uint8Array | undefined;

/** @internal */
export const recoverInScript: RecoverKey = (hash, signature, recovery) => {
  try {
    const parsed = secp256k1.Signature.fromBytes(signature, "compact").addRecoveryBit(recovery);
    return parsed.recoverPublicKey(hash).toBytes(false);
  } catch {
    return undefined;
  }
};

/** libsecp256k1 in WebAssembly, which takes half the time. To compile it takes 50 ms, once. @internal */
export async function compileRecovery(): Promise<RecoverKey> {
  const library = await instantiateSecp256k1();
  return (hash, signature, recovery) => {
    const key = library.recoverPublicKeyUncompressed(signature, recovery, hash);
    return typeof key === "string" ? undefined : key;
  };
}

let isCompiling = false;
let recover = recoverInScript;

async function compile(): Promise<void> {
  isCompiling = true;
  try {
    recover = await compileRecovery();
  } catch {
    // Without room for compiled code, the script goes on.
  }
}

/** Uses the script until the other one is compiled, because a payment does not wait for that. */
export const recoverKey: RecoverKey = (hash, signature, recovery) => {
  if (!isCompiling) void compile();
  return recover(hash, signature, recovery);
};
