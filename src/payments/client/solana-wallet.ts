import { dirname, join } from "node:path";
import { ed25519 } from "@noble/curves/ed25519.js";
import { z } from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { toBase58 } from "../solana/base58.ts";
import { keyBytes } from "../solana/address.ts";
import { parseSolanaKey } from "../solana/parse-key.ts";
import { solanaAccount, type SolanaAccount } from "../solana/transfer.ts";
import { createWalletFile, walletText } from "./wallet-file.ts";

/** Bytes of a seed. The public key follows it. */
const SEED_BYTES = 32;
const KEYPAIR_BYTES = 64;

const walletFile = z.object({ version: z.literal(1), address: z.string(), private_key: z.string() });

/** The path of the wallet on Solana, beside the wallet at `path`. */
export function solanaWalletPath(path: string): string {
  return join(dirname(path), "solana-wallet.json");
}

/** The account of the wallet; undefined without the file. Throws if other users can read it, or it is not a wallet. */
export function readSolanaWallet(path: string): SolanaAccount | undefined {
  const text = walletText(path);
  if (text === undefined) return undefined;
  const parsed = walletFile.safeParse(parsedJson(text));
  const account = parsed.success ? parseSolanaKey(parsed.data.private_key) : undefined;
  // The error does not show the content: it may be the key.
  if (account === undefined || account.address !== parsed.data?.address) {
    throw new Error(`Cannot use the wallet "${path}": it is not a wallet file of Solana`);
  }
  return account;
}

/** Makes a wallet with a new key, or with that of `account`. Throws if there is one, which stays. */
export function createSolanaWallet(path: string, account?: SolanaAccount): SolanaAccount {
  const own = account ?? solanaAccount(ed25519.keygen().secretKey);
  const pair = new Uint8Array(KEYPAIR_BYTES);
  pair.set(own.seed, 0);
  pair.set(keyBytes(own.address) ?? [], SEED_BYTES);
  const wallet = { version: 1, address: own.address, private_key: toBase58(pair) };
  if (!createWalletFile(path, wallet)) throw new Error(`Cannot make a wallet at "${path}": there is one already`);
  return own;
}
