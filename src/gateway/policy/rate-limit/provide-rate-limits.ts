import { type RouteConfig } from "../../config/config.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { routeName } from "../../routing/route-name.ts";
import { type Policy, type PolicyFeature } from "../policy.ts";
import { FreeQuota } from "./quota.ts";
import { createRateLimitPolicy, type RateLimits } from "./rate-limit.ts";
import type * as Redis from "./redis-store.ts";

/** Loaded with the first store for rate limits (bench start). */
const redis = (): typeof Redis => require("./redis-store.ts");

interface RateLimitParts extends FeatureParts {
  readonly rateLimits: RateLimits;
}

/** The store that rate limits share with other servers. `key` identifies its settings. */
interface Store {
  readonly key: string;
  readonly store: Redis.RedisStore;
}

/** Provides `routes[].rate_limit`, on `previous`' connection if the store is the same. Rejects for a bad URL. */
export async function provideRateLimits(
  parts: RateLimitParts,
  previous: RouteLimits | undefined,
): Promise<RouteLimits> {
  return new RouteLimits(parts, await openStore(parts, previous?.store));
}

async function openStore(
  { config, rateLimits: { counts }, log }: RateLimitParts,
  before: Store | undefined,
): Promise<Store | undefined> {
  const { redis_url_env: name, timeout_ms: timeoutMs } = config.rate_limit_store;
  if (name === "" || config.routes.every(limitsNothing)) return undefined;
  const url = readRedisUrl(name, process.env);
  const key = JSON.stringify([url, timeoutMs]);
  if (key === before?.key) return before;
  const store = new (redis().RedisStore)({ url, timeoutMs }, { counts, log });
  await store.ready();
  return { key, store };
}

function limitsNothing({ rate_limit: limit, x402 }: RouteConfig): boolean {
  return limit === undefined && x402?.free_per_day === undefined;
}

/** The rate limits of a configuration. */
export class RouteLimits implements PolicyFeature {
  readonly store: Store | undefined;
  readonly #parts: Pick<RateLimitParts, "rateLimits" | "respondWithError">;

  constructor({ rateLimits, respondWithError }: RateLimitParts, store: Store | undefined) {
    this.#parts = { rateLimits, respondWithError };
    this.store = store;
  }

  policy(route: RouteConfig | undefined): Policy | undefined {
    return route?.rate_limit?.key === "payer" ? undefined : this.#limitOf(route);
  }

  /** The limit by payers. It is for the payment policy, because a payer is known when a payment is verified. */
  ofPayers(route: RouteConfig): Policy | undefined {
    return route.rate_limit?.key === "payer" ? this.#limitOf(route) : undefined;
  }

  /** The free requests of a priced route. */
  quotaOf(route: RouteConfig, config: ConstructorParameters<typeof FreeQuota>[0]): FreeQuota {
    const { rateLimits: limits, respondWithError } = this.#parts;
    return new FreeQuota(config, routeName(route), { limits, store: this.store?.store, respondWithError });
  }

  #limitOf(route: RouteConfig | undefined): Policy | undefined {
    if (route?.rate_limit === undefined) return undefined;
    const { rateLimits: limits, respondWithError } = this.#parts;
    return createRateLimitPolicy(
      { ...route.rate_limit, route: routeName(route) },
      { limits, store: this.store?.store, respondWithError },
    );
  }

  close(next: RouteLimits | undefined): void {
    if (next?.store !== this.store) this.store?.store.close();
  }
}

/** Throws if the variable is not set, or is not a Redis URL. The error does not contain the value. */
export function readRedisUrl(name: string, environment: Readonly<Record<string, string | undefined>>): string {
  const url = environment[name];
  if (!url) throw new Error(`Cannot use rate_limit_store: the environment variable ${name} is not set`);
  if (!/^(?:redis|rediss|valkey|valkeys|redis\+unix|redis\+tls):\/\/\S+$/.test(url)) {
    throw new Error(`Cannot use rate_limit_store: the environment variable ${name} is not a redis:// URL`);
  }
  return url;
}
