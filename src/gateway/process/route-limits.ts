import { type RespondWithError } from "../local-response.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { type Policy } from "../policy/policy.ts";
import { createRateLimitPolicy, type RateLimits } from "../policy/rate-limit/rate-limit.ts";
import { routeName } from "../routing/route-name.ts";
import type * as Redis from "../policy/rate-limit/redis-store.ts";

/** Loaded with the first store for rate limits (bench start). */
const redis = (): typeof Redis => require("../policy/rate-limit/redis-store.ts");

/** The rate limits of all workers, and the log for a store that fails. */
export interface LimitDeps {
  readonly rateLimits: RateLimits;
  readonly log: (message: string) => void;
}

/** The rate limits of a configuration's routes, with the store that they share with other servers. */
export class RouteLimits {
  readonly #deps: LimitDeps;
  readonly #respondWithError: RespondWithError;
  readonly #storeKey: string;
  readonly #store: Redis.RedisStore | undefined;

  private constructor(
    deps: LimitDeps,
    respondWithError: RespondWithError,
    store: readonly [string, Redis.RedisStore | undefined],
  ) {
    this.#deps = deps;
    this.#respondWithError = respondWithError;
    [this.#storeKey, this.#store] = store;
  }

  /**
   * Takes over the connection of `previous` if the store is the same. Rejects if the URL of the store is missing or not
   * valid.
   */
  static async create(
    config: Pick<Config, "rate_limit_store" | "routes">,
    deps: LimitDeps,
    {
      respondWithError,
      previous,
    }: { readonly respondWithError: RespondWithError; readonly previous: RouteLimits | undefined },
  ): Promise<RouteLimits> {
    const { redis_url_env: name, timeout_ms: timeoutMs } = config.rate_limit_store;
    const isUsed = name !== "" && config.routes.some((route) => route.rate_limit !== undefined);
    if (!isUsed) return new RouteLimits(deps, respondWithError, ["", undefined]);
    const url = readRedisUrl(name, process.env);
    const key = JSON.stringify([url, timeoutMs]);
    if (previous !== undefined && key === previous.#storeKey) {
      return new RouteLimits(deps, respondWithError, [key, previous.#store]);
    }
    const store = new (redis().RedisStore)({ url, timeoutMs }, { metrics: deps.rateLimits.metrics, log: deps.log });
    await store.ready();
    return new RouteLimits(deps, respondWithError, [key, store]);
  }

  /** The policy of a route; undefined without a limit. */
  policy(route: RouteConfig): Policy | undefined {
    if (route.rate_limit === undefined) return undefined;
    return createRateLimitPolicy(
      { ...route.rate_limit, route: routeName(route) },
      { limits: this.#deps.rateLimits, store: this.#store, respondWithError: this.#respondWithError },
    );
  }

  close(other: RouteLimits | undefined): void {
    if (other === undefined || other.#store !== this.#store) this.#store?.close();
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
