import { type RouteX402Config } from "../../config/config.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type GiveBack, RateLimit, type RateLimitDeps } from "./rate-limit.ts";

const DAY_S = 86_400;

/** The free requests of one route, as buckets that fill in a day. */
export class FreeQuota {
  readonly key: "address" | "payer";
  readonly requests: number;
  readonly #limit: RateLimit;

  constructor(config: NonNullable<RouteX402Config["free_per_day"]>, route: string, deps: RateLimitDeps) {
    const { requests, key } = config;
    this.key = key;
    this.requests = requests;
    this.#limit = new RateLimit(
      {
        requests_per_second: requests / DAY_S,
        burst_size: requests,
        key: key === "payer" ? "payer" : "consumer",
        ipv6_prefix: 64,
        route: `free ${route}`,
      },
      { ...deps, limits: deps.limits.free },
    );
  }

  /** Undefined: this request is not free. */
  take(exchange: Exchange): GiveBack | undefined | Promise<GiveBack | undefined> {
    return this.#limit.take(exchange);
  }
}
