import { type Address, sameAddress } from "./address.ts";
import { type EvmNetwork, isTestNetwork } from "./networks.ts";
import { PERMIT2 } from "./transfer.ts";

/** Chains of local development. */
const LOCAL: ReadonlySet<string> = new Set(["eip155:1337", "eip155:31337"]);

/** The accounts of local chains (anvil, Hardhat), whose private keys are public. */
const PUBLIC_ACCOUNTS: readonly Address[] = [
  "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
  "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
  "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
  "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
  "0x976ea74026e726554db657fa54763abd0c3a0aa9",
  "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
  "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
  "0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
];

/** Digits after which a made-up address repeats itself, at most. It has at most 64 free bits, too few for a key to be found. */
const MAX_PERIOD = 16;
const ZEROS = "0".repeat(16);

/** Why payments to `payTo` in a token would be lost; undefined if they are not, or if the network's tokens have no value. */
export function lostPayee(payTo: Address, network: EvmNetwork, token?: Address): string | undefined {
  if (LOCAL.has(network) || isTestNetwork(network)) return undefined;
  if (PUBLIC_ACCOUNTS.some((account) => sameAddress(account, payTo))) return "its private key is public";
  if ([PERMIT2, token].some((contract) => contract !== undefined && sameAddress(payTo, contract)))
    return "it is a contract that keeps what it receives";
  return isBurnAddress(payTo) ? "it is a burn address, from which no one can spend" : undefined;
}

/** True for an address that was written down, not derived from a key: a long run of zeros (0, 0x…dEaD), or a repetition. */
function isBurnAddress(address: Address): boolean {
  const digits = address.slice(2).toLowerCase();
  const repeatsAfter = (period: number): boolean => digits.slice(period) === digits.slice(0, -period);
  return digits.includes(ZEROS) || Array.from({ length: MAX_PERIOD }, (_, i) => i + 1).some(repeatsAfter);
}
