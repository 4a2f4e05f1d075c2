import { byPrecedence, type MatchSubject } from "./conditions.ts";
import { type Routable } from "./routable.ts";

/** Routes of one prefix by host, each list in the order in which its routes are asked. */
interface ByHost<R> {
  readonly exact: Map<string, R[]>;
  /** By `.example.com`, longest first once they are sorted. */
  wildcards: Map<string, R[]>;
  readonly anyHost: R[];
}

/**
 * The routes of one prefix, where some have conditions. Exact paths are asked first, then hosts from the closest to any, and
 * of one host the routes by `byPrecedence`.
 */
export class ConditionalRoutes<R extends Routable> {
  readonly #ofPath = emptyHosts<R>();
  readonly #ofPrefix = emptyHosts<R>();

  add(route: R): void {
    const hosts = route.conditions?.isExact === true ? this.#ofPath : this.#ofPrefix;
    listOf(hosts, route.host).push(route);
  }

  /** To be called once, when all routes are there. */
  sort(): void {
    for (const hosts of [this.#ofPath, this.#ofPrefix]) {
      hosts.wildcards = new Map([...hosts.wildcards].toSorted(([a], [b]) => b.length - a.length));
      for (const list of [...hosts.exact.values(), ...hosts.wildcards.values(), hosts.anyHost]) {
        list.sort((a, b) => byPrecedence(a.conditions, b.conditions));
      }
    }
  }

  /** `isWhole`: the prefix is the whole path. */
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
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
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
