import { isAmbiguous, readings, spellings } from "./readings.ts";

/** What a table needs to know of a route. */
export interface Routable {
  /** In the spelling of `normalisePath`; starts with `/`. */
  readonly pathPrefix: string;
  /** Lower case, without port, or `*.example.com`; undefined: any. */
  readonly host: string | undefined;
  /** It asks for credentials or for money. */
  readonly isGuarded: boolean;
}

/** Routes that share a prefix, by how closely their host fits. */
interface Slot<R> {
  readonly exact: Map<string, R>;
  /** `.example.com`, longest first. */
  readonly wildcards: (readonly [suffix: string, route: R])[];
  anyHost: R | undefined;
}

/**
 * Finds a request's route: the longest prefix wins; at equal length a host that matches beats none, an exact one a
 * wildcard. Compiled once; a look-up costs one map access for each length of prefix that is in use.
 */
export class RouteTable<R extends Routable> {
  readonly #prefixes: PrefixTable<R>;
  readonly #hasHosts: boolean;
  /** Every spelling of every prefix; undefined: no route is guarded. */
  readonly #readings: PrefixTable<R> | undefined;
  /** A guarded prefix has several spellings, so that a plain path may be one of them. */
  readonly #readsAll: boolean;

  constructor(routes: readonly R[]) {
    this.#prefixes = new PrefixTable(routes.map((route) => [route.pathPrefix, route]));
    this.#hasHosts = routes.some((route) => route.host !== undefined);
    const guarded = routes.filter((route) => route.isGuarded);
    this.#readings = guarded.length === 0 ? undefined : readingsOf(guarded, routes);
    this.#readsAll = guarded.some((route) => isAmbiguous(route.pathPrefix));
  }

  /** `authority` is the request's host, with or without port; `path` is normalised. */
  match(authority: string, path: string): R | undefined {
    return this.#prefixes.match(this.#hasHosts ? hostOf(authority) : "", path);
  }

  /**
   * True if some server may read the path as one below a guarded prefix, and `route`, which the request matches, is
   * another route. A prefix that is told apart from a guarded one by its own spelling (`/Docs` beside `/docs`) stays what
   * the configuration says.
   */
  evades(authority: string, path: string, route: R | undefined): boolean {
    if (this.#readings === undefined || !(this.#readsAll || isAmbiguous(path))) return false;
    const host = this.#hasHosts ? hostOf(authority) : "";
    for (const reading of readings(path)) {
      const other = this.#readings.match(host, reading);
      if (other === undefined || other === route || !other.isGuarded) continue;
      if (route === undefined || !isReadAlike(route, other)) return true;
    }
    return false;
  }
}

function readingsOf<R extends Routable>(guarded: readonly R[], routes: readonly R[]): PrefixTable<R> {
  // Where two prefixes have one reading, the guarded one has it: the table keeps the first.
  const guardedFirst = [...guarded, ...routes.filter((route) => !route.isGuarded)];
  return new PrefixTable(
    guardedFirst.flatMap((route) => [...spellings(route.pathPrefix)].map((reading) => [reading, route] as const)),
  );
}

function isReadAlike(a: Routable, b: Routable): boolean {
  return !spellings(a.pathPrefix).isDisjointFrom(spellings(b.pathPrefix));
}

/** The prefixes of one length. */
interface SameLength<R> {
  readonly length: number;
  /** Where there is one: comparing it costs less than a slice of the path and its hash (bench proxy --pinned, small64). */
  readonly only: readonly [prefix: string, slot: Slot<R>] | undefined;
}

/** Routes by prefix and host; of two with one prefix and one host, the first is kept. */
class PrefixTable<R extends Routable> {
  readonly #slots = new Map<string, Slot<R>>();
  /** Lengths in use, longest first. */
  readonly #lengths: readonly SameLength<R>[];

  constructor(routes: readonly (readonly [prefix: string, route: R])[]) {
    for (const [prefix, route] of routes) {
      // Prefixes that end in `/` and those that do not live side by side: `/a/` takes less than `/a`.
      const empty: Slot<R> = { exact: new Map(), wildcards: [], anyHost: undefined };
      const slot = this.#slots.get(prefix) ?? empty;
      this.#slots.set(prefix, slot);
      if (route.host === undefined) slot.anyHost ??= route;
      else if (route.host.startsWith("*.")) slot.wildcards.push([route.host.slice(1), route]);
      else if (!slot.exact.has(route.host)) slot.exact.set(route.host, route);
    }
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

  #find(path: string, length: number): Slot<R> | undefined {
    return this.#slots.get(length === path.length ? path : path.slice(0, length));
  }
}

function ofHost<R>({ exact, wildcards, anyHost }: Slot<R>, host: string): R | undefined {
  return exact.get(host) ?? wildcards.find(([suffix]) => host.endsWith(suffix))?.[1] ?? anyHost;
}

/** As `startsWith`, without a call into the runtime. */
function beginsWith(path: string, prefix: string): boolean {
  for (let i = 0; i < prefix.length; i++) if (path.charCodeAt(i) !== prefix.charCodeAt(i)) return false;
  return true;
}

/**
 * A prefix covers whole segments. A parameter (`/paid;x=1`) counts as the segment it hangs on: servers that strip
 * parameters would otherwise serve a priced path to a request that was matched by a free one.
 */
function endsAtBoundary(path: string, length: number): boolean {
  if (length === path.length) return true;
  const next = path.charCodeAt(length);
  return path.charCodeAt(length - 1) === 0x2f || next === 0x2f || next === 0x3b;
}

/** The lower-case host of an authority, without port and without the dot of a rooted name. */
export function hostOf(authority: string): string {
  const colon = authority.lastIndexOf(":");
  const portless = colon > authority.lastIndexOf("]") ? authority.slice(0, colon) : authority;
  const host = portless.toLowerCase();
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
