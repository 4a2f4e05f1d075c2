import { isDeepStrictEqual } from "node:util";
import { eventTime } from "../../../lib/time/event-clock.ts";
import { type RouteConfig } from "../../config/config.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import type * as Methods from "../../policy/auth/create-method.ts";
import { CONSUMER_HEADER } from "../../policy/auth/method.ts";
import { matchOf } from "../../routing/conditions.ts";
import { routeName } from "../../routing/route-name.ts";
import { type Telemetry } from "../../telemetry/telemetry.ts";
import { forward } from "../forward.ts";
import { type ForwardTarget } from "../target.ts";
import type * as Caches from "./cache.ts";
import type * as Observing from "./observing-sinks.ts";
import type * as Store from "./store.ts";
import type * as AllStores from "./stores.ts";

/** Loaded with the first route that caches (bench start). */
const caches = (): typeof Caches => require("./cache.ts");
const observing = (): typeof Observing => require("./observing-sinks.ts");
const stored = (): typeof Store => require("./store.ts");
const allStores = (): typeof AllStores => require("./stores.ts");

/** Loaded with the first route that authenticates its clients (bench start). */
const methods = (): typeof Methods => require("../../policy/auth/create-method.ts");

interface KeptCache {
  readonly route: RouteConfig;
  readonly store: Store.CacheStore;
}

/** Provides `routes[].cache`. Routes that have not changed since `previous` keep their cached responses. */
export function provideCaches(parts: FeatureParts, previous: RouteCaches | undefined): RouteCaches {
  const byRoute = new Map<string, KeptCache>();
  for (const route of parts.config.routes) {
    if (route.cache === undefined) continue;
    const name = routeName(route);
    const before = previous?.byRoute.get(name);
    const stays = before !== undefined && isDeepStrictEqual(before.route, route);
    byRoute.set(name, stays ? before : { route, store: createStore(route.cache, parts.telemetry) });
  }
  return new RouteCaches(byRoute, parts);
}

function createStore(
  { max_entries: maxEntries, max_bytes: maxBytes }: NonNullable<RouteConfig["cache"]>,
  { counts }: Telemetry,
): Store.CacheStore {
  return new (stored().CacheStore)({ maxEntries, maxBytes }, (entries, bytes) => {
    counts.add("cacheEntries", entries);
    counts.add("cacheBytes", bytes);
  });
}

class RouteCaches {
  readonly byRoute: ReadonlyMap<string, KeptCache>;
  #stores: AllStores.Stores | undefined;
  /** Some routes that cache serve only a part of the requests for a path. */
  readonly #isConditional: boolean;
  readonly #telemetry: Telemetry;
  readonly #date: () => number;

  constructor(byRoute: ReadonlyMap<string, KeptCache>, { telemetry, clock }: FeatureParts) {
    this.byRoute = byRoute;
    this.#isConditional = byRoute.values().some(({ route }) => route.match !== undefined);
    this.#telemetry = telemetry;
    this.#date = clock;
  }

  /** The cache of a route; undefined if caching is off. */
  of(route: RouteConfig, target: ForwardTarget): Caches.ResponseCache | undefined {
    const kept = this.byRoute.get(routeName(route));
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
      stores: this.#allStores,
      watcher: this.#watcherOf(route),
      now: eventTime,
      date: this.#date,
    });
  }

  /** For a route without a cache, if another route may store responses to requests for its URIs; otherwise undefined. */
  beside(route: RouteConfig, target: ForwardTarget): { serve: (exchange: Exchange) => void } | undefined {
    if (this.byRoute.size === 0 || (route.match === undefined && !this.#isConditional)) return undefined;
    const { invalidateBy } = observing();
    const stores = this.#allStores;
    return {
      serve(exchange) {
        invalidateBy(exchange, stores);
        forward(exchange, target);
      },
    };
  }

  get #allStores(): AllStores.Stores {
    const kept = this.byRoute.values();
    this.#stores ??= new (allStores().Stores)(kept.map(({ route, store }) => [matchOf(route).pathPrefix, store]));
    return this.#stores;
  }

  #watcherOf(route: RouteConfig): Caches.CacheWatcher {
    const { counts, traffic } = this.#telemetry;
    const ofRoute = traffic.route(routeName(route));
    return {
      responded(how) {
        counts.add("cacheRequests", 1, how);
        ofRoute.cached(how);
      },
    };
  }

  /** Deletes the cached responses, except those that `next` takes over. */
  close(next: RouteCaches | undefined): void {
    for (const [name, kept] of this.byRoute) if (next?.byRoute.get(name) !== kept) kept.store.close();
  }
}
