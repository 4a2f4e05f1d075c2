/** The largest token amount, 2^256 - 1, has 78 digits. */
const ATOMIC = /^(?:0|[1-9][0-9]{0,77})$/;
const DOLLARS = /^\$(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,18}))?$/;
export const UINT256_MAX = (1n << 256n) - 1n;

/** A price that cannot be used. */
export class PriceError extends Error {
  override readonly name = "PriceError";
}

/** True for a decimal whole number of atomic units that fits in a uint256. */
export function isAtomic(text: string): boolean {
  return ATOMIC.test(text) && BigInt(text) <= UINT256_MAX;
}

/**
 * The price in atomic units. `"10000"` is taken as it is; `"$0.01"` is converted exactly with the token's decimals.
 * Throws a PriceError if the text has neither form, is zero, or has more decimal places than the token.
 */
export function parsePrice(text: string, decimals: number): string {
  const amount = isAtomic(text) ? text : dollarsToAtomic(text, decimals);
  if (amount === "0") throw new PriceError(`Cannot use the price "${text}": it is zero`);
  return amount;
}

function dollarsToAtomic(text: string, decimals: number): string {
  const match = DOLLARS.exec(text);
  if (match === null) {
    throw new PriceError(`Cannot read the price "${text}": it is neither atomic units ("10000") nor dollars ("$0.01")`);
  }
  const [, whole = "", fraction = ""] = match;
  const places = fraction.replace(/0+$/, "");
  if (places.length > decimals) {
    throw new PriceError(`Cannot use the price "${text}": the token has ${decimals} decimal places`);
  }
  return BigInt(whole + places.padEnd(decimals, "0")).toString();
}

/** Atomic units as a decimal number with two places or more, if the token has them: 10000 is `0.01` of USDC. */
export function formatAmount(atomic: string, decimals: number): string {
  if (decimals === 0) return atomic;
  const digits = atomic.padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return `${digits.slice(0, -decimals)}.${fraction.padEnd(Math.min(2, decimals), "0")}`;
}
