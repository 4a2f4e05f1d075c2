import { findAsset } from "../../../payments/x402/assets.ts";
import { networkTitle, parseNetwork } from "../../../payments/x402/networks.ts";
import { formatAmount } from "../../../payments/x402/price.ts";
import type * as Terms from "../../../payments/x402/terms.ts";
import type * as SettlementCosts from "../../../payments/evm/settlement-cost.ts";
import { type EmbeddedOptions } from "../../../payments/evm/embedded-facilitator.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic } from "../../config/diagnostic.ts";

/** Loaded with an embedded facilitator (bench start). */
const x402Terms = (): typeof Terms => require("../../../payments/x402/terms.ts");
const settlementCosts = (): typeof SettlementCosts => require("../../../payments/evm/settlement-cost.ts");

/** Millionths of a dollar in one. */
const MICRO = 1_000_000n;
const MICRO_DIGITS = 6;
const WEI_PER_COIN = 10n ** 18n;

/**
 * Warns of prices of routes, rules and prepaid credit that are below the present gas of their settlement by this gateway's own keys. A chain
 * without `native_price`, or that cannot be asked, gives no warning. Does not reject.
 */
export async function priceWarnings(
  config: Config,
  embedded: EmbeddedOptions | undefined,
): Promise<readonly Diagnostic[]> {
  if (embedded === undefined) return [];
  const { x402 } = config;
  // A rule has the same price under every payment method.
  const warnings = new Map<string, Diagnostic>();
  for (const [i, { network: name, native_price: coin }] of x402.chains.entries()) {
    const network = parseNetwork(name);
    const chain = embedded.chains.find((other) => other.network === network);
    if (coin === "" || network === undefined || chain === undefined) continue;
    const fee = await settlementCosts().presentFee(chain);
    if (fee === undefined) continue;
    const costOf = (gas: bigint): bigint => (gas * fee * microDollars(coin)) / WEI_PER_COIN;
    for (const { path, price, gas } of pricesOn(config, network)) {
      const cost = costOf(gas);
      if (price >= cost) continue;
      const text = `${dollars(price)} is less than the gas of a settlement on ${networkTitle(network)}`;
      const how = `${gas} gas at ${fee} wei, with x402.chains[${i}].native_price`;
      const message = `${text}, about ${dollars(cost)} at present (${how})`;
      warnings.set(`${path} ${message}`, { path, message });
    }
  }
  return [...warnings.values()];
}

interface Priced {
  readonly path: string;
  /** Millionths of a dollar. */
  readonly price: bigint;
  readonly gas: bigint;
}

/** The prices on a chain that the embedded facilitator settles, in tokens of known value. 0 is free, and needs no gas. */
function pricesOn(config: Config, network: string): readonly Priced[] {
  return [...config.routes.flatMap(routePrices), ...creditPrices(config.x402.credit)].flatMap(({ path, terms }) => {
    const requirements = x402Terms().compileTerms(terms);
    const asset = findAsset(requirements.network, requirements.asset);
    if (requirements.network !== network || asset === undefined || requirements.amount === "0") return [];
    const price = (BigInt(requirements.amount) * MICRO) / 10n ** BigInt(asset.decimals);
    return [{ path, price, gas: settlementCosts().gasOf(x402Terms().methodOf(requirements)) }];
  });
}

interface Listed {
  readonly path: string;
  readonly terms: Terms.Terms;
}

/** The prices of a route and of its rules; of units the least price of a request. */
function routePrices({ x402 }: Config["routes"][number], i: number): readonly Listed[] {
  if (x402 === undefined || x402.facilitator_url !== "") return [];
  const ruled = x402.rules.flatMap(({ price, unit_price: unit }, j) => {
    const path = `routes[${i}].x402.rules[${j}]`;
    if (price !== undefined) return [{ path: `${path}.price`, price }];
    if (unit === undefined) return [];
    const [key, least] = unit.min === undefined ? (["price", unit.price] as const) : (["min", unit.min] as const);
    return [{ path: `${path}.unit_price.${key}`, price: least }];
  });
  return [x402, ...x402.accepts].flatMap((terms, j) => {
    const path = `routes[${i}].x402${j === 0 ? "" : `.accepts[${j - 1}]`}.price`;
    return [{ path, terms }, ...ruled.map((rule) => ({ path: rule.path, terms: { ...terms, price: rule.price } }))];
  });
}

function creditPrices(credit: Config["x402"]["credit"]): readonly Listed[] {
  if (credit === undefined || credit.facilitator_url !== "") return [];
  const prices = [
    { path: "x402.credit.min", price: credit.min },
    ...credit.passes.map(({ price }, i) => ({ path: `x402.credit.passes[${i}].price`, price })),
  ];
  return [credit, ...credit.accepts].flatMap((method) =>
    prices.map(({ path, price }) => ({ path, terms: { ...method, price, scheme: "exact" as const } })),
  );
}

function microDollars(text: string): bigint {
  const [whole = "", part = ""] = text.split(".");
  return BigInt(whole + part.padEnd(MICRO_DIGITS, "0"));
}

function dollars(micro: bigint): string {
  return `$${formatAmount(micro.toString(), MICRO_DIGITS)}`;
}
