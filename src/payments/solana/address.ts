import { fromBase58 } from "./base58.ts";

/** Bytes of a public key. */
const KEY_BYTES = 32;

/** Programs of Solana that payments use. */
export const PROGRAMS = {
  system: "11111111111111111111111111111111",
  computeBudget: "ComputeBudget111111111111111111111111111111",
  token: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  token2022: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
  associatedToken: "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
  memo: "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
} as const;

/** Accounts that keep what they receive. */
const LOST = new Set<string>([...Object.values(PROGRAMS), "1nc1nerator11111111111111111111111111111111"]);

/** The bytes of an address; undefined if `text` is not an address. */
export function keyBytes(text: string): Uint8Array | undefined {
  return fromBase58(text, KEY_BYTES);
}

/** True for a public key of 32 bytes in base58. */
export function isSolanaAddress(text: string): boolean {
  return keyBytes(text) !== undefined;
}

/** True for accounts that keep what they receive: programs, and the incinerator. */
export function isLostAccount(address: string): boolean {
  return LOST.has(address);
}
