import { type Address, sameAddress } from "./address.ts";
import { type Network, PREPAID } from "./networks.ts";

/** A token that can be used for payments. `name` and `version` are those of its EIP-712 domain. */
export interface Asset {
  readonly network: Network;
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly version: string;
  readonly decimals: number;
}

function usdc(network: Network, address: Address, name: string): Asset {
  return { network, address, symbol: "USDC", name, version: "2", decimals: 6 };
}

/** Tokens that a configuration can name by symbol. Each is worth one dollar. */
const ASSETS: readonly Asset[] = [
  usdc("eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"),
  usdc("eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"),
  usdc("eip155:43114", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin"),
  usdc("eip155:43113", "0x5425890298aed601595a70AB815c96711a31Bc65", "USD Coin"),
  usdc("eip155:1", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin"),
];

/** The known token with the symbol or address `text` on `network`, which can be that of prepaid charges. */
export function findAsset(network: string, text: string): Asset | undefined {
  const chain = network.replace(PREPAID, "eip155:");
  return ASSETS.find(
    (asset) =>
      asset.network === chain &&
      (asset.symbol.toLowerCase() === text.toLowerCase() || sameAddress(asset.address, text)),
  );
}

/** The known tokens of a network. */
export function assetsOn(network: string): readonly Asset[] {
  return ASSETS.filter((asset) => asset.network === network);
}
