/** A chain's CAIP-2 identifier, for example `eip155:84532`. */
export type Network = `eip155:${string}`;

interface KnownNetwork {
  readonly name: string;
  readonly title: string;
  readonly network: Network;
  /** The base URL of its block explorer. */
  readonly explorer: string;
}

/** Networks that a configuration can name in words. Any `eip155:<id>` works as well. */
const KNOWN: readonly KnownNetwork[] = [
  { name: "base", title: "Base", network: "eip155:8453", explorer: "https://basescan.org" },
  { name: "base-sepolia", title: "Base Sepolia", network: "eip155:84532", explorer: "https://sepolia.basescan.org" },
  { name: "avalanche", title: "Avalanche", network: "eip155:43114", explorer: "https://snowtrace.io" },
  {
    name: "avalanche-fuji",
    title: "Avalanche Fuji",
    network: "eip155:43113",
    explorer: "https://testnet.snowtrace.io",
  },
  { name: "ethereum", title: "Ethereum", network: "eip155:1", explorer: "https://etherscan.io" },
];

/** CAIP-2 allows 32 characters of reference. A chain id that fits in a JavaScript number has at most 15 digits. */
const EIP155 = /^eip155:[1-9][0-9]{0,14}$/;

/** The beginning of the network of charges to prepaid credit that was bought on a chain: `credit:8453`. */
export const PREPAID = /^credit:/;

function isNetwork(text: string): text is Network {
  return EIP155.test(text);
}

/** The network with the name or CAIP-2 identifier `text`; undefined if it is not an EVM chain. */
export function parseNetwork(text: string): Network | undefined {
  if (isNetwork(text)) return text;
  return KNOWN.find(({ name }) => name === text)?.network;
}

/** The chain id; throws if `network` is not an EVM chain. */
export function chainId(network: string): bigint {
  if (!isNetwork(network)) throw new Error(`Cannot read a chain id: "${network}" is not an eip155 network`);
  return BigInt(network.slice("eip155:".length));
}

/** The network's name for people: `Base Sepolia (eip155:84532)`. */
export function networkTitle(network: string): string {
  const chain = network.replace(PREPAID, "eip155:");
  const known = KNOWN.find((candidate) => candidate.network === chain);
  if (known === undefined) return network;
  return `${chain === network ? "" : "Prepaid on "}${known.title} (${network})`;
}

/** The base URL of the network's block explorer; undefined for other networks. */
export function explorerOf(network: string): string | undefined {
  return KNOWN.find((candidate) => candidate.network === network)?.explorer;
}
