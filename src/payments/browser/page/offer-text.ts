import { type PaymentRequirements } from "../../x402/messages.ts";
import { formatAmount, isAtomic } from "../../x402/price.ts";
import { type PageData, tokenOf, wayOf } from "../page-data.ts";

/** An amount of the offer's token. It does not contain names that the seller or the token's contract chose. */
export function amountText(data: PageData, offer: PaymentRequirements, amount: string): string {
  const known = tokenOf(data, offer);
  if (known === undefined) return `${amount} units of ${offer.asset}`;
  return `${formatAmount(amount, known.decimals)} ${known.symbol}`;
}

/** The price, or under `upto` the most that can be charged. */
export function priceText(data: PageData, offer: PaymentRequirements): string {
  const most = offer.scheme === "upto" ? "up to " : "";
  return most + amountText(data, offer, offer.amount);
}

/** An offer beside others. */
export function offerText(data: PageData, offer: PaymentRequirements): string {
  const by = offer.scheme === "exact" && wayOf(offer, data) === "permit2" ? ", by Permit2" : "";
  return `${priceText(data, offer)} on ${titleOf(data, offer)}${by}`;
}

export function titleOf({ networks }: PageData, { network }: PaymentRequirements): string {
  return networks[network]?.title ?? network;
}

/** The sum that was paid, by a receipt of success. `charged`: its amount, which it has under `upto`. */
export function paidText(data: PageData, offer: PaymentRequirements, charged: unknown): string {
  const isUpto = offer.scheme === "upto" && typeof charged === "string" && isAtomic(charged);
  if (!isUpto) return `Paid ${priceText(data, offer)}`;
  return `Paid ${amountText(data, offer, charged)} of at most ${amountText(data, offer, offer.amount)}`;
}
