import { type PaymentRequired, type PaymentRequirements } from "../x402/messages.ts";

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

/** True for a payment that a wallet can sign here: EIP-3009 on an EVM chain, of a fixed amount. */
export function isPayable({ scheme, network, extra }: PaymentRequirements): boolean {
  const method = extra["assetTransferMethod"] ?? "eip3009";
  const isNamed = typeof extra["name"] === "string" && typeof extra["version"] === "string";
  return scheme === "exact" && /^eip155:[1-9]\d{0,14}$/.test(network) && method === "eip3009" && isNamed;
}
