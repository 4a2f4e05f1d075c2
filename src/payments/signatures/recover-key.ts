import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { nativeRecovery, type RecoverKey } from "./native-recovery.ts";

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

let recover: RecoverKey | undefined;

async function compile(): Promise<void> {
  try {
    recover = await compileRecovery();
  } catch {
    // Without room for compiled code, the script goes on.
  }
}

function begin(): RecoverKey {
  const native = nativeRecovery();
  if (native === undefined) void compile();
  return native ?? recoverInScript;
}

/** By the system's library, or else by the script until the other one is compiled, because a payment does not wait for that. */
export const recoverKey: RecoverKey = (hash, signature, recovery) => (recover ??= begin())(hash, signature, recovery);
