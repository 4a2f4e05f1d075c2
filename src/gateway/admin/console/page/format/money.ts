import { type Amount } from "../api/shapes.ts";

/** Sums without rounding: amounts are whole units of their token, and larger than what numbers hold exactly. */
export function sum(amounts: readonly string[]): string {
  return amounts.reduce((total, amount) => total + toUnits(amount), 0n).toString();
}

function toUnits(amount: string): bigint {
  return /^\d{1,78}$/.test(amount) ? BigInt(amount) : 0n;
}

/** Units of a token as a decimal, with two digits after the point at least; whole units where its decimals are not known. */
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

/** Decimals of one length: figures of one column stand below each other. */
export function aligned(amounts: readonly { readonly amount: string; readonly decimals?: number }[]): string[] {
  const texts = amounts.map(({ amount, decimals }) => decimal(amount, decimals));
  const fractions = texts.map((text) => (text.includes(".") ? text.length - text.indexOf(".") - 1 : 0));
  const longest = Math.max(0, ...fractions);
  return texts.map((text, at) => {
    const fraction = fractions[at] ?? 0;
    return fraction === 0 ? text : text + "0".repeat(longest - fraction);
  });
}

/** 0x036CbD53842c5426634e7929541eC2318f3dCF7e as 0x036C…CF7e; short texts as they are. */
export function abbreviated(address: string): string {
  return address.length <= 16 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** What one kind of money is told apart by. */
export function currencyOf({ network, asset }: Pick<Amount, "network" | "asset">): string {
  return `${network} ${asset}`;
}
