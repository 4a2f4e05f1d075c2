import { z } from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { fromBase58, toBase58 } from "./base58.ts";
import { solanaAccount, type SolanaAccount } from "./transfer.ts";

/** Bytes of a seed; wallets of Solana write the public key after it. */
const SEED_BYTES = 32;
const KEYPAIR_BYTES = 64;

const keypair = z.array(z.int().min(0).max(255)).length(KEYPAIR_BYTES);

/**
 * The account of a private key: 64 bytes in base58, as wallets export it, or as a JSON array, as Solana's own programs store
 * it. Undefined for other texts, and if the second half is not the public key of the first.
 */
export function parseSolanaKey(text: string): SolanaAccount | undefined {
  const trimmed = text.trim();
  const listed = keypair.safeParse(trimmed.startsWith("[") ? parsedJson(trimmed) : undefined);
  const bytes = listed.success ? Uint8Array.from(listed.data) : fromBase58(trimmed, KEYPAIR_BYTES);
  if (bytes === undefined) return undefined;
  const account = solanaAccount(bytes.slice(0, SEED_BYTES));
  return account.address === toBase58(bytes.subarray(SEED_BYTES)) ? account : undefined;
}
