import { type Address } from "../x402/address.ts";
import { type EmbeddedChainOptions } from "../evm/embedded-facilitator.ts";
import { openChain, readBalances } from "../evm/balances.ts";
import { networkTitle } from "../x402/networks.ts";
import { formatAmount } from "../x402/price.ts";

/** The gas is low if it pays for fewer settlements than this, each at its highest possible price. @bound */
const LOW_SETTLEMENTS = 10n;
/** Time between two checks of the gas, in milliseconds. @bound */
const LOOK_MS = 60_000;
const GAS_DECIMALS = 18;

/** A key's gas on one chain. `cause` is set if the chain could not be asked; it contains no address of an endpoint. */
export type Gas = { readonly network: string; readonly account: Address } & (
  | { readonly balance: string; readonly wei: bigint; readonly isLow: boolean }
  | { readonly cause: string }
);

/** A chain, and the most that one settlement on it costs. */
type GasChain = Pick<EmbeddedChainOptions, "network" | "rpc_url" | "max_gas" | "max_fee_per_gas">;

/** Reads the gas of each account on each of the chains. */
export async function readGas(chains: readonly GasChain[], accounts: readonly Address[]): Promise<readonly Gas[]> {
  return await Promise.all(chains.flatMap((chain) => accounts.map((account) => readOne(chain, account))));
}

async function readOne({ network, rpc_url: url, max_gas, max_fee_per_gas }: GasChain, account: Address): Promise<Gas> {
  try {
    const { gas: wei } = await readBalances(openChain(network, url), account, []);
    const isLow = wei < LOW_SETTLEMENTS * BigInt(max_gas) * BigInt(max_fee_per_gas);
    return { network, account, balance: formatAmount(wei.toString(), GAS_DECIMALS), wei, isLow };
  } catch (error) {
    const why = error instanceof Error && typeof error.cause === "string" ? `: ${error.cause}` : "";
    return { network, account, cause: `the chain cannot be queried${why}` };
  }
}

/** A warning if the gas is low; undefined if it suffices or is unknown. @internal */
export function gasWarning(gas: Gas): string | undefined {
  if ("cause" in gas || !gas.isLow) return undefined;
  return `${networkTitle(gas.network)}: ${gas.balance} pays the gas of fewer than ${LOW_SETTLEMENTS} settlements at max_fee_per_gas (account ${gas.account})`;
}

/**
 * Checks the gas at once and then repeatedly, and logs when it becomes low. `tell` gets every result. Returns a function
 * that stops the checks.
 */
export function watchGas(
  look: () => Promise<readonly Gas[]>,
  log: (message: string) => void,
  tell: (all: readonly Gas[]) => void = () => {},
): () => void {
  let told = new Set<string>();
  let isOver = false;
  const check = async (): Promise<void> => {
    const all = await look();
    if (isOver) return;
    const low = all.filter((gas) => gasWarning(gas) !== undefined);
    for (const gas of low) if (!told.has(idOf(gas))) log(`warning: ${gasWarning(gas) ?? ""}`);
    told = new Set(low.map(idOf));
    tell(all);
  };
  const timer = setInterval(() => void check(), LOOK_MS);
  void check();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

function idOf({ network, account }: Gas): string {
  return `${network} ${account}`;
}
