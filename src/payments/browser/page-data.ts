import { canonicalAddress, isAddress } from "../x402/address.ts";
import { type PaymentRequired, type PaymentRequirements } from "../x402/messages.ts";
import { isMemo } from "../solana/memo.ts";
import { isAtomic } from "../x402/price.ts";

/** A chain that a wallet can add (EIP-3085). */
export interface ChainToAdd {
  readonly chainId: string;
  readonly chainName: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly rpcUrls: readonly string[];
  readonly blockExplorerUrls: readonly string[];
}

/** A chain, by its CAIP-2 identifier. */
export interface PageNetwork {
  readonly title: string;
  /** The address of a transaction's page in an explorer, before and after its name. */
  readonly explorer?: readonly [before: string, after: string] | undefined;
  readonly add?: ChainToAdd | undefined;
  /** The URL of a blockhash, for payments on Solana. */
  readonly blockhash?: string | undefined;
}

/** The data that the server writes into a page with a payment. */
export interface PageData {
  /** The challenge that the page stands for. Undefined on a page of documentation, which requests one. */
  readonly required?: PaymentRequired | undefined;
  readonly networks: Readonly<Record<string, PageNetwork>>;
  /** Known tokens by network and canonical address, with a space between. */
  readonly tokens: Readonly<Record<string, { readonly symbol: string; readonly decimals: number }>>;
}

/** The form of an address of Solana. The wallet's code checks its length in bytes. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Id of the element with the data. */
export const DATA_ID = "payment-data";

/** The way in which a wallet pays: on an EVM chain by the token itself or by Permit2, or on Solana. */
export type Way = "eip3009" | "permit2" | "solana";

/** Name and decimals of a token; undefined for one that the gateway does not know. */
export function tokenOf(
  { tokens }: PageData,
  { network, asset }: PaymentRequirements,
): PageData["tokens"][string] | undefined {
  return tokens[`${network} ${canonicalAddress(asset)}`];
}

/** The way in which a browser's wallet pays; undefined if it cannot. The terms can come from anyone. */
export function wayOf(requirements: PaymentRequirements, data: PageData): Way | undefined {
  const { scheme, network, amount, extra } = requirements;
  const { paymentFlow = "authorization" } = extra;
  if (!isAtomic(amount) || (paymentFlow !== "authorization" && paymentFlow !== "upfront")) return undefined;
  if (/^eip155:[1-9]\d{0,14}$/.test(network)) return evmWayOf(requirements);
  const canSign = scheme === "exact" && data.networks[network]?.blockhash !== undefined && isOnSolana(requirements);
  // A transfer on Solana names the decimals of its token.
  return canSign && tokenOf(data, requirements) !== undefined ? "solana" : undefined;
}

function evmWayOf({ scheme, asset, payTo, extra }: PaymentRequirements): Way | undefined {
  const { assetTransferMethod, name, version, facilitatorAddress } = extra;
  if (!isAddress(asset) || !isAddress(payTo)) return undefined;
  if (scheme === "upto") {
    const isNamed = typeof facilitatorAddress === "string" && isAddress(facilitatorAddress);
    return isNamed && (assetTransferMethod ?? "permit2") === "permit2" ? "permit2" : undefined;
  }
  if (scheme !== "exact") return undefined;
  if (assetTransferMethod === "permit2") return "permit2";
  const isNamed = typeof name === "string" && typeof version === "string";
  return isNamed && (assetTransferMethod ?? "eip3009") === "eip3009" ? "eip3009" : undefined;
}

function isOnSolana({ asset, payTo, extra: { feePayer, memo = "" } }: PaymentRequirements): boolean {
  return isMemo(memo) && [asset, payTo, feePayer].every((text) => typeof text === "string" && BASE58.test(text));
}
