import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { keyBytes, PROGRAMS } from "./address.ts";
import { toBase58 } from "./base58.ts";

const MARK = utf8ToBytes("ProgramDerivedAddress");

/** True if a private key can exist for it. As in the cluster, encodings that RFC 8032 forbids count as points as well. */
function isOnCurve(key: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(key, true);
    return true;
  } catch {
    return false;
  }
}

/** The account that a program derives from `seeds`. */
function derivedAddress(program: Uint8Array, seeds: readonly Uint8Array[]): Uint8Array | undefined {
  for (let bump = 255; bump >= 0; bump--) {
    const key = sha256(concatBytes(...seeds, Uint8Array.of(bump), program, MARK));
    if (!isOnCurve(key)) return key;
  }
  return undefined;
}

/** Token accounts that are kept: each takes 0.5 ms. @bound */
const MAX_KEPT = 1024;
const kept = new Map<string, string>();

/** The token account of `owner` for `mint`, which `tokenProgram` keeps; undefined if one of them is not an address. */
export function tokenAccount(owner: string, mint: string, tokenProgram: string): string | undefined {
  const id = `${owner} ${mint} ${tokenProgram}`;
  const known = kept.get(id);
  if (known !== undefined) return known;
  const seeds = [owner, tokenProgram, mint].map(keyBytes);
  const program = keyBytes(PROGRAMS.associatedToken);
  if (program === undefined || !seeds.every((seed) => seed !== undefined)) return undefined;
  const key = derivedAddress(program, seeds);
  if (key === undefined) return undefined;
  if (kept.size >= MAX_KEPT) kept.clear();
  const address = toBase58(key);
  kept.set(id, address);
  return address;
}
