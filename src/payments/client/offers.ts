import { isAddress } from "../signatures/address.ts";
import { type Asset, findAsset } from "../x402/assets.ts";
import { type PaymentRequired, type PaymentRequirements } from "../x402/messages.ts";
import { networkTitle, parseNetwork } from "../x402/networks.ts";
import { formatAmount, parsePrice } from "../x402/price.ts";

/** One of a gateway's prices that this client can pay. */
export interface Offer {
  readonly requirements: PaymentRequirements;
  readonly asset: Asset;
  /** How the money moves: by the token itself, or by Permit2. */
  readonly method: "eip3009" | "permit2";
}

/** A payment that was not made: nothing was signed. */
export class PaymentDeclined extends Error {}

/** A payment that was not made because it is more than the limit. */
export class PriceTooHigh extends PaymentDeclined {}

/** What the wallet can pay an offer with, in atomic units. */
export interface Funds {
  readonly balance: bigint;
  /** What Permit2 may move of it. */
  readonly allowance: bigint;
}

export interface ChoiceOptions {
  /** The most that one request may cost, `$0.10`. */
  readonly maxPrice: string;
  /** Tokens to pay with beside those that are known, each taken to be worth a dollar. */
  readonly assets?: readonly Asset[] | undefined;
  /** What the chain says of the wallet; undefined where nobody can say. Without it no offer by Permit2 is taken. */
  readonly funds?: ((offer: Offer) => Promise<Funds | undefined>) | undefined;
}

/** Decimal places in which amounts of tokens with different decimals are compared and added up, exactly. */
const PLACES = 36;

/** The offer's price in 10^-36 dollars: every token that this client pays with is worth a dollar. */
export function dollarsOf({ requirements, asset }: Offer): bigint {
  return BigInt(requirements.amount) * 10n ** BigInt(PLACES - asset.decimals);
}

/** Dollars such as `$0.05` in 10^-36 of them. Throws where it is no amount, or zero. */
export function parseDollars(text: string): bigint {
  return BigInt(parsePrice(text, PLACES));
}

/** 10^-36 dollars as people write them: `$0.05`. */
export function formatDollars(amount: bigint): string {
  return `$${formatAmount(amount.toString(), PLACES)}`;
}

interface Candidate {
  readonly offer: Offer;
  /** The smaller, the sooner it is taken: 0 the money is there, 1 nobody knows, 2 it is not, as with test money that is on no chain. */
  readonly rank: number;
}

/**
 * The cheapest price that this client can pay within the limit; one that the wallet has the money for goes before one of
 * which that is not known. Throws PaymentDeclined where there is none. Tokens that nobody named are never paid with.
 */
export async function chooseOffer(required: PaymentRequired, options: ChoiceOptions): Promise<Offer> {
  const known = required.accepts.flatMap((requirements) => offerOf(requirements, options.assets ?? []) ?? []);
  const payable = known.filter(({ requirements }) => isAddress(requirements.payTo));
  if (known.length > 0 && payable.length === 0) throw new PaymentDeclined("Cannot pay: the payee is not an address");
  const limit = parseDollars(options.maxPrice);
  const affordable = payable.filter((offer) => dollarsOf(offer) <= limit).toSorted(cheapestFirst);
  const [cheapest] = payable.toSorted(cheapestFirst);
  if (affordable.length === 0 && cheapest !== undefined) {
    throw new PriceTooHigh(`Cannot pay ${formatDollars(dollarsOf(cheapest))}: the limit is ${options.maxPrice}`);
  }
  const candidates = (await Promise.all(affordable.map((offer) => weigh(offer, options)))).filter(
    (candidate) => candidate !== undefined,
  );
  // Sorting is stable: among equals the cheapest stays first.
  const [best] = candidates.toSorted((a, b) => a.rank - b.rank);
  if (best === undefined) throw noneKnown(required);
  return best.offer;
}

function noneKnown({ accepts }: PaymentRequired): PaymentDeclined {
  const asked = accepts.map(({ scheme, network }) => `${scheme} on ${networkTitle(network)}`).join(", ");
  return new PaymentDeclined(`Cannot pay: none of the ways asked for is known here (${asked || "none"})`);
}

function cheapestFirst(a: Offer, b: Offer): number {
  const difference = dollarsOf(a) - dollarsOf(b);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  // Under `upfront` the money moves before there is an answer.
  return Number(flowOf(a.requirements) === "upfront") - Number(flowOf(b.requirements) === "upfront");
}

function flowOf({ extra }: PaymentRequirements): unknown {
  return extra["paymentFlow"] ?? "authorization";
}

function offerOf(requirements: PaymentRequirements, assets: readonly Asset[]): Offer | undefined {
  const { scheme, extra } = requirements;
  const network = parseNetwork(requirements.network);
  const flow = flowOf(requirements);
  const asset =
    assets.find((candidate) => candidate.network === network && sameToken(candidate, requirements.asset)) ??
    findAsset(requirements.network, requirements.asset);
  if (network === undefined || asset === undefined) return undefined;
  const method = extra["assetTransferMethod"] ?? (scheme === "upto" ? "permit2" : "eip3009");
  const isExact = scheme === "exact" && (flow === "authorization" || flow === "upfront");
  if (isExact && method === "eip3009") return { requirements, asset, method };
  const facilitator = extra["facilitatorAddress"];
  const isUpto =
    scheme === "upto" && flow === "authorization" && typeof facilitator === "string" && isAddress(facilitator);
  return (isExact || isUpto) && method === "permit2" ? { requirements, asset, method } : undefined;
}

function sameToken({ address }: Asset, text: string): boolean {
  return address.toLowerCase() === text.toLowerCase();
}

/** Undefined where it cannot be paid: Permit2 needs an allowance, and one that is not known is none. */
async function weigh(offer: Offer, { funds }: ChoiceOptions): Promise<Candidate | undefined> {
  const found = await funds?.(offer);
  const amount = BigInt(offer.requirements.amount);
  if (offer.method === "permit2" && (found === undefined || found.allowance < amount)) return undefined;
  if (found === undefined) return { offer, rank: 1 };
  return { offer, rank: found.balance < amount ? 2 : 0 };
}
