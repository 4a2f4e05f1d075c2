import { ed25519 } from "@noble/curves/ed25519.js";
import { PROGRAMS } from "./address.ts";
import { toBase58 } from "./base58.ts";
import { tokenAccount } from "./token-account.ts";
import { toBase64, type TokenTransfer, transferMessage, wireOf } from "./transfer-message.ts";

/** A key of Solana: its address, and the 32 bytes from which it is derived. */
export interface SolanaAccount {
  readonly address: string;
  readonly seed: Uint8Array;
}

/** The account of a seed. */
export function solanaAccount(seed: Uint8Array): SolanaAccount {
  return { address: toBase58(ed25519.getPublicKey(seed)), seed };
}

/**
 * The transaction that makes a transfer, in base64, signed by `account`; the signature of the fee payer is missing. Throws if
 * an address in it is invalid.
 */
export function signTokenTransfer(transfer: TokenTransfer, account: SolanaAccount): string {
  const [from, into] = [account.address, transfer.to].map(
    (owner) => tokenAccount(owner, transfer.mint, PROGRAMS.token) ?? "",
  );
  const message = transferMessage(transfer, account.address, { from: from ?? "", into: into ?? "" });
  return toBase64(wireOf(message, ed25519.sign(message, account.seed)));
}
