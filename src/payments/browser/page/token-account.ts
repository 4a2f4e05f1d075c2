import { keyBytes, PROGRAMS } from "../../solana/address.ts";
import { toBase58 } from "../../solana/base58.ts";

/** The field of Ed25519, and the constant d of its curve. */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const SIGN_BIT = 2n ** 255n;

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base % P];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

/** True for the encoding of a point, for which a private key can exist. As in the cluster, any encoding of 32 bytes counts. */
export function isOnCurve(key: Uint8Array): boolean {
  const number = key.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const squared = (number % SIGN_BIT) ** 2n % P;
  // x² = (y² - 1) / (d y² + 1) must be a square. Its inverse is a square too, so that a product decides.
  const product = (squared + P - 1n) * (D * squared + 1n);
  return product % P === 0n || power(product, (P - 1n) / 2n) === 1n;
}

/**
 * The account in which `owner` has the token `mint`. Like `tokenAccount` of the programs, without its library of curves, which
 * would double this script.
 */
export async function tokenAccountOf(owner: string, mint: string): Promise<string> {
  const [own, program, token, deriving] = [owner, PROGRAMS.token, mint, PROGRAMS.associatedToken].map(bytesOf);
  const mark = new TextEncoder().encode("ProgramDerivedAddress");
  for (let bump = 255; ; bump -= 1) {
    const seeds = [own, program, token, Uint8Array.of(bump), deriving, mark].flatMap((part = new Uint8Array()) => [
      ...part,
    ]);
    const key = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(seeds)));
    if (!isOnCurve(key)) return toBase58(key);
  }
}

function bytesOf(address: string): Uint8Array {
  const bytes = keyBytes(address);
  if (bytes === undefined) throw new Error("an address is invalid");
  return bytes;
}
