import { homedir } from "node:os";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { checksumAddress } from "../x402/address-hash.ts";
import { type Account, addressOfPrivateKey } from "../signatures/signature.ts";
import { createWalletFile, walletText } from "./wallet-file.ts";

const walletFile = z.object({
  version: z.literal(1),
  address: z.string(),
  private_key: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
});

/** The path of the wallet file: `wallet.json` in $TURNPIKE_HOME, or in ~/.turnpike if the variable is not set. */
export function walletPath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env["TURNPIKE_HOME"] || join(homedir(), ".turnpike"), "wallet.json");
}

/** Reads the wallet, or creates one on first use; `created` is true if it did. Throws `Cannot use the wallet ...`. */
export function openWallet(path: string): { readonly account: Account; readonly created: boolean } {
  const present = readWallet(path);
  if (present !== undefined) return { account: present, created: false };
  const created = createWallet(path, secp256k1.keygen().secretKey);
  const account = readWallet(path);
  if (account === undefined) throw new Error(`Cannot use the wallet "${path}": it disappeared while it was read`);
  return { account, created };
}

/** The wallet's account; undefined without the file. Throws if other users can read it, or it is not a wallet. */
export function readWallet(path: string): Account | undefined {
  const text = walletText(path);
  return text === undefined ? undefined : parseWallet(path, text);
}

function parseWallet(path: string, text: string): Account {
  const parsed = walletFile.safeParse(parsedJson(text));
  // The error does not show the content: it may be the key.
  if (!parsed.success) throw new Error(`Cannot use the wallet "${path}": it is not a wallet file`);
  const privateKey = hexToBytes(parsed.data.private_key.slice(2));
  if (!secp256k1.utils.isValidSecretKey(privateKey)) {
    throw new Error(`Cannot use the wallet "${path}": its key is not valid for secp256k1`);
  }
  const address = checksumAddress(addressOfPrivateKey(privateKey));
  if (address.toLowerCase() !== parsed.data.address.toLowerCase()) {
    throw new Error(`Cannot use the wallet "${path}": its address does not belong to its key`);
  }
  return { address, privateKey };
}

/** Makes a wallet from a private key of 32 bytes. Throws if it is invalid, or if a wallet exists, which stays. */
export function importWallet(path: string, privateKey: Uint8Array): void {
  if (!secp256k1.utils.isValidSecretKey(privateKey))
    throw new Error("Cannot use the key: it is not valid for secp256k1");
  if (!createWallet(path, privateKey)) throw new Error(`Cannot make a wallet at "${path}": there is one already`);
}

/** Creates a wallet file completely or not at all. Returns false if a file exists already. */
function createWallet(path: string, secretKey: Uint8Array): boolean {
  const wallet = {
    version: 1,
    address: checksumAddress(addressOfPrivateKey(secretKey)),
    private_key: `0x${bytesToHex(secretKey)}`,
  };
  return createWalletFile(path, wallet);
}
