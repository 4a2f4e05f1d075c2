import { findAsset } from "./assets.ts";
import { type PaymentRequirements } from "./messages.ts";
import { formatAmount } from "./price.ts";

/** A short text of a price: `$0.005`, `up to $0.10`, or `$0.02 or $0.03` for several payment requirements. */
export function priceText(accepts: readonly PaymentRequirements[]): string {
  return [...new Set(accepts.map(requirementsText))].join(" or ");
}

function requirementsText({ scheme, amount, asset, network }: PaymentRequirements): string {
  const known = findAsset(network, asset);
  const most = scheme === "upto" ? "up to " : "";
  if (known === undefined) return `${most}${amount} units of ${asset}`;
  return `${most}$${dollars(formatAmount(amount, known.decimals))}`;
}

function dollars(amount: string): string {
  return amount.includes(".") ? amount : `${amount}.00`;
}
