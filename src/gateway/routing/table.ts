/** What a table needs to know of a route. */
export interface Routable {
  /** In the spelling of `normalisePath`; starts with `/`. */
  readonly pathPrefix: string;
  /** Lower case, without port, or `*.example.com`; undefined: any. */
  readonly host: string | undefined;
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
  readonly #slots = new Map<string, Slot<R>>();
  /** Lengths in use, longest first. */
  readonly #lengths: readonly number[];
  readonly #hasHosts: boolean;

  constructor(routes: readonly R[]) {
    const lengths = new Set<number>();
    for (const route of routes) {
      // Prefixes that end in `/` and those that do not live side by side: `/a/` takes less than `/a`.
      const empty: Slot<R> = { exact: new Map(), wildcards: [], anyHost: undefined };
      const slot = this.#slots.get(route.pathPrefix) ?? empty;
      this.#slots.set(route.pathPrefix, slot);
      lengths.add(route.pathPrefix.length);
      if (route.host === undefined) slot.anyHost ??= route;
      else if (route.host.startsWith("*.")) slot.wildcards.push([route.host.slice(1), route]);
      else slot.exact.set(route.host, route);
    }
    for (const slot of this.#slots.values()) slot.wildcards.sort(([a], [b]) => b.length - a.length);
    this.#lengths = [...lengths].toSorted((a, b) => b - a);
    this.#hasHosts = routes.some((route) => route.host !== undefined);
  }

  /** `authority` is the request's host, with or without port; `path` is normalised. */
  match(authority: string, path: string): R | undefined {
    const host = this.#hasHosts ? hostOf(authority) : "";
    for (const length of this.#lengths) {
      if (length > path.length || !endsAtBoundary(path, length)) continue;
      const slot = this.#slots.get(length === path.length ? path : path.slice(0, length));
      if (slot === undefined) continue;
      const route =
        slot.exact.get(host) ?? slot.wildcards.find(([suffix]) => host.endsWith(suffix))?.[1] ?? slot.anyHost;
      if (route !== undefined) return route;
    }
    return undefined;
  }
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
