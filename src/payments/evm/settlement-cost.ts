import { openChain } from "./balances.ts";
import { currentFees } from "./transactions/fees.ts";
import { isRpcError } from "./node/rpc.ts";

/**
 * Gas of one settlement, rounded up: of USDC by EIP-3009, and of a token by x402's Permit2 proxies. Chains that also
 * charge for data cost more.
 */
const GAS = { eip3009: 80_000n, permit2: 110_000n } as const;

/** The gas of one settlement by this transfer method. */
export function gasOf(method: unknown): bigint {
  return method === "permit2" ? GAS.permit2 : GAS.eip3009;
}

/** The chain's present price of gas in wei, at most `max_fee_per_gas`; undefined if it cannot be asked. */
export async function presentFee(chain: {
  readonly network: string;
  readonly rpc_url: string;
  readonly max_fee_per_gas: string;
}): Promise<bigint | undefined> {
  const most = BigInt(chain.max_fee_per_gas);
  const fees = await currentFees(openChain(chain.network, chain.rpc_url), most);
  if (fees === "too dear") return most;
  // The maximum leaves room for the base fee to double.
  return isRpcError(fees) ? undefined : fees.tip + (fees.maxFee - fees.tip) / 2n;
}
