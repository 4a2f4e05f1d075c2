import { priceText } from "../../../../payments/x402/price-text.ts";
import { compileTerms, type Terms } from "../../../../payments/x402/terms.ts";
import { type RouteX402Config } from "../../../config/config.ts";

type Rule = RouteX402Config["rules"][number];

export interface PriceListing {
  readonly rules: readonly object[];
  readonly freePerDay?: { readonly requests: number; readonly key: "address" | "payer" };
}

/**
 * The rules of a route for all clients, in their order. `text` has a rule in words: `POST, /model is "small": $0.02`. Amounts are
 * atomic units, for each item of `terms`: the route's own and then those of its `accepts`.
 */
export function listedRules(rules: readonly Rule[], terms: readonly Terms[]): object[] {
  return rules
    .filter(({ consumers, payers }) => consumers.length + payers.length === 0)
    .map((rule) => {
      const conditions = conditionsOf(rule).join(", ");
      const { words, ...result } = resultOf(rule, terms);
      return { text: conditions === "" ? words : `${conditions}: ${words}`, when: whenOf(rule), ...result };
    });
}

/** Values of fields and query parameters are left out, because they may be secrets. */
function whenOf({ match, body, body_bytes: bodyBytes, utc_hours: utcHours }: Rule): object {
  const { methods, path_pattern: pathPattern, query, headers } = match;
  return {
    ...(methods.length === 0 ? {} : { methods }),
    pathPattern,
    ...(query.length === 0 ? {} : { query: query.map(({ name }) => name) }),
    ...(headers.length === 0 ? {} : { fields: headers.map(({ name }) => name) }),
    ...(body.length === 0 ? {} : { body }),
    bodyBytes,
    utcHours,
  };
}

function conditionsOf({ match, body, body_bytes: bytes, utc_hours: hours }: Rule): string[] {
  const { methods, path_pattern: path, query, headers } = match;
  return [
    ...(methods.length === 0 ? [] : [methods.join(" or ")]),
    ...(path === undefined ? [] : [`path ${path}`]),
    ...query.map(({ name }) => `query parameter ${name}`),
    ...headers.map(({ name }) => `field ${name}`),
    ...body.map(bodyText),
    ...(bytes === undefined ? [] : [`body of ${rangeText(bytes)} bytes`]),
    ...(hours === undefined ? [] : [`${hours.from}:00 to ${hours.to}:00 UTC`]),
  ];
}

function bodyText({ pointer, value, min, max }: Rule["body"][number]): string {
  if (value !== undefined) return `${pointer} is ${JSON.stringify(value)}`;
  return min === undefined && max === undefined ? `with ${pointer}` : `${pointer} ${rangeText({ min, max })}`;
}

function rangeText({ min, max }: { readonly min?: number | undefined; readonly max?: number | undefined }): string {
  const hasMax = max !== undefined && max < Number.MAX_SAFE_INTEGER;
  if (!hasMax) return `at least ${min ?? 0}`;
  return min === undefined || min === 0 ? `at most ${max}` : `${min} to ${max}`;
}

function resultOf({ price, unit_price: unit, free }: Rule, terms: readonly Terms[]) {
  const amountsOf = (text: string): string[] => terms.map((one) => compileTerms({ ...one, price: text }).amount);
  if (free === true) return { words: "free", free };
  if (price !== undefined) return { words: listedPrice(price, terms), amounts: amountsOf(price) };
  if (unit === undefined) return { words: "not sold", refused: true as const };
  const { count, min, max, items } = unit;
  const least = min === undefined ? "" : `, at least ${listedPrice(min, terms)}`;
  const most = max === undefined ? "" : `, at most ${listedPrice(max, terms)}`;
  return {
    words: `${itemsText(unit, terms)}${count === undefined ? "" : ` for each of ${count}`}${least}${most}`,
    unit: {
      count,
      items: items && {
        pointer: items.pointer,
        amounts: Object.fromEntries(Object.entries(items.prices).map(([name, text]) => [name, amountsOf(text)])),
        sharePercent: items.share_percent,
      },
      amounts: amountsOf(unit.price),
      min: min === undefined ? undefined : amountsOf(min),
      max: max === undefined ? undefined : amountsOf(max),
    },
  };
}

/** The price of one unit: `$0.005 (/formats: pdf $0.01, the most expensive and 10% of each other)`. */
function itemsText({ price, items }: NonNullable<Rule["unit_price"]>, terms: readonly Terms[]): string {
  const one = listedPrice(price, terms);
  if (items === undefined) return one;
  const named = Object.entries(items.prices).map(([name, text]) => `${name} ${listedPrice(text, terms)}`);
  return `${one} (${items.pointer}: ${[...named, `the most expensive and ${items.share_percent}% of each other`].join(", ")})`;
}

function listedPrice(price: string, terms: readonly Terms[]): string {
  return priceText(terms.map((one) => compileTerms({ ...one, price })));
}
