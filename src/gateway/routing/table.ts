import { hostOf } from "../../lib/http/url-host.ts";
import { atOnce, mapSteps, type Steps } from "../../lib/slices.ts";
import { MatchSubject } from "./conditions.ts";
import { ConditionalRoutes } from "./conditional-routes.ts";
import { guardOf, PathGuards } from "./path-guards.ts";
import { isAmbiguous, readings, spellings } from "./readings.ts";
import { type Matchable, type Routable } from "./routable.ts";
import { endsAtBoundary } from "../../lib/http/url-path.ts";

/** Routes that share a prefix and have a host. */
interface Hosts<R extends Routable> {
  readonly exact: Map<string, R>;
  /** By suffix such as `.example.com`, longest first. */
  readonly wildcards: (readonly [suffix: string, route: R])[];
}

/** Routes that share a prefix, by their hosts. */
interface Slot<R extends Routable> {
  /** Undefined: no route of the prefix has a host. */
  hosts: Hosts<R> | undefined;
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
  /** A guarded prefix has several spellings. A plain path can then be another spelling of it. */
  readonly #readsAll: boolean;
  /** Guarded routes with exact paths or patterns. Undefined: no route is of this kind. */
  readonly #pathGuards: PathGuards<R> | undefined;

  private constructor(routes: readonly R[], guarded: readonly R[], tables: Tables<R>) {
    this.#prefixes = tables.prefixes;
    this.#hasHosts = routes.some((route) => route.host !== undefined);
    this.#readings = tables.readings;
    this.#readsAll = guarded.some(
      ({ pathPrefix, conditions }) => isAmbiguous(pathPrefix) || conditions?.isSpelled === true,
    );
    this.#pathGuards = tables.pathGuards;
  }

  /** The table of `routes`. @internal */
  static of<R extends Routable>(routes: readonly R[]): RouteTable<R> {
    return atOnce(RouteTable.steps(routes));
  }

  /** Like `of`, in steps. */
  static *steps<R extends Routable>(routes: readonly R[]): Steps<RouteTable<R>> {
    const prefixes = yield* PrefixTable.steps(routes.map((route) => [route.pathPrefix, route]));
    const guarded = routes.filter((route) => route.isGuarded);
    const ofPrefix = guarded.filter((route) => !hasPathCondition(route));
    const byReading = ofPrefix.length === 0 ? undefined : yield* readingsOf(ofPrefix, routes);
    const ofPath = ofPrefix.length === guarded.length ? [] : guarded.filter(hasPathCondition);
    const pathGuards = ofPath.length === 0 ? undefined : new PathGuards(yield* mapSteps(ofPath, guardOf));
    return new RouteTable(routes, guarded, { prefixes, readings: byReading, pathGuards });
  }

  /** A request's route. `authority`: its host, with or without port; `path` is normalised; `request` for conditions. */
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

interface Tables<R extends Routable> {
  readonly prefixes: PrefixTable<R>;
  readonly readings: PrefixTable<R> | undefined;
  readonly pathGuards: PathGuards<R> | undefined;
}

function* readingsOf<R extends Routable>(guarded: readonly R[], routes: readonly R[]): Steps<PrefixTable<R>> {
  // Two prefixes can have the same reading. The table keeps the first, so the guarded prefixes come first.
  const guardedFirst = [...guarded, ...routes.filter((route) => !route.isGuarded)].filter(
    (route) => !hasPathCondition(route),
  );
  const read: (readonly [reading: string, route: R])[] = [];
  for (const route of guardedFirst) {
    for (const reading of spellings(route.pathPrefix)) read.push([reading, route]);
    yield;
  }
  return yield* PrefixTable.steps(read, false);
}

function hasPathCondition({ conditions }: Routable): boolean {
  return conditions !== undefined && (conditions.isExact || conditions.path !== undefined);
}

function isReadAlike(a: Routable, b: Routable): boolean {
  return !spellings(a.pathPrefix).isDisjointFrom(spellings(b.pathPrefix));
}

interface SameLength<R extends Routable> {
  readonly length: number;
  /** The only prefix of this length: comparing it costs less than a slice and its hash (bench proxy). */
  readonly only: readonly [prefix: string, slot: Slot<R>] | undefined;
}

type Entries<R> = readonly (readonly [prefix: string, route: R])[];

/** Routes by prefix and host. Of two routes with the same prefix and host, the first is kept. */
class PrefixTable<R extends Routable> {
  readonly #slots = new Map<string, Slot<R>>();
  /** Lengths in use, longest first. */
  #lengths: readonly SameLength<R>[] = [];

  /** With `minds` false, conditions are ignored. */
  static *steps<R extends Routable>(routes: Entries<R>, minds = true): Steps<PrefixTable<R>> {
    const table = new PrefixTable<R>();
    yield* table.#add(routes);
    if (minds) table.#gather(routes);
    for (const { hosts } of table.#slots.values()) hosts?.wildcards.sort(([a], [b]) => b.length - a.length);
    yield;
    const byLength = Map.groupBy(table.#slots, ([prefix]) => prefix.length);
    table.#lengths = [...byLength]
      .map(([length, same]) => ({ length, only: same.length === 1 ? same[0] : undefined }))
      .toSorted((a, b) => b.length - a.length);
    return table;
  }

  *#add(routes: Entries<R>): Steps<void> {
    for (const [prefix, route] of routes) {
      yield;
      // Prefixes with and without a trailing `/` are different entries: `/a/` matches fewer paths than `/a`.
      const slot = this.#slots.getOrInsertComputed(prefix, () => ({
        hosts: undefined,
        anyHost: undefined,
        conditional: undefined,
      }));
      if (route.host === undefined) {
        slot.anyHost ??= route;
        continue;
      }
      const { exact, wildcards } = (slot.hosts ??= noHosts<R>());
      if (route.host.startsWith("*.")) wildcards.push([route.host.slice(1), route]);
      else if (!exact.has(route.host)) exact.set(route.host, route);
    }
  }

  match(host: string, path: string): R | undefined {
    for (const { length, only } of this.#lengths) {
      if (length > path.length || !endsAtBoundary(path, length)) continue;
      const slot = only === undefined ? this.#find(path, length) : beginsWith(path, only[0]) ? only[1] : undefined;
      if (slot === undefined) continue;
      const route = slot.hosts === undefined ? slot.anyHost : ofHost(slot, host);
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
  #gather(routes: Entries<R>): void {
    const markers = new Map<string, R>();
    for (const [prefix, route] of routes) if (route.conditions !== undefined) markers.set(prefix, route);
    if (markers.size === 0) return;
    for (const [prefix, slot] of this.#slots) {
      const marker = markers.get(prefix);
      if (marker === undefined) continue;
      slot.hosts = undefined;
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

function ofHost<R extends Routable>({ hosts, anyHost }: Slot<R>, host: string): R | undefined {
  return hosts?.exact.get(host) ?? hosts?.wildcards.find(([suffix]) => host.endsWith(suffix))?.[1] ?? anyHost;
}

/** Like `startsWith`, without a call into the runtime. */
function beginsWith(path: string, prefix: string): boolean {
  for (let i = 0; i < prefix.length; i++) if (path.charCodeAt(i) !== prefix.charCodeAt(i)) return false;
  return true;
}

function noHosts<R extends Routable>(): Hosts<R> {
  return { exact: new Map(), wildcards: [] };
}
