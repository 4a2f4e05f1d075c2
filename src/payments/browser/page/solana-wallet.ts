import { isSolanaAddress } from "../../solana/address.ts";
import { computeUnits, toBase64, transferMessage, wireOf } from "../../solana/transfer-message.ts";
import { tokenOf } from "../page-data.ts";
import { explained } from "./evm-wallet.ts";
import { paymentHeader } from "./header.ts";
import { member } from "./member.ts";
import { NotSigned, type Signing } from "./signing.ts";
import { tokenAccountOf } from "./token-account.ts";
import { randomHex } from "../../../lib/text/random-hex.ts";

/** The names of clusters in the Wallet Standard. */
const CLUSTERS: Readonly<Record<string, string>> = {
  "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": "solana:mainnet",
  "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1": "solana:devnet",
};
const SIGN = "solana:signTransaction";
/** Longest transaction of Solana, in bytes. */
const MAX_TRANSACTION = 1232;

/** The networks on which a wallet of the Wallet Standard signs transactions. */
export function networksOf(wallet: unknown): readonly string[] {
  const chains = member(wallet, "chains");
  const isAble =
    Array.isArray(chains) &&
    featureOf(wallet, "standard:connect", "connect") &&
    featureOf(wallet, SIGN, "signTransaction");
  if (!isAble) return [];
  return Object.keys(CLUSTERS).filter((network) => chains.includes(CLUSTERS[network]));
}

/** Lets a wallet sign the payment on Solana. Returns the payment's header. Throws NotSigned. */
export async function signSolana(wallet: unknown, signing: Signing): Promise<string> {
  const { required, accepted, tell } = signing;
  // Browsers have it only on pages that came over HTTPS, or from this machine.
  if (!isSecureContext) throw new NotSigned("Payments on Solana need HTTPS. Nothing was paid.");
  tell("Waiting for the wallet: allow this page to see your account.");
  const accounts = member(await call(wallet, "standard:connect", "connect"), "accounts");
  const account: unknown = Array.isArray(accounts) ? accounts.find((one) => addressOf(one) !== undefined) : undefined;
  const payer = addressOf(account);
  if (payer === undefined) throw new NotSigned("The wallet named no account.");
  const transaction = wireOf(await messageOf(payer, signing));
  tell("Waiting for the wallet: check the amount, and sign within a minute.");
  const signed = await call(wallet, SIGN, "signTransaction", {
    account,
    chain: CLUSTERS[accepted.network],
    transaction,
  });
  const bytes = member(Array.isArray(signed) ? signed[0] : undefined, "signedTransaction");
  if (!(bytes instanceof Uint8Array) || bytes.length > MAX_TRANSACTION)
    throw new NotSigned("The wallet did not return a transaction. Nothing was sent.");
  return paymentHeader({ required, accepted, payload: { transaction: toBase64(bytes) } });
}

function addressOf(account: unknown): string | undefined {
  const address = member(account, "address");
  return typeof address === "string" && isSolanaAddress(address) ? address : undefined;
}

async function messageOf(payer: string, { accepted, network, data, tell }: Signing): Promise<Uint8Array> {
  const { asset: mint, payTo: to, amount, extra } = accepted;
  const { feePayer, memo = randomHex().slice(0, 32) } = extra;
  const token = tokenOf(data, accepted);
  const isValid = typeof feePayer === "string" && feePayer !== payer && [feePayer, mint, to].every(isSolanaAddress);
  if (!isValid || token === undefined || typeof memo !== "string")
    throw new NotSigned("The terms of this price cannot be paid here. Nothing was paid.");
  tell("Asking the seller for the state of the network.");
  const blockhash = await blockhashAt(network.blockhash ?? "");
  const [from, into] = await Promise.all([tokenAccountOf(payer, mint), tokenAccountOf(to, mint)]);
  if (from === into) throw new NotSigned("This is the seller's own account. Nothing was paid.");
  const units = computeUnits(Number.parseInt(randomHex().slice(0, 8), 16));
  const transfer = {
    feePayer,
    mint,
    decimals: token.decimals,
    to,
    amount: BigInt(amount),
    memo,
    blockhash,
    computeUnits: units,
  };
  return transferMessage(transfer, payer, { from, into });
}

async function blockhashAt(url: string): Promise<string> {
  const response = await fetch(url, { cache: "no-store" }).catch(() => undefined);
  const blockhash =
    response?.ok === true ? member(await response.json().catch(() => undefined), "blockhash") : undefined;
  if (typeof blockhash === "string" && isSolanaAddress(blockhash)) return blockhash;
  throw new NotSigned("The seller's connection to Solana does not respond. Nothing was paid.");
}

function featureOf(wallet: unknown, name: string, method: string): ((input?: object) => unknown) | undefined {
  const feature = member(member(wallet, "features"), name);
  const found = member(feature, method);
  // Some wallets need their object as `this`.
  return typeof found === "function" ? (...input) => Reflect.apply(found, feature, input) : undefined;
}

async function call(wallet: unknown, name: string, method: string, input?: object): Promise<unknown> {
  try {
    return await featureOf(wallet, name, method)?.(...(input === undefined ? [] : [input]));
  } catch (error) {
    throw explained(error);
  }
}
