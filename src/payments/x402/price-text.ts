import { findAsset } from "./assets.ts";
import { type PaymentRequirements } from "./messages.ts";
import { formatAmount } from "./price.ts";

const UP_TO = "up to ";

/**
 * A short text of a price: `$0.005`, or `$0.02 or $0.03` for several payment requirements. `up to $0.10` also stands for an
 * exact price of $0.10.
 */
export function priceText(accepts: readonly PaymentRequirements[]): string {
  const texts = new Set(accepts.map(requirementsText));
  return [...texts].filter((text) => !texts.has(UP_TO + text)).join(" or ");
}

function requirementsText({ scheme, amount, asset, network }: PaymentRequirements): string {
  const known = findAsset(network, asset);
  const most = scheme === "upto" ? UP_TO : "";
  if (known === undefined) return `${most}${amount} units of ${asset}`;
  return `${most}$${dollars(formatAmount(amount, known.decimals))}`;
}

function dollars(amount: string): string {
  return amount.includes(".") ? amount : `${amount}.00`;
}
