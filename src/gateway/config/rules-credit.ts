import { messageOf } from "../../lib/caught.ts";
import { parseEvmNetwork, parseNetwork } from "../../payments/x402/networks.ts";
import type * as Terms from "../../payments/x402/terms.ts";
import { type RouteX402Config } from "./config.ts";
import { creditTerms, pricedNames } from "./credit-route.ts";
import { type Draft, firstWith, type Report } from "./draft.ts";
import { CREDIT_PATH } from "./own-paths.ts";
import { acceptsRules } from "./rules-routes.ts";
import { checkFacilitator } from "./rules-x402.ts";

/** Loaded with the first credit (bench start). */
const terms = (): typeof Terms => require("../../payments/x402/terms.ts");

/** Checks `x402.credit`. */
export function checkCredit({ x402, routes }: Draft, report: Report): void {
  const sold = x402 && creditTerms(x402);
  if (x402?.credit === undefined || sold === undefined) return;
  const { min, max, passes } = x402.credit;
  const path = "x402.credit";
  if (!x402.enabled) report.problem(path, "requires x402.enabled");
  else checkFacilitator(sold, path, { x402, report });
  // The prices are checked below, at their own keys.
  acceptsRules(pricedAt(sold, "1"), path, report);
  for (const [i, { network: name }] of [sold, ...sold.accepts].entries()) {
    const at = i === 0 ? path : `${path}.accepts[${i - 1}]`;
    if (parseNetwork(name) !== parseEvmNetwork(name))
      report.problem(`${at}.network`, "credit is sold on EVM chains only");
  }
  unusable(sold, routes, report);
  const amountOf = (price: string, at: string): bigint => {
    try {
      const [amount = 0n] = [sold, ...sold.accepts].map((one) =>
        BigInt(terms().compileTerms({ ...one, price }).amount),
      );
      return amount;
    } catch (error) {
      report.problem(at, messageOf(error));
      return 0n;
    }
  };
  if (amountOf(max, `${path}.max`) < amountOf(min, `${path}.min`)) report.problem(`${path}.max`, "is less than min");
  for (const [i, route] of routes.entries()) {
    if (route?.path_prefix === CREDIT_PATH) report.problem(`routes[${i}].path_prefix`, "is the path of x402.credit");
  }
  const seen = new Map<string, number>();
  const known = pricedNames(routes);
  for (const [i, pass] of passes.entries()) {
    const at = `${path}.passes[${i}]`;
    const other = firstWith(seen, pass.name, i);
    if (other !== undefined) report.problem(`${at}.name`, `is also the name of ${path}.passes[${other}]`);
    amountOf(pass.price, `${at}.price`);
    for (const [j, name] of pass.routes.entries()) {
      if (!known.has(name)) report.problem(`${at}.routes[${j}]`, `there is no priced route ${JSON.stringify(name)}`);
    }
  }
}

function pricedAt(sold: RouteX402Config, price: string): RouteX402Config {
  return { ...sold, price, accepts: sold.accepts.map((method) => ({ ...method, price })) };
}

/** Warns about a currency in which credit is sold, and that no route accepts. */
function unusable(sold: RouteX402Config, routes: Draft["routes"], report: Report): void {
  const priced = routes.flatMap((route) => (route?.x402 === undefined ? [] : [route.x402, ...route.x402.accepts]));
  const spent = new Set(priced.map(currencyOf));
  for (const [i, one] of [sold, ...sold.accepts].entries()) {
    const currency = currencyOf(one);
    if (currency === "" || spent.has(currency)) continue;
    const at = i === 0 ? "x402.credit" : `x402.credit.accepts[${i - 1}]`;
    report.warning(`${at}.asset`, "no route accepts this token on this network, so that its credit pays for nothing");
  }
}

/** Empty if the terms are not valid. */
function currencyOf(one: Terms.Terms): string {
  try {
    const { network, asset } = terms().compileTerms(one);
    return `${network} ${asset.toLowerCase()}`;
  } catch {
    return "";
  }
}
