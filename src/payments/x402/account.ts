import { isSolanaAddress } from "../solana/address.ts";
import { isAddress } from "./address.ts";

/** A nonce or transaction, and a transaction of Solana, of which words have few characters. */
const HEX = /^(?:0x)?[0-9a-f]{1,64}$/i;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{16,88}$/;

/** True for an address of an EVM chain or of Solana. */
export function isAccount(text: string): boolean {
  return isAddress(text) || isSolanaAddress(text);
}

/**
 * The beginning of a nonce or transaction, in the form in which the ledger searches for it. Undefined for other texts,
 * and for fewer than `least` digits.
 */
export function searchPrefix(text: string, least: number): string | undefined {
  const digits = text.replace(/^0x/i, "");
  if (digits.length < least) return undefined;
  if (HEX.test(text)) return `0x${digits.toLowerCase()}`;
  return BASE58.test(text) ? text.toLowerCase() : undefined;
}
