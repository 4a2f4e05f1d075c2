import { isDeepStrictEqual } from "node:util";
import { type Config, type RouteConfig } from "../config/config.ts";
import type * as Caches from "../proxy/cache/cache.ts";
import type * as Stores from "../proxy/cache/store.ts";
import { type ForwardTarget } from "../proxy/target.ts";
import { routeName } from "../routing/route-name.ts";
import { type CacheMetrics } from "../telemetry/cache-metrics.ts";
import { type Telemetry } from "../telemetry/telemetry.ts";
import type * as Methods from "../policy/auth/create-method.ts";
import { CONSUMER_HEADER } from "../policy/auth/method.ts";

/** Loaded with the first route that caches (bench start). */
const caches = (): typeof Caches => require("../proxy/cache/cache.ts");

/** Loaded as `caches` is. */
const stores = (): typeof Stores => require("../proxy/cache/store.ts");

/** Loaded with the first route that authenticates its clients (bench start). */
const methods = (): typeof Methods => require("../policy/auth/create-method.ts");

interface Kept {
  readonly route: RouteConfig;
  readonly store: Stores.CacheStore;
}

/** The cached responses of a configuration's routes. */
export class RouteCaches {
  readonly #byRoute: ReadonlyMap<string, Kept>;
  readonly #deps: { readonly telemetry: Telemetry; readonly now: () => number };

  /** Routes that have not changed since `previous` keep their cached responses. */
  constructor(
    { routes }: Pick<Config, "routes">,
    deps: { readonly telemetry: Telemetry; readonly now: () => number },
    previous: RouteCaches | undefined,
  ) {
    this.#deps = deps;
    const kept = new Map<string, Kept>();
    for (const route of routes) {
      if (route.cache === undefined) continue;
      const before = previous === undefined ? undefined : previous.#byRoute.get(routeName(route));
      const { max_entries: maxEntries, max_bytes: maxBytes } = route.cache;
      const { cache } = deps.telemetry;
      kept.set(
        routeName(route),
        before !== undefined && isDeepStrictEqual(before.route, route)
          ? before
          : {
              route,
              store: new (stores().CacheStore)({ maxEntries, maxBytes }, (entries, bytes) =>
                cache.holds(entries, bytes),
              ),
            },
      );
    }
    this.#byRoute = kept;
  }

  /** The cache of a route; undefined if caching is off. */
  create(route: RouteConfig, target: ForwardTarget): Caches.ResponseCache | undefined {
    const kept = this.#byRoute.get(routeName(route));
    if (route.cache === undefined || kept === undefined) return undefined;
    const { ttl_s: ttl, vary, max_entry_bytes: maxEntryBytes, targeted_fields: targeted } = route.cache;
    // A response for one consumer must not reach another.
    const identity =
      route.auth.type === "none" ? [] : [CONSUMER_HEADER.toLowerCase(), ...methods().identityNames(route.auth)];
    const keyNames = new Set([...vary.map((name) => name.toLowerCase()), ...identity]);
    const targets = targeted.map((name) => name.toLowerCase());
    const settings = { ttl, targets, vary: [...keyNames], maxEntryBytes };
    return new (caches().ResponseCache)(settings, target, {
      store: kept.store,
      watcher: this.#watcherOf(route),
      now: this.#deps.now,
    });
  }

  #watcherOf(route: RouteConfig): Pick<CacheMetrics, "responded"> {
    const { cache, traffic } = this.#deps.telemetry;
    const ofRoute = traffic.route(routeName(route));
    return {
      responded(how) {
        cache.responded(how);
        ofRoute.cached(how);
      },
    };
  }

  /** Deletes the cached responses, except those that `others` takes over. */
  close(others: RouteCaches | undefined): void {
    const taken = others === undefined ? undefined : others.#byRoute;
    for (const [name, kept] of this.#byRoute) if (taken?.get(name) !== kept) kept.store.close();
  }
}
