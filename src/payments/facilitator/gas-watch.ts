import { type Address } from "../signatures/address.ts";
import { type ReadChain } from "./chain-settings.ts";
import { openChain, readBalances } from "../client/funds.ts";
import { networkTitle } from "../x402/networks.ts";
import { formatAmount } from "../x402/price.ts";

/** Fewer settlements than this, at the highest price that they may cost, are little gas. @bound */
const LOW_SETTLEMENTS = 10n;
/** Milliseconds between two looks. @bound */
const LOOK_MS = 600_000;
const GAS_DECIMALS = 18;

/** What a key has for gas on one chain; `cause` where the chain did not say. It names no address of an endpoint. */
export type Gas =
  | { readonly network: string; readonly balance: string; readonly isLow: boolean }
  | { readonly network: string; readonly cause: string };

/** Reads what `owner` has for gas on each of the chains. */
export async function readGas(chains: readonly ReadChain[], owner: Address): Promise<readonly Gas[]> {
  return await Promise.all(
    chains.map(async ({ network, rpc_url: url, max_gas: maxGas, max_fee_per_gas: maxFee }): Promise<Gas> => {
      try {
        const { gas } = await readBalances(openChain(network, url), owner, []);
        const isLow = gas < LOW_SETTLEMENTS * BigInt(maxGas) * BigInt(maxFee);
        return { network, balance: formatAmount(gas.toString(), GAS_DECIMALS), isLow };
      } catch {
        return { network, cause: "cannot be asked" };
      }
    }),
  );
}

/** The warning where there is little; undefined where there is enough, or nobody knows. */
export function gasWarning(gas: Gas): string | undefined {
  if ("cause" in gas || !gas.isLow) return undefined;
  return `${networkTitle(gas.network)}: ${gas.balance} is gas for fewer than ${LOW_SETTLEMENTS} settlements at the highest price that they may cost`;
}

/** Looks again and again, and tells when there is little on a chain where there was enough. Returns how to stop that. */
export function watchGas(look: () => Promise<readonly Gas[]>, log: (message: string) => void): () => void {
  let told = new Set<string>();
  const timer = setInterval(() => {
    void look().then((all) => {
      const low = all.filter((gas) => gasWarning(gas) !== undefined);
      for (const gas of low) if (!told.has(gas.network)) log(`warning: ${gasWarning(gas) ?? ""}`);
      told = new Set(low.map(({ network }) => network));
      return told;
    });
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
