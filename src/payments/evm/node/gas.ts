/** Maximum gas that chains accept in one transaction (EIP-7825). */
const MOST_GAS = 1n << 24n;

/** Maximum gas of a transaction with several settlements. `maxGas`: that of one. */
export function gasFor(settlements: number, maxGas: bigint): bigint {
  const most = maxGas * BigInt(settlements);
  return most < MOST_GAS ? most : MOST_GAS;
}
