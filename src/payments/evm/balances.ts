import { type Address } from "../x402/address.ts";
import { type Asset } from "../x402/assets.ts";
import { chainId, type EvmNetwork, networkTitle, parseEvmNetwork } from "../x402/networks.ts";
import { encodeCall, wordAt } from "./node/abi.ts";
import { EvmNode } from "./node/node.ts";
import { balanceRequest, callRequest } from "./node/requests.ts";
import { isRpcError } from "./node/rpc.ts";

/** Timeout of one call to a chain's endpoint, in milliseconds. @bound */
const RPC_TIMEOUT_MS = 5000;
const VARIABLE = /^TURNPIKE_RPC_([1-9][0-9]{0,14})$/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** An account's balances on one chain, in atomic units and wei. */
export interface Balances {
  readonly gas: bigint;
  /** In the order of the request; undefined if the chain does not have the token. */
  readonly assets: readonly (bigint | undefined)[];
}

/** The environment variable with the URL of a chain's RPC endpoint: `TURNPIKE_RPC_84532`. */
export function rpcVariable(network: EvmNetwork): string {
  return `TURNPIKE_RPC_${chainId(network)}`;
}

/** The chains whose endpoints the environment names. */
export function namedNetworks(env: Environment): readonly EvmNetwork[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const id = value === undefined || value === "" ? undefined : VARIABLE.exec(name)?.[1];
    return (id === undefined ? undefined : parseEvmNetwork(`eip155:${id}`)) ?? [];
  });
}

/** Opens a chain for reading. Throws if `network` is invalid, or `url` not an http or https URL. The error does not contain the URL. */
export function openChain(network: string, url: string): EvmNode {
  return new EvmNode({ network, rpc_url: url, timeout_ms: RPC_TIMEOUT_MS, poll_ms: 500, confirmations: 1 }, Date.now);
}

/** Reads the balances of `owner`. Throws `Cannot query ...`, without the endpoint's address and text; `cause` is the reason. */
export async function readBalances(node: EvmNode, owner: Address, assets: readonly Asset[]): Promise<Balances> {
  const requests = assets.map(({ address }) => callRequest(address, encodeCall("balanceOf(address)", [owner])));
  const [gas, ...responses] = await node.readAll<(bigint | string)[]>(balanceRequest(owner), ...requests);
  if (typeof gas !== "bigint") {
    const cause = isRpcError(gas) ? gas.cause : "no response";
    throw new Error(`Cannot query balances on ${networkTitle(node.network)}: ${cause}`, { cause });
  }
  return { gas, assets: responses.map((response) => (typeof response === "string" ? wordAt(response, 0) : undefined)) };
}
