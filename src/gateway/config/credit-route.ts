import { type Config, type RouteConfig } from "./config.ts";
import { CREDIT_PATH } from "./own-paths.ts";
import { route } from "./schema/routes.ts";

/** The terms of a purchase, as those of a route; undefined if no credit is sold. `min` stands for the price. */
export function creditTerms({ credit }: Config["x402"]): RouteConfig["x402"] {
  if (credit === undefined) return undefined;
  const { min, max: _max, expires_days: _days, passes: _passes, rate_limit: _limit, accepts, ...account } = credit;
  const description = "Prepaid credit: a token that pays for requests";
  const x402 = {
    ...account,
    price: min,
    settle: "before",
    description,
    accepts: accepts.map((method) => ({ ...method, price: min })),
  };
  return route.parse({ path_prefix: CREDIT_PATH, fixed_response: {}, x402 }).x402;
}

/** The configuration with the route at which credit is sold. */
export function withCreditRoute(config: Config): Config {
  const x402 = creditTerms(config.x402);
  const rate_limit = config.x402.credit?.rate_limit;
  if (x402 === undefined || rate_limit === undefined) return config;
  const own: RouteConfig = { ...route.parse({ path_prefix: CREDIT_PATH, fixed_response: {} }), x402, rate_limit };
  return { ...config, routes: [...config.routes, own] };
}

/** The names in the ledger of the routes that have a price (`routing/route-name.ts`). */
export function pricedNames(routes: readonly (RouteConfig | undefined)[]): ReadonlySet<string> {
  const priced = routes.flatMap((one) => (one?.x402 === undefined ? [] : [one]));
  return new Set(
    priced.map(({ host = "", path_prefix: prefix, name = "" }) => `${host}${prefix}${name && `#${name}`}`),
  );
}
