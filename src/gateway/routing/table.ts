import { hostOf } from "../../lib/url-host.ts";
import { MatchSubject } from "./conditions.ts";
import { ConditionalRoutes } from "./conditional-routes.ts";
import { PathGuards } from "./path-guards.ts";
import { isAmbiguous, readings, spellings } from "./readings.ts";
import { type Matchable, type Routable } from "./routable.ts";

/** Routes that share a prefix, by their hosts. */
interface Slot<R extends Routable> {
  readonly exact: Map<string, R>;
  /** By suffix such as `.example.com`, longest first. */
  readonly wildcards: (readonly [suffix: string, route: R])[];
  anyHost: R | undefined;
  /** All routes of the prefix, if some have conditions. `anyHost` is then one of them and marks the prefix as used. */
  conditional: ConditionalRoutes<R> | undefined;
}

/** A request without fields and query, for lookups by path and host. */
const BARE: Matchable = { method: "GET", query: "", fields: "" };

/**
 * Finds the route of a request. An exact path takes precedence over prefixes, and a longer prefix over a shorter one. For
 * one prefix, an exact host takes precedence over a wildcard, and a wildcard over a route without host; then conditions
 * decide. A lookup costs one map access for each prefix length in use. Only prefixes with conditions cost more.
 */
export class RouteTable<R extends Routable> {
  readonly #prefixes: PrefixTable<R>;
  readonly #hasHosts: boolean;
  /** Every spelling of every prefix. Undefined: no route is guarded. */
  readonly #readings: PrefixTable<R> | undefined;
  /** A guarded prefix has several spellings, so that a plain path may be one of them. */
  readonly #readsAll: boolean;
  /** Guarded routes with exact paths or patterns. Undefined: no route is of this kind. */
  readonly #pathGuards: PathGuards<R> | undefined;

  constructor(routes: readonly R[]) {
    this.#prefixes = new PrefixTable(routes.map((route) => [route.pathPrefix, route]));
    this.#hasHosts = routes.some((route) => route.host !== undefined);
    const guarded = routes.filter((route) => route.isGuarded);
    const ofPrefix = guarded.filter((route) => !hasPathCondition(route));
    this.#readings = ofPrefix.length === 0 ? undefined : readingsOf(ofPrefix, routes);
    this.#readsAll = guarded.some(
      ({ pathPrefix, conditions }) => isAmbiguous(pathPrefix) || conditions?.isSpelled === true,
    );
    const ofPath = ofPrefix.length === guarded.length ? [] : guarded.filter(hasPathCondition);
    this.#pathGuards = ofPath.length === 0 ? undefined : new PathGuards(ofPath);
  }

  /**
   * Returns the route of a request. `authority` is its host, with or without port; `path` is normalised; conditions test
   * `request`.
   */
  match(authority: string, path: string, request: Matchable = BARE): R | undefined {
    const host = this.#hasHosts ? hostOf(authority) : "";
    const route = this.#prefixes.match(host, path);
    return route?.conditions === undefined ? route : this.#prefixes.matchBy(host, path, request);
  }

  /**
   * True if some server may read the path as one below a guarded prefix although the request matches another route,
   * `route`. A configured prefix that differs from a guarded one only in spelling (`/Docs` and `/docs`) stays usable.
   */
  evades(authority: string, path: string, route: R | undefined): boolean {
    if (this.#readings === undefined && this.#pathGuards === undefined) return false;
    const guards = this.#pathGuards;
    if (!(this.#readsAll || isAmbiguous(path) || guards?.mayTake(path) === true)) return false;
    const host = this.#hasHosts ? hostOf(authority) : "";
    for (const reading of readings(path)) {
      if (guards?.isPassedBy(route, { host, path, reading }) === true) return true;
      const other = this.#readings?.match(host, reading);
      if (other === undefined || other === route || !other.isGuarded) continue;
      if (route === undefined || !isReadAlike(route, other)) return true;
    }
    return false;
  }
}

function readingsOf<R extends Routable>(guarded: readonly R[], routes: readonly R[]): PrefixTable<R> {
  // If two prefixes share a reading, the guarded one must have it: the table keeps the first.
  const guardedFirst = [...guarded, ...routes.filter((route) => !route.isGuarded)].filter(
    (route) => !hasPathCondition(route),
  );
  return new PrefixTable(
    guardedFirst.flatMap((route) => [...spellings(route.pathPrefix)].map((reading) => [reading, route] as const)),
    false,
  );
}

function hasPathCondition({ conditions }: Routable): boolean {
  return conditions !== undefined && (conditions.isExact || conditions.path !== undefined);
}

function isReadAlike(a: Routable, b: Routable): boolean {
  return !spellings(a.pathPrefix).isDisjointFrom(spellings(b.pathPrefix));
}

/** The prefixes of one length. */
interface SameLength<R extends Routable> {
  readonly length: number;
  /**
   * The prefix of this length, if there is only one: comparing it costs less than a slice of the path and its hash (bench
   * proxy --pinned, small64).
   */
  readonly only: readonly [prefix: string, slot: Slot<R>] | undefined;
}

/** Routes by prefix and host. Of two routes with the same prefix and host, the first is kept. */
class PrefixTable<R extends Routable> {
  readonly #slots = new Map<string, Slot<R>>();
  /** Lengths in use, longest first. */
  readonly #lengths: readonly SameLength<R>[];

  /** With `minds` false, conditions are ignored. */
  constructor(routes: readonly (readonly [prefix: string, route: R])[], minds = true) {
    for (const [prefix, route] of routes) {
      // Prefixes with and without a trailing `/` are different entries: `/a/` matches fewer paths than `/a`.
      const empty: Slot<R> = { exact: new Map(), wildcards: [], anyHost: undefined, conditional: undefined };
      const slot = this.#slots.get(prefix) ?? empty;
      this.#slots.set(prefix, slot);
      if (route.host === undefined) slot.anyHost ??= route;
      else if (route.host.startsWith("*.")) slot.wildcards.push([route.host.slice(1), route]);
      else if (!slot.exact.has(route.host)) slot.exact.set(route.host, route);
    }
    if (minds) this.#gather(routes);
    for (const slot of this.#slots.values()) slot.wildcards.sort(([a], [b]) => b.length - a.length);
    const byLength = Map.groupBy(this.#slots, ([prefix]) => prefix.length);
    this.#lengths = [...byLength]
      .map(([length, same]) => ({ length, only: same.length === 1 ? same[0] : undefined }))
      .toSorted((a, b) => b.length - a.length);
  }

  match(host: string, path: string): R | undefined {
    for (const { length, only } of this.#lengths) {
      if (length > path.length || !endsAtBoundary(path, length)) continue;
      const slot = only === undefined ? this.#find(path, length) : beginsWith(path, only[0]) ? only[1] : undefined;
      if (slot === undefined) continue;
      const route = slot.exact.size + slot.wildcards.length === 0 ? slot.anyHost : ofHost(slot, host);
      if (route !== undefined) return route;
    }
    return undefined;
  }

  /** Like `match`, with conditions. */
  matchBy(host: string, path: string, request: Matchable): R | undefined {
    const subject = new MatchSubject(request, path);
    for (const { length } of this.#lengths) {
      if (length > path.length || !endsAtBoundary(path, length)) continue;
      const slot = this.#find(path, length);
      if (slot === undefined) continue;
      const { conditional } = slot;
      const route =
        conditional === undefined ? ofHost(slot, host) : conditional.find(host, subject, length === path.length);
      if (subject.isTooLong) return undefined;
      if (route !== undefined) return route;
    }
    return undefined;
  }

  /** Orders the routes of prefixes with conditions by precedence. */
  #gather(routes: readonly (readonly [prefix: string, route: R])[]): void {
    const markers = new Map<string, R>();
    for (const [prefix, route] of routes) if (route.conditions !== undefined) markers.set(prefix, route);
    if (markers.size === 0) return;
    for (const [prefix, slot] of this.#slots) {
      const marker = markers.get(prefix);
      if (marker === undefined) continue;
      slot.exact.clear();
      slot.wildcards.length = 0;
      slot.anyHost = marker;
      slot.conditional = new ConditionalRoutes<R>();
    }
    for (const [prefix, route] of routes) this.#slots.get(prefix)?.conditional?.add(route);
    for (const slot of this.#slots.values()) slot.conditional?.sort();
  }

  #find(path: string, length: number): Slot<R> | undefined {
    return this.#slots.get(length === path.length ? path : path.slice(0, length));
  }
}

function ofHost<R extends Routable>({ exact, wildcards, anyHost }: Slot<R>, host: string): R | undefined {
  return exact.get(host) ?? wildcards.find(([suffix]) => host.endsWith(suffix))?.[1] ?? anyHost;
}

/** Like `startsWith`, without a call into the runtime. */
function beginsWith(path: string, prefix: string): boolean {
  for (let i = 0; i < prefix.length; i++) if (path.charCodeAt(i) !== prefix.charCodeAt(i)) return false;
  return true;
}

/**
 * True if a prefix of this length covers whole segments. A parameter (`/paid;x=1`) belongs to its segment. Otherwise a
 * request could match a free route, and a server that strips parameters would serve the priced path.
 */
function endsAtBoundary(path: string, length: number): boolean {
  if (length === path.length) return true;
  const next = path.charCodeAt(length);
  return path.charCodeAt(length - 1) === 0x2f || next === 0x2f || next === 0x3b;
}
