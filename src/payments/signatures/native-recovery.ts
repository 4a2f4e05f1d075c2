import { dlopen, FFIType } from "bun:ffi";

/**
 * The uncompressed public key (65 bytes) that signed `hash` (32 bytes). `signature`: r and s, 64 bytes. Undefined if one
 * of them is out of range, or not a point on the curve.
 */
export type RecoverKey = (hash: Uint8Array, signature: Uint8Array, recovery: 0 | 1) => Uint8Array | undefined;

/** The library of Debian, Alpine, macOS and others, newest version first. The functions below are the same in all of them. */
const NAMES = [6, 5, 2, 1, 0].flatMap((version) => [`libsecp256k1.so.${version}`, `libsecp256k1.${version}.dylib`]);

const VERIFY_CONTEXT = 0x101;
const UNCOMPRESSED = 2;
const KEY_BYTES = 65;
/** Bytes of the library's own forms of a signature and of a key. */
const OWN_SIGNATURE_BYTES = 65;
const OWN_KEY_BYTES = 64;

const { ptr, i32, u32 } = FFIType;

function open(name: string) {
  return dlopen(name, {
    secp256k1_context_create: { args: [u32], returns: ptr },
    secp256k1_ecdsa_recoverable_signature_parse_compact: { args: [ptr, ptr, ptr, i32], returns: i32 },
    secp256k1_ecdsa_recover: { args: [ptr, ptr, ptr, ptr], returns: i32 },
    secp256k1_ec_pubkey_serialize: { args: [ptr, ptr, ptr, ptr, u32], returns: i32 },
  }).symbols;
}

function openFirst(): ReturnType<typeof open> | undefined {
  for (const name of NAMES) {
    try {
      return open(name);
    } catch {
      // The next name may exist.
    }
  }
  return undefined;
}

/** libsecp256k1 of the system, which takes a fifth of the time of its WebAssembly; undefined if it is not installed. */
export function nativeRecovery(): RecoverKey | undefined {
  const library = openFirst();
  const context = library?.secp256k1_context_create(VERIFY_CONTEXT);
  if (library === undefined || !context) return undefined;
  const ownSignature = new Uint8Array(OWN_SIGNATURE_BYTES);
  const ownKey = new Uint8Array(OWN_KEY_BYTES);
  const length = new BigUint64Array(1);
  return (hash, signature, recovery) => {
    const parse = library.secp256k1_ecdsa_recoverable_signature_parse_compact;
    if (parse(context, ownSignature, signature, recovery) !== 1) return undefined;
    if (library.secp256k1_ecdsa_recover(context, ownKey, ownSignature, hash) !== 1) return undefined;
    const key = new Uint8Array(KEY_BYTES);
    length[0] = BigInt(KEY_BYTES);
    library.secp256k1_ec_pubkey_serialize(context, key, length, ownKey, UNCOMPRESSED);
    return key;
  };
}
