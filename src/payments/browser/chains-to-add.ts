import { chainId, explorerOf, networkTitle } from "../x402/networks.ts";
import { type ChainToAdd } from "./page-data.ts";

interface Public {
  /** The RPC endpoint that the chain's own documentation names for wallets. */
  readonly rpc: string;
  readonly coin: string;
}

const CHAINS: Readonly<Record<string, Public>> = {
  "eip155:8453": { rpc: "https://mainnet.base.org", coin: "ETH" },
  "eip155:84532": { rpc: "https://sepolia.base.org", coin: "ETH" },
  "eip155:43114": { rpc: "https://api.avax.network/ext/bc/C/rpc", coin: "AVAX" },
  "eip155:43113": { rpc: "https://api.avax-test.network/ext/bc/C/rpc", coin: "AVAX" },
};

/** The parameters of `wallet_addEthereumChain`; undefined if this chain's endpoint is not known. */
export function chainToAdd(network: string): ChainToAdd | undefined {
  const chain = CHAINS[network];
  if (chain === undefined) return undefined;
  const explorer = explorerOf(network);
  return {
    chainId: `0x${chainId(network).toString(16)}`,
    chainName: networkTitle(network).replace(/ \(.*/, ""),
    nativeCurrency: { name: chain.coin, symbol: chain.coin, decimals: 18 },
    rpcUrls: [chain.rpc],
    blockExplorerUrls: explorer === undefined ? [] : [explorer],
  };
}
