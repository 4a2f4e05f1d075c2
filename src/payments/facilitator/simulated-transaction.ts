/** The start of each test-mode transaction hash ("test", twice): it cannot be mistaken for a real one. */
export const SIMULATED_PREFIX = "7e577e57";

/** True for the hash of a simulated transaction. */
export function isSimulated(transaction: string): boolean {
  return transaction.startsWith(`0x${SIMULATED_PREFIX}`);
}
