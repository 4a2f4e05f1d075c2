import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ed25519 } from "@noble/curves/ed25519.js";
import { z } from "zod";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { createWholeFile } from "../../lib/files/whole-file.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { toBase58 } from "../solana/base58.ts";
import { keyBytes } from "../solana/address.ts";
import { parseSolanaKey } from "../solana/parse-key.ts";
import { solanaAccount, type SolanaAccount } from "../solana/transfer.ts";

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
  let text: string;
  try {
    if ((statSync(path).mode & 0o077) !== 0)
      throw new Error(`other users can read it; protect it with: chmod 600 "${path}"`);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Error(`Cannot use the wallet "${path}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
  }
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
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Never overwrites: the wallet may hold money.
    createWholeFile(path, `${JSON.stringify(wallet, undefined, 2)}\n`);
  } catch (error) {
    const why = codeOf(error) === "EEXIST" ? "there is one already" : (codeOf(error) ?? messageOf(error));
    throw new Error(`Cannot make a wallet at "${path}": ${why}`, { cause: error });
  }
  return own;
}
