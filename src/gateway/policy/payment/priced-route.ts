import { NewestMap } from "../../../lib/memory/newest-map.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Gift, type PaidRoute } from "./route/paid-route.ts";
import { payerOf, type Presented } from "./offer/presented.ts";
import { FreeForPayer, type Price, type PriceRules } from "./prices/price-rules.ts";

/** Prices of one route for which challenges are kept. The oldest is removed first. @bound */
const MAX_KEPT = 256;

/** Every request of a payer is free. */
const FREE: Gift = { take: () => () => {} };

/** The route at the price of a request. An error is the response to the request. */
export type Sold = PaidRoute | "free" | TurnpikeError;

/** A route at each of its prices. */
export class PricedRoute {
  readonly base: PaidRoute;
  readonly #rules: PriceRules | undefined;
  readonly #refusing: PaidRoute;
  readonly #at: (amounts: readonly string[]) => PaidRoute;
  readonly #kept = new NewestMap<string, PaidRoute>(MAX_KEPT);

  constructor(
    base: PaidRoute,
    rules: PriceRules | undefined,
    at: (amounts: readonly string[]) => PaidRoute = () => base,
  ) {
    this.base = base;
    this.#refusing = { ...base, isRefused: true };
    this.#rules = rules;
    this.#at = at;
  }

  /** Returns a promise only if the request's body decides. `presented`: the payment of the request. */
  of(exchange: Exchange, presented: Presented | undefined): Sold | Promise<Sold> {
    if (this.#rules === undefined) return this.base;
    const price = this.#rules.of(exchange, () => (presented === undefined ? "" : payerOf(presented)));
    return price instanceof Promise ? price.then((late) => this.#soldAt(late)) : this.#soldAt(price);
  }

  #soldAt(price: Price): Sold {
    if (price instanceof FreeForPayer) {
      return { ...this.#paidAt(price.at), gift: FREE };
    }
    // Work that has begun for a payment is finished.
    if (price === "refused") return this.#refusing;
    return price === "route" || isAmounts(price) ? this.#paidAt(price) : price;
  }

  #paidAt(price: "route" | readonly string[]): PaidRoute {
    if (price === "route") return this.base;
    const key = price.join(" ");
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const route = this.#at(price);
    this.#kept.set(key, route);
    return route;
  }
}

function isAmounts(price: Price): price is readonly string[] {
  return Array.isArray(price);
}
