import { isAddress, sameAddress } from "../x402/address.ts";
import { type Asset, type EvmAsset, findAsset, isEvmAsset } from "../x402/assets.ts";
import { BATCH_SETTLEMENT } from "../x402/channel-messages.ts";
import { type PaymentRequired, type PaymentRequirements } from "../x402/messages.ts";
import { type ApprovalTerms } from "../evm/permit2/sign-approval.ts";
import { GAS_APPROVAL } from "../signatures/gas-approval.ts";
import { GAS_PERMIT } from "../signatures/gas-permit.ts";
import { isSolanaAddress } from "../solana/address.ts";
import { isSolana, networkTitle, parseNetwork } from "../x402/networks.ts";
import { formatAmount, parsePrice } from "../x402/price.ts";
import { flowOf, methodOf, SIMULATED_FACILITATOR } from "../x402/terms.ts";
import { placeOf, type Preference } from "./preference.ts";

/** One set of a gateway's payment requirements that this client can pay. */
export interface Choice {
  readonly requirements: PaymentRequirements;
  readonly asset: EvmAsset;
  /** The contract that moves the money: the token itself, or Permit2. */
  readonly method: "eip3009" | "permit2";
  /** Permit2 has no allowance yet: the payment contains a permit with this nonce of the token (EIP-2612). */
  readonly permitNonce?: bigint | undefined;
  /** Permit2 has no allowance yet, and the token no permits: the payment contains a signed approval. */
  readonly approval?: ApprovalTerms | undefined;
}

export interface SolanaChoice {
  readonly requirements: PaymentRequirements;
  readonly asset: Asset;
  readonly method: "solana";
}

/** Payment requirements that this client can pay. */
export type AnyChoice = Choice | SolanaChoice;

/** The client made no payment and signed nothing. */
export class PaymentDeclined extends Error {}

/** The client made no payment because the price is above the limit. */
export class PriceTooHigh extends PaymentDeclined {}

/** The wallet's funds for a payment method, in atomic units. */
export interface Funds {
  readonly balance: bigint;
  /** The part of the balance that Permit2 may move. */
  readonly allowance: bigint;
  /** The nonce of the next permit by EIP-2612; undefined if the token has no permits. */
  readonly permitNonce?: bigint | undefined;
  /** Reads what an approval of the wallet needs; undefined if its fees are too high or cannot be asked. */
  readonly approval?: (() => Promise<ApprovalTerms | undefined>) | undefined;
}

/** The limits by which a client chooses one of the payment requirements. */
export interface ChoiceOptions {
  /** The highest price of one request, for example `$0.10`. */
  readonly maxPrice: string;
  /** Tokens that the wallet may pay with, in addition to the known ones. Each is assumed to be worth one dollar. */
  readonly assets?: readonly Asset[] | undefined;
  /** Reads the wallet's funds from the chain; undefined if they are unknown. In that case no Permit2 method is taken. */
  readonly funds?: ((choice: Choice) => Promise<Funds | undefined>) | undefined;
  /** The client's own order of payment methods. Without it, and among methods with the same place, the cheapest is taken. */
  readonly prefer?: readonly Preference[] | undefined;
  /** Weighs a payment from a channel: the deposit that it needs, or why it is not possible. Undefined: no channels. */
  readonly weighChannel?: ((choice: Choice) => bigint | string) | undefined;
  /** The balance on Solana; undefined if it is unknown. Undefined: the wallet does not pay there. */
  readonly solanaBalance?: ((choice: SolanaChoice) => Promise<bigint | undefined>) | undefined;
}

/** Decimal places used to compare and add amounts of tokens with different decimals, without rounding. */
const PLACES = 36;

/** The price of a payment method in 10^-36 dollars. Each token that this client pays with is assumed to be worth one dollar. */
export function dollarsOf({ requirements, asset }: AnyChoice): bigint {
  return toDollars(BigInt(requirements.amount), asset.decimals);
}

/** Atomic units of a token in 10^-36 dollars. */
export function toDollars(amount: bigint, decimals: number): bigint {
  return amount * 10n ** BigInt(PLACES - decimals);
}

/** Converts dollars such as `$0.05` to units of 10^-36 dollars. Throws if the text is not an amount, or zero. */
export function parseDollars(text: string): bigint {
  return BigInt(parsePrice(text, PLACES));
}

/** Formats an amount in 10^-36 dollars for people: `$0.05`. */
export function formatDollars(amount: bigint): string {
  return `$${formatAmount(amount.toString(), PLACES)}`;
}

type Weight =
  | {
      /**
       * Lower ranks are taken first. 0: the funds suffice. 1: the funds are unknown. 2: the funds do not suffice, for
       * example test money that is on no chain.
       */
      readonly rank: number;
      readonly permitNonce?: bigint | undefined;
      readonly approval?: ApprovalTerms | undefined;
    }
  /** It cannot pay. */
  | { readonly reason: string };

/**
 * Chooses a price that this client can pay within the limit. A payment method that the wallet's funds cover comes before one
 * whose funds are unknown. Then the client's own order counts, then the price. Tokens that are neither known nor in
 * `options.assets` are never used. Throws PaymentDeclined if no payment method can be paid.
 */
export async function choosePayment(required: PaymentRequired, options: ChoiceOptions): Promise<AnyChoice> {
  const known = required.accepts.flatMap((requirements) => choiceOf(requirements, options) ?? []);
  const payable = known.filter(({ requirements: { payTo }, method }) =>
    method === "solana" ? isSolanaAddress(payTo) : isAddress(payTo),
  );
  if (known.length > 0 && payable.length === 0) throw new PaymentDeclined("Cannot pay: the payee is not an address");
  const limit = parseDollars(options.maxPrice);
  const affordable = payable.filter((choice) => dollarsOf(choice) <= limit).toSorted(byOrder(options.prefer ?? []));
  const [cheapest] = payable.toSorted(cheapestFirst);
  if (affordable.length === 0 && cheapest !== undefined) {
    throw new PriceTooHigh(`Cannot pay ${formatDollars(dollarsOf(cheapest))}: the limit is ${options.maxPrice}`);
  }
  const weighed = await Promise.all(
    affordable.map(
      async (choice) =>
        ({ choice, ...(await weigh(choice, options, required)) }) satisfies { choice: AnyChoice } & Weight,
    ),
  );
  const candidates = weighed.filter((one) => "rank" in one);
  // Sorting is stable: among equal ranks the order stays.
  const [best] = candidates.toSorted((a, b) => a.rank - b.rank);
  if (best !== undefined) {
    const { choice, permitNonce, approval } = best;
    return choice.method === "solana" ? choice : { ...choice, permitNonce, approval };
  }
  const reasons = new Map(weighed.map((one) => [one.choice.requirements, "reason" in one ? `: ${one.reason}` : ""]));
  const asked = required.accepts.map((one) => `${one.scheme} on ${networkTitle(one.network)}${reasons.get(one) ?? ""}`);
  throw new PaymentDeclined(
    `Cannot pay: this client supports none of the payment methods asked for (${asked.join(", ") || "none"})`,
  );
}

/** By the client's own order; within one place the cheapest first. */
function byOrder(prefer: readonly Preference[]): (a: AnyChoice, b: AnyChoice) => number {
  const place = ({ requirements, asset }: AnyChoice): number => placeOf(prefer, requirements.scheme, asset);
  return (a, b) => place(a) - place(b) || cheapestFirst(a, b);
}

function cheapestFirst(a: AnyChoice, b: AnyChoice): number {
  return Number(dollarsOf(a) - dollarsOf(b)) || orderOf(a) - orderOf(b);
}

/**
 * The order of payments with equal prices. A channel needs no transaction, and charges what was delivered, as `upto`
 * does. Under `upfront` the money moves before the response arrives.
 */
const ORDER: readonly unknown[] = [BATCH_SETTLEMENT, "upto", "authorization", "upfront"];

function orderOf({ requirements }: AnyChoice): number {
  return ORDER.indexOf(requirements.scheme === "exact" ? flowOf(requirements) : requirements.scheme);
}

function choiceOf(
  requirements: PaymentRequirements,
  { assets = [], weighChannel, solanaBalance }: ChoiceOptions,
): AnyChoice | undefined {
  const { scheme, extra } = requirements;
  const network = parseNetwork(requirements.network);
  const flow = flowOf(requirements);
  const asset =
    assets.find((candidate) => candidate.network === network && sameAddress(candidate.address, requirements.asset)) ??
    findAsset(requirements.network, requirements.asset);
  if (network === undefined || asset === undefined) return undefined;
  const isExact = scheme === "exact" && (flow === "authorization" || flow === "upfront");
  if (isSolana(network) && isExact && solanaBalance !== undefined) return { requirements, asset, method: "solana" };
  if (!isEvmAsset(asset)) return undefined;
  const method = methodOf(requirements);
  if (isExact && method === "eip3009") return { requirements, asset, method };
  const isChannel = scheme === BATCH_SETTLEMENT && weighChannel !== undefined;
  if (isChannel && (method === "eip3009" || method === "permit2")) return { requirements, asset, method };
  const facilitator = extra["facilitatorAddress"];
  const isUpto =
    scheme === "upto" && flow === "authorization" && typeof facilitator === "string" && isAddress(facilitator);
  return (isExact || isUpto) && method === "permit2" ? { requirements, asset, method } : undefined;
}

/** Ranks a way to pay by the wallet's funds. An unknown Permit2 allowance counts as 0. */
async function weigh(
  choice: AnyChoice,
  { funds, weighChannel, solanaBalance }: ChoiceOptions,
  { extensions }: PaymentRequired,
): Promise<Weight> {
  if (choice.method === "solana")
    return { rank: rankOf(await solanaBalance?.(choice), BigInt(choice.requirements.amount)) };
  const { facilitatorAddress } = choice.requirements.extra;
  // No chain has this facilitator, so the payment moves no money.
  if (typeof facilitatorAddress === "string" && sameAddress(facilitatorAddress, SIMULATED_FACILITATOR))
    return { rank: 1 };
  const isChannel = choice.requirements.scheme === BATCH_SETTLEMENT;
  const amount = isChannel ? (weighChannel?.(choice) ?? 0n) : BigInt(choice.requirements.amount);
  if (typeof amount === "string") return { reason: amount };
  if (amount === 0n) return { rank: 0 };
  const found = await funds?.(choice);
  const rank = rankOf(found?.balance, amount);
  if (choice.method !== "permit2") return { rank };
  if (found === undefined) return { reason: "the allowance to Permit2 is unknown" };
  if (found.allowance >= amount) return { rank };
  const offered = isChannel ? undefined : extensions;
  const { permitNonce } = found;
  if (permitNonce !== undefined && offered?.[GAS_PERMIT] !== undefined && choice.asset.lacksPermit !== true)
    return { rank, permitNonce };
  const approval = offered?.[GAS_APPROVAL] === undefined ? undefined : await found.approval?.();
  if (approval === undefined) return { reason: "the allowance to Permit2 is too low" };
  // Other methods come first: an approval stays, and may cost the wallet's own gas.
  return { rank: Math.max(rank, 1), approval };
}

function rankOf(balance: bigint | undefined, amount: bigint): number {
  return balance === undefined ? 1 : balance < amount ? 2 : 0;
}
