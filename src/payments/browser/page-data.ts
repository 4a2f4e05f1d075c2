import { isAddress } from "../x402/address.ts";
import { type PaymentRequired, type PaymentRequirements } from "../x402/messages.ts";
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
  readonly explorer?: string | undefined;
  readonly add?: ChainToAdd | undefined;
}

/** The data that the server writes into a page with a payment. */
export interface PageData {
  /** The challenge that the page stands for. Undefined on a page of documentation, which requests one. */
  readonly required?: PaymentRequired | undefined;
  readonly networks: Readonly<Record<string, PageNetwork>>;
  /** Known tokens by network and address in lower case, with a space between. */
  readonly tokens: Readonly<Record<string, { readonly symbol: string; readonly decimals: number }>>;
}

/** Id of the element with the data. */
export const DATA_ID = "payment-data";

/** The contract by which a wallet pays on an EVM chain: the token itself, or Permit2. */
export type Way = "eip3009" | "permit2";

/** The way in which a browser's wallet pays; undefined if it cannot. The terms can come from anyone. */
export function wayOf(requirements: PaymentRequirements): Way | undefined {
  const { scheme, network, amount, asset, payTo, extra } = requirements;
  const { assetTransferMethod, paymentFlow = "authorization", name, version, facilitatorAddress } = extra;
  const isEvm = /^eip155:[1-9]\d{0,14}$/.test(network) && isAddress(asset) && isAddress(payTo) && isAtomic(amount);
  if (!isEvm || (paymentFlow !== "authorization" && paymentFlow !== "upfront")) return undefined;
  if (scheme === "upto") {
    const isNamed = typeof facilitatorAddress === "string" && isAddress(facilitatorAddress);
    return isNamed && (assetTransferMethod ?? "permit2") === "permit2" ? "permit2" : undefined;
  }
  if (scheme !== "exact") return undefined;
  if (assetTransferMethod === "permit2") return "permit2";
  const isNamed = typeof name === "string" && typeof version === "string";
  return isNamed && (assetTransferMethod ?? "eip3009") === "eip3009" ? "eip3009" : undefined;
}

/** True for a payment that a wallet can sign here. */
export function isPayable(requirements: PaymentRequirements): boolean {
  return wayOf(requirements) !== undefined;
}
