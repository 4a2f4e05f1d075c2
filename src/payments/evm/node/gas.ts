import { smallest } from "../../../lib/extremes.ts";

/** Maximum gas that chains accept in one transaction (EIP-7825). */
const MOST_GAS = 1n << 24n;

/** Maximum gas of a transaction with several settlements. `maxGas`: that of one. */
export function gasFor(settlements: number, maxGas: bigint): bigint {
  return smallest(maxGas * BigInt(settlements), MOST_GAS);
}
