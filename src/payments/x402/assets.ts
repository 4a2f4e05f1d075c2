import { type Address, isAddress, sameAddress } from "./address.ts";
import { type EvmNetwork, isEvm, type Network, PREPAID, type SolanaNetwork } from "./networks.ts";

/** A token that can be used for payments. `name` and `version` are those of its EIP-712 domain; elsewhere `version` is empty. */
export interface Asset {
  readonly network: Network;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly version: string;
  readonly decimals: number;
  /** The token has no EIP-3009: money moves only by Permit2. */
  readonly isPermit2Only?: true;
  /** The token has no EIP-2612: only a transaction of the payer can approve Permit2. */
  readonly lacksPermit?: true;
}

/** A token on an EVM chain. */
export interface EvmAsset extends Asset {
  readonly network: EvmNetwork;
  readonly address: Address;
}

/** True if the token is on an EVM chain. */
export function isEvmAsset(asset: Asset): asset is EvmAsset {
  return isEvm(asset.network) && isAddress(asset.address);
}

type Row = readonly [id: number, symbol: string, address: Address, name: string, version: string, decimals: number];

/** Tokens that a configuration can name by symbol: those of x402's reference implementation. Each is worth one dollar. */
const BY_EIP3009: readonly Row[] = [
  [8453, "USDC", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin", "2", 6],
  [84532, "USDC", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC", "2", 6],
  [1, "USDC", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin", "2", 6],
  [43114, "USDC", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin", "2", 6],
  [43113, "USDC", "0x5425890298aed601595a70AB815c96711a31Bc65", "USD Coin", "2", 6],
  [143, "USDC", "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", "USDC", "2", 6],
  [988, "USDT0", "0x779Ded0c9e1022225f8E0630b35a9b54bE713736", "USDT0", "1", 6],
  [2201, "USDT0", "0x78Cf24370174180738C5B8E352B6D14c83a6c9A9", "USDT0", "1", 6],
  [137, "USDC", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin", "2", 6],
  [42161, "USDC", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin", "2", 6],
  [421614, "USDC", "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USD Coin", "2", 6],
  [36900, "USDC.e", "0x9cb8142aEBBcdc60AF7c97Af897A67A8f3CA71C2", "USDC.e", "2", 6],
  [190415, "USDC.e", "0x401eCb1D350407f13ba348573E5630B83638E30D", "Bridged USDC", "2", 6],
  [181228, "USDC.e", "0x401eCb1D350407f13ba348573E5630B83638E30D", "Bridged USDC", "2", 6],
  [50, "USDC", "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1", "USDC", "2", 6],
  [51, "USDC", "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4", "USDC", "2", 6],
  [14, "USDT0", "0xe7cd86e13AC4309349F30B3435a9d337750fC82D", "USD₮0", "1", 6],
  [42220, "USDC", "0xcebA9300f2b948710d2653dD7B07f33A8B32118C", "USDC", "2", 6],
  [42220, "USDT", "0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e", "Tether USD", "1", 6],
  [42220, "USAT", "0xD2ab3C9A02DBBAB236BfEC45D1d755DF4267F771", "Tether America USD", "1", 6],
  [11142220, "USDC", "0x01C5C0122039549AD1493B8220cABEdD739BC44E", "USDC", "2", 6],
  [1329, "USDC", "0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392", "USDC", "2", 6],
  [1328, "USDC", "0x4fCF1784B31630811181f670Aea7A7bEF803eaED", "USDC", "2", 6],
];
/** Known tokens without EIP-3009, whose payers approve Permit2 by EIP-2612. */
const BY_PERMIT2: readonly Row[] = [
  [4326, "MegaUSD", "0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7", "MegaUSD", "1", 18],
  [31612, "mUSD", "0xdD468A1DDc392dcdbEf6db6e34E89AA338F9F186", "Mezo USD", "1", 18],
  [31611, "mUSD", "0x118917a40FAF1CD7a13dB0Ef56C86De7973Ac503", "Mezo USD", "1", 18],
  [723487, "SBC", "0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb", "Stable Coin", "1", 6],
  [72344, "SBC", "0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb", "Stable Coin", "1", 6],
];
/** Known tokens with neither EIP-3009 nor EIP-2612. */
const BY_APPROVAL: readonly Row[] = [[38833, "USDC", "0xA5b8BF902b2844dA17d4506cc827F7F1681735E7", "USDC", "1", 6]];

function solanaUsdc(network: SolanaNetwork, address: string): Asset {
  return { network, address, symbol: "USDC", name: "USD Coin", version: "", decimals: 6 };
}

const ON_SOLANA: readonly Asset[] = [
  solanaUsdc("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
  solanaUsdc("solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"),
];

function assetOf([id, symbol, address, name, version, decimals]: Row): Asset {
  return { network: `eip155:${id}`, address, symbol, name, version, decimals };
}

/** Every known token. */
export const ASSETS: readonly Asset[] = [
  ...BY_EIP3009.map(assetOf),
  ...BY_PERMIT2.map((row) => ({ ...assetOf(row), isPermit2Only: true as const })),
  ...BY_APPROVAL.map((row) => ({ ...assetOf(row), isPermit2Only: true as const, lacksPermit: true as const })),
  ...ON_SOLANA,
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

/** True if a token on any network has this symbol. */
export function isKnownSymbol(text: string): boolean {
  return ASSETS.some(({ symbol }) => symbol.toLowerCase() === text.toLowerCase());
}

/** The tokens that a setting can name on `network`, for an error message. */
export function expectedAsset(network: string): string {
  return [...assetsOn(network).map(({ symbol }) => symbol), "the address of a token"].join(" or ");
}

/** The known tokens of a network. */
export function assetsOn(network: string): readonly Asset[] {
  return ASSETS.filter((asset) => asset.network === network);
}
