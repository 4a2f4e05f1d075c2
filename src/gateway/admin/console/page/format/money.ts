import { type Amount } from "../api/shapes.ts";

/** Adds amounts without rounding: they are integers of token units, and can be larger than a number holds exactly. */
export function sum(amounts: readonly string[]): string {
  return amounts.reduce((total, amount) => total + toUnits(amount), 0n).toString();
}

function toUnits(amount: string): bigint {
  return /^\d{1,78}$/.test(amount) ? BigInt(amount) : 0n;
}

/** Token units as a decimal number with at least two digits after the point; an integer if the decimals are unknown. */
export function decimal(amount: string, decimals: number | undefined): string {
  const units = toUnits(amount).toString();
  if (decimals === undefined || decimals <= 0) return grouped(units);
  const padded = units.padStart(decimals + 1, "0");
  const fraction = padded.slice(-decimals).replace(/0+$/, "").padEnd(Math.min(2, decimals), "0");
  return `${grouped(padded.slice(0, -decimals))}.${fraction}`;
}

function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Decimal numbers with the same number of digits after the point, for one column. */
export function aligned(amounts: readonly Pick<Amount, "amount" | "decimals">[]): string[] {
  const texts = amounts.map(({ amount, decimals }) => decimal(amount, decimals));
  const fractions = texts.map((text) => (text.includes(".") ? text.length - text.indexOf(".") - 1 : 0));
  const longest = Math.max(...fractions);
  return texts.map((text, at) => {
    const fraction = fractions[at] ?? 0;
    return fraction === 0 ? text : text + "0".repeat(longest - fraction);
  });
}

/** Shortens 0x036CbD53842c5426634e7929541eC2318f3dCF7e to 0x036C…CF7e. Short texts stay as they are. */
export function abbreviated(address: string): string {
  return address.length <= 16 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** Identifies a token on a network. */
export function currencyOf({ network, asset }: Pick<Amount, "network" | "asset">): string {
  return `${network} ${asset}`;
}
