/** A chain's CAIP-2 identifier, for example `eip155:84532`. */
export type Network = `${string}:${string}`;
/** The identifier of an EVM chain. */
export type EvmNetwork = `eip155:${string}`;
/** The identifier of a Solana cluster: the beginning of its genesis hash. */
export type SolanaNetwork = `solana:${string}`;

interface KnownNetwork {
  readonly name: string;
  readonly title: string;
  readonly network: Network;
  /** The base URL of its block explorer. */
  readonly explorer: string;
  /** The query of its pages, where one explorer has several networks. */
  readonly explorerQuery?: string;
  /** True if its tokens have no value. */
  readonly isTest: boolean;
}

/** Networks that a configuration can name in words: chain id, name, title, explorer. */
const CHAINS: readonly (readonly [id: number, name: string, title: string, explorer: string, kind?: "test"])[] = [
  [8453, "base", "Base", "https://basescan.org"],
  [84532, "base-sepolia", "Base Sepolia", "https://sepolia.basescan.org", "test"],
  [1, "ethereum", "Ethereum", "https://etherscan.io"],
  [11155111, "sepolia", "Sepolia", "https://sepolia.etherscan.io", "test"],
  [43114, "avalanche", "Avalanche", "https://snowtrace.io"],
  [43113, "avalanche-fuji", "Avalanche Fuji", "https://testnet.snowtrace.io", "test"],
  [42161, "arbitrum", "Arbitrum One", "https://arbiscan.io"],
  [421614, "arbitrum-sepolia", "Arbitrum Sepolia", "https://sepolia.arbiscan.io", "test"],
  [137, "polygon", "Polygon", "https://polygonscan.com"],
  [80002, "polygon-amoy", "Polygon Amoy", "https://amoy.polygonscan.com", "test"],
  [42220, "celo", "Celo", "https://celoscan.io"],
  [11142220, "celo-sepolia", "Celo Sepolia", "https://celo-sepolia.blockscout.com", "test"],
  [1329, "sei", "Sei", "https://seiscan.io"],
  [1328, "sei-testnet", "Sei Testnet", "https://testnet.seiscan.io", "test"],
  [50, "xdc", "XDC Network", "https://xdcscan.com"],
  [51, "xdc-apothem", "XDC Apothem", "https://testnet.xdcscan.com", "test"],
  [143, "monad", "Monad", "https://monadscan.com"],
  [4326, "megaeth", "MegaETH", "https://mega.etherscan.io"],
  [988, "stable", "Stable", "https://stablescan.xyz"],
  [2201, "stable-testnet", "Stable Testnet", "https://testnet.stablescan.xyz", "test"],
  [14, "flare", "Flare", "https://flare-explorer.flare.network"],
  [31612, "mezo", "Mezo", "https://explorer.mezo.org"],
  [31611, "mezo-testnet", "Mezo Testnet", "https://explorer.test.mezo.org", "test"],
  [723487, "radius", "Radius", "https://network.radiustech.xyz"],
  [72344, "radius-testnet", "Radius Testnet", "https://testnet.radiustech.xyz", "test"],
  [36900, "adi", "ADI Chain", "https://explorer.adifoundation.ai"],
  [190415, "hpp", "HPP", "https://explorer.hpp.io"],
  [181228, "hpp-sepolia", "HPP Sepolia", "https://sepolia-explorer.hpp.io", "test"],
  [38833, "igra", "Igra", "https://explorer.igralabs.com"],
  [2741, "abstract", "Abstract", "https://abscan.org"],
  [11124, "abstract-testnet", "Abstract Testnet", "https://sepolia.abscan.org", "test"],
  [4689, "iotex", "IoTeX", "https://iotexscan.io"],
  [3338, "peaq", "peaq", "https://peaq.subscan.io"],
  [1514, "story", "Story", "https://storyscan.io"],
  [41923, "educhain", "EDU Chain", "https://explorer.educhain.xyz"],
  [
    324705682,
    "skale-base-sepolia",
    "SKALE Base Sepolia",
    "https://base-sepolia-testnet-explorer.skalenodes.com",
    "test",
  ],
];

const SOLANA_EXPLORER = "https://explorer.solana.com";

/** Every known network, which a configuration can name in words. Any CAIP-2 identifier works as well. */
export const KNOWN_NETWORKS: readonly KnownNetwork[] = [
  ...CHAINS.map(([id, name, title, explorer, kind]) => ({
    name,
    title,
    network: `eip155:${id}` as const,
    explorer,
    isTest: kind === "test",
  })),
  {
    name: "solana",
    title: "Solana",
    network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    explorer: SOLANA_EXPLORER,
    isTest: false,
  },
  {
    name: "solana-devnet",
    title: "Solana Devnet",
    network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    explorer: SOLANA_EXPLORER,
    explorerQuery: "?cluster=devnet",
    isTest: true,
  },
];

/** CAIP-2 allows 32 characters of reference. A chain id that fits in a JavaScript number has at most 15 digits. */
const EIP155 = /^eip155:[1-9][0-9]{0,14}$/;
const SOLANA = /^solana:[1-9A-HJ-NP-Za-km-z]{32}$/;
/** Namespaces whose payments this program does not know. `credit:` is not a chain. */
const OTHER = /^(?!eip155:|solana:|credit:)[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;

/** The beginning of the network of charges to prepaid credit that was bought on a chain: `credit:8453`. */
export const PREPAID = /^credit:/;

/** True for the identifier of an EVM chain. */
export function isEvm(network: string): network is EvmNetwork {
  return EIP155.test(network);
}

/** True for the identifier of a Solana cluster. */
export function isSolana(network: string): network is SolanaNetwork {
  return SOLANA.test(network);
}

/**
 * True for a chain whose payments only its facilitator can read. They are identified by a digest, which their sender can
 * change, so that they must be settled before anything is sold for them.
 */
export function isForeign(network: string): boolean {
  return isOther(network);
}

function isOther(network: string): network is Network {
  return OTHER.test(network);
}

/** The network with the name or CAIP-2 identifier `text`. */
export function parseNetwork(text: string): Network | undefined {
  if (isEvm(text) || isSolana(text) || isOther(text)) return text;
  return KNOWN_NETWORKS.find(({ name }) => name === text)?.network;
}

/** The EVM chain with the name or CAIP-2 identifier `text`. */
export function parseEvmNetwork(text: string): EvmNetwork | undefined {
  const network = parseNetwork(text);
  return network !== undefined && isEvm(network) ? network : undefined;
}

/** The chain id; throws if `network` is not an EVM chain. */
export function chainId(network: string): bigint {
  if (!isEvm(network)) throw new Error(`Cannot read a chain id: "${network}" is not an eip155 network`);
  return BigInt(network.slice("eip155:".length));
}

/** The network's name for people: `Base Sepolia (eip155:84532)`. */
export function networkTitle(network: string): string {
  const chain = network.replace(PREPAID, "eip155:");
  const known = KNOWN_NETWORKS.find((candidate) => candidate.network === chain);
  if (known === undefined) return network;
  return `${chain === network ? "" : "Prepaid on "}${known.title} (${network})`;
}

/** The base URL of the network's block explorer; undefined for other networks. */
export function explorerOf(network: string): string | undefined {
  return KNOWN_NETWORKS.find((candidate) => candidate.network === network)?.explorer;
}

/** The name of a transaction that explorers know, in hex or base58. */
const TRANSACTION = /^[0-9A-Za-z]{64,128}$/;

/** The page of a transaction in the network's block explorer; undefined without one. */
export function explorerPage(network: string, transaction: string): string | undefined {
  const pages = explorerPages(network);
  return pages === undefined || !TRANSACTION.test(transaction) ? undefined : pages.join(transaction);
}

/** The parts of an address of `explorerPage` before and after the transaction; undefined without a known explorer. */
export function explorerPages(network: string): readonly [before: string, after: string] | undefined {
  const known = KNOWN_NETWORKS.find((candidate) => candidate.network === network);
  return known && [`${known.explorer}/tx/`, known.explorerQuery ?? ""];
}

/** True for a known network whose tokens have no value. */
export function isTestNetwork(network: string): boolean {
  return KNOWN_NETWORKS.some((candidate) => candidate.network === network && candidate.isTest);
}
