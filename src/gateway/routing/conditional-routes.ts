import { byPrecedence, type MatchSubject } from "./conditions.ts";
import { type Routable } from "./routable.ts";

/** Routes of one prefix by host. The routes of each list are tried in order. */
interface ByHost<R> {
  readonly exact: Map<string, R[]>;
  /** By suffix such as `.example.com`; after `sort`, the longest comes first. */
  wildcards: Map<string, R[]>;
  readonly anyHost: R[];
}

/**
 * The routes of one prefix of which some have conditions. Exact paths are tried first, then hosts from the most specific to
 * any. Routes of the same host are in the order of `byPrecedence`.
 */
export class ConditionalRoutes<R extends Routable> {
  readonly #ofPath = emptyHosts<R>();
  readonly #ofPrefix = emptyHosts<R>();

  add(route: R): void {
    const hosts = route.conditions?.isExact === true ? this.#ofPath : this.#ofPrefix;
    listOf(hosts, route.host).push(route);
  }

  /** Call this once, after all routes were added. */
  sort(): void {
    for (const hosts of [this.#ofPath, this.#ofPrefix]) {
      hosts.wildcards = new Map([...hosts.wildcards].toSorted(([a], [b]) => b.length - a.length));
      for (const list of [...hosts.exact.values(), ...hosts.wildcards.values(), hosts.anyHost]) {
        list.sort((a, b) => byPrecedence(a.conditions, b.conditions));
      }
    }
  }

  /** With `isWhole`, the prefix is the whole path. */
  find(host: string, subject: MatchSubject, isWhole: boolean): R | undefined {
    return (isWhole ? findIn(this.#ofPath, host, subject) : undefined) ?? findIn(this.#ofPrefix, host, subject);
  }
}

function emptyHosts<R>(): ByHost<R> {
  return { exact: new Map(), wildcards: new Map(), anyHost: [] };
}

function listOf<R>({ exact, wildcards, anyHost }: ByHost<R>, host: string | undefined): R[] {
  if (host === undefined) return anyHost;
  const isWildcard = host.startsWith("*.");
  const [lists, key] = isWildcard ? [wildcards, host.slice(1)] : [exact, host];
  return lists.getOrInsert(key, []);
}

function findIn<R extends Routable>(hosts: ByHost<R>, host: string, subject: MatchSubject): R | undefined {
  const own = firstOf(hosts.exact.get(host), subject);
  if (own !== undefined) return own;
  for (const [suffix, routes] of hosts.wildcards) {
    const route = host.endsWith(suffix) ? firstOf(routes, subject) : undefined;
    if (route !== undefined) return route;
  }
  return firstOf(hosts.anyHost, subject);
}

function firstOf<R extends Routable>(routes: readonly R[] | undefined, subject: MatchSubject): R | undefined {
  return routes?.find(({ conditions }) => conditions === undefined || subject.fulfils(conditions));
}
