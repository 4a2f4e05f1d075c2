import { messageOf } from "../../lib/caught.ts";
import { type Address } from "../../payments/x402/address.ts";
import { type Asset, assetsOn, isEvmAsset } from "../../payments/x402/assets.ts";
import { namedNetworks, openChain, readBalances, rpcVariable } from "../../payments/evm/balances.ts";
import { type EvmNetwork, networkTitle, parseEvmNetwork } from "../../payments/x402/networks.ts";
import { formatAmount } from "../../payments/x402/price.ts";
import { UsageError } from "../common/usage-error.ts";

/** Chains that one command asks for balances. Further chains are left out. */
const MAX_CHAINS = 32;
const GAS_DECIMALS = 18;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

interface Chain {
  readonly network: EvmNetwork;
  readonly url: string;
}

/** The balances of a wallet on a chain, as decimal numbers; `error` if the chain's node failed. */
export type ChainBalances =
  | {
      readonly network: EvmNetwork;
      readonly gas: string;
      readonly assets: readonly {
        readonly symbol: string;
        readonly address: Address;
        readonly balance: string | null;
      }[];
    }
  | { readonly network: EvmNetwork; readonly error: string };

/** The networks to ask, in CAIP-2. `rpcEnv` is the variable with the RPC endpoint of the only one. */
export interface ChainChoice {
  readonly networks: readonly string[];
  readonly rpcEnv: string | undefined;
}

/** The chains to ask, each with its RPC endpoint. Throws UsageError, and an error if no chain is named. */
export function chainsToAsk(
  { networks, rpcEnv }: ChainChoice,
  env: Readonly<Record<string, string | undefined>>,
): readonly Chain[] {
  if (rpcEnv !== undefined && networks.length !== 1) throw new UsageError("--rpc-env is for one --network");
  if (rpcEnv !== undefined && !VARIABLE_NAME.test(rpcEnv)) {
    throw new UsageError("--rpc-env takes the name of an environment variable, not an address");
  }
  const asked = networks.map((text) => {
    const network = parseEvmNetwork(text);
    if (network === undefined)
      throw new UsageError(`--network "${text}" is not an EVM chain such as base or eip155:8453`);
    return network;
  });
  const all = [...new Set(asked.length > 0 ? asked : namedNetworks(env))].slice(0, MAX_CHAINS);
  if (all.length === 0) {
    throw new Error("Cannot query a chain: name its RPC endpoint in $TURNPIKE_RPC_<chain id>, as TURNPIKE_RPC_84532");
  }
  return all.map((network) => {
    const name = rpcEnv ?? rpcVariable(network);
    const url = env[name];
    if (url === undefined || url === "") {
      throw new Error(`Cannot query ${networkTitle(network)}: its RPC endpoint is not in $${name}`);
    }
    return { network, url };
  });
}

/** The balances of `owner` on each chain: known tokens, those in `more`, and gas; or the error of its node. */
export function balancesOf(
  chains: readonly Chain[],
  owner: Address,
  more: readonly Asset[],
): Promise<readonly ChainBalances[]> {
  return Promise.all(
    chains.map(async ({ network, url }): Promise<ChainBalances> => {
      const assets = [...assetsOn(network), ...more.filter((asset) => asset.network === network)].filter(isEvmAsset);
      try {
        const found = await readBalances(openChain(network, url), owner, assets);
        return {
          network,
          gas: formatAmount(found.gas.toString(), GAS_DECIMALS),
          assets: assets.map(({ symbol, address, decimals }, i) => {
            const balance = found.assets[i];
            return {
              symbol,
              address,
              balance: balance === undefined ? null : formatAmount(balance.toString(), decimals),
            };
          }),
        };
      } catch (error) {
        return { network, error: messageOf(error) };
      }
    }),
  );
}

/** The balances in readable form. */
export function balancesText(chains: readonly ChainBalances[]): string {
  return chains
    .flatMap((chain) => [
      networkTitle(chain.network),
      ...("error" in chain
        ? [`  ${chain.error}`]
        : [
            `  ${"gas".padEnd(6)} ${chain.gas}`,
            ...chain.assets.map(({ symbol, balance }) => `  ${symbol.padEnd(6)} ${balance ?? "no such token"}`),
          ]),
    ])
    .join("\n");
}
