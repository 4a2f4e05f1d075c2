import { bytesToHex } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../x402/address.ts";
import { type Deposit } from "../x402/channel-messages.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { hashWords, word } from "./eip712.ts";
import { permit2DepositHash } from "./permit2-typed-data.ts";
import { authorizationHash } from "./typed-data.ts";

/** The contracts that bring a deposit from the payer to the channels: at the same address on every chain. */
export const COLLECTORS: Readonly<Record<"eip3009" | "permit2", Address>> = {
  eip3009: "0x4020806089470a89826cB9fB1f4059150b550004",
  permit2: "0x4020425FAf3B746C082C2f942b4E5159887B0005",
};

/** The parts of a deposit that its authorization is about. */
export interface DepositTerms {
  readonly network: EvmNetwork;
  readonly payer: Address;
  /** The token, by the signer's or the seller's own knowledge. `name` and `version` matter under EIP-3009. */
  readonly asset: { readonly address: Address; readonly name: string; readonly version: string };
  readonly channelId: Hex;
  /** Atomic units. */
  readonly amount: string;
}

/** The nonce of an EIP-3009 deposit in the token. It binds the money to one channel. */
export function depositNonce(channelId: Hex, salt: Hex): Hex {
  return `0x${bytesToHex(hashWords([word(channelId.slice(2)), word(salt.slice(2))]))}`;
}

/** The 32 bytes that a payer signs for a deposit by EIP-3009. Times are Unix seconds in decimal. */
function erc3009DepositHash(
  { network, payer, asset, channelId, amount }: DepositTerms,
  { validAfter, validBefore, salt }: { readonly validAfter: string; readonly validBefore: string; readonly salt: Hex },
): Uint8Array {
  const domain = { name: asset.name, version: asset.version, network, asset: asset.address };
  const nonce = depositNonce(channelId, salt);
  const authorization = { from: payer, to: COLLECTORS.eip3009, value: amount, validAfter, validBefore, nonce };
  return authorizationHash(domain, authorization, "ReceiveWithAuthorization");
}

/** The hash that a payer signs for `deposit`, by the method that it uses. */
export function depositHash(terms: DepositTerms, { deposit: { authorization } }: Deposit): Uint8Array {
  if ("erc3009Authorization" in authorization) return erc3009DepositHash(terms, authorization.erc3009Authorization);
  const { permitted, spender, nonce, deadline, witness } = authorization.permit2Authorization;
  return permit2DepositHash(terms.network, { permitted, spender, nonce, deadline }, witness.channelId);
}
