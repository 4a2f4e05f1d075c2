import { type Steps } from "../../lib/slices.ts";
import { endsAtBoundary } from "../../lib/http/url-path.ts";
import { type Config, type RouteConfig } from "./config.ts";

/** A check that a request must pass before its route forwards it. */
interface RouteGuard {
  /** Its name in `routes[].without`. A refusal cannot be left out. */
  readonly kind: RouteConfig["without"][number] | "refusal";
  /** In messages. */
  readonly name: string;
  /** `settles`: payments move money. */
  readonly has: (route: RouteConfig, settles: boolean) => boolean;
}

/** The guards that keys of a route make. */
const ROUTE_GUARDS = {
  price: { kind: "price", name: "the price", has: ({ x402 }) => x402 !== undefined },
  settlement: {
    kind: "price",
    name: "the settlement of payments",
    has: ({ x402 }, settles) => settles && x402 !== undefined,
  },
  auth: { kind: "auth", name: "the authentication", has: ({ auth }) => asksCredentials(auth) },
  consumers: { kind: "auth", name: "the list of consumers", has: ({ auth }) => restricts(auth) },
  rate_limit: { kind: "rate_limit", name: "the rate limit", has: (route) => route.rate_limit !== undefined },
  body_schema: { kind: "body_schema", name: "the body schema", has: (route) => route.body_schema !== undefined },
  refusal: {
    kind: "refusal",
    name: "the refusal",
    has: ({ fixed_response: response }) => (response?.status ?? 0) >= 400,
  },
} satisfies Readonly<Record<string, RouteGuard>>;

type RouteGuardName = keyof typeof ROUTE_GUARDS;

const ROUTE_GUARD_NAMES = Object.keys(ROUTE_GUARDS).filter(isRouteGuard);

/** A filter has its module's path, and its plugin. */
type Guard = RouteGuardName | `filter ${string}`;

/** A route with its place in the configuration, and its guards. */
export interface GuardedRoute {
  readonly index: number;
  readonly prefix: string;
  /** Empty: any host. */
  readonly host: string;
  /** Its conditions as text; empty without conditions. */
  readonly conditions: string;
  readonly isExact: boolean;
  /** Empty: any method. */
  readonly methods: readonly string[];
  /** The same object for all routes of a configuration with these guards. */
  readonly guards: ReadonlySet<Guard>;
  /** The kinds of guards that it leaves out on purpose. */
  readonly without: ReadonlySet<string>;
  /** False if it only redirects, or responds by itself. */
  readonly forwards: boolean;
}

/** The parts of a configuration that guards depend on. A route is undefined if it has errors. */
export interface GuardedConfig {
  readonly routes: readonly (RouteConfig | undefined)[];
  readonly wasm_filters: Config["wasm_filters"];
  /** Undefined if the section has errors. */
  readonly x402: Pick<Config["x402"], "test_mode"> | undefined;
}

/** The routes of one prefix by host; of one host, the route without conditions comes last. */
type Slot = Map<string, GuardedRoute[]>;

/** The index of a list of routes, with the other parts that it was made of. */
const indexes = new WeakMap<GuardedConfig["routes"], { readonly index: GuardIndex; readonly of: GuardedConfig }>();

/** Finds the routes that can take requests, with their guards. It is not a route table: it tests no condition. */
export class GuardIndex {
  readonly routes: readonly GuardedRoute[];
  readonly kinds: ReadonlySet<string>;
  readonly #slots: ReadonlyMap<string, Slot>;
  readonly #lengths: readonly number[];
  readonly #samples = new Map<Slot, Map<string, readonly GuardedRoute[]>>();

  private constructor(
    routes: readonly GuardedRoute[],
    guards: Iterable<ReadonlySet<Guard>>,
    slots: ReadonlyMap<string, Slot>,
  ) {
    this.routes = routes;
    this.kinds = new Set([...guards].flatMap((set) => [...set].map(kindOf)));
    this.#slots = slots;
    this.#lengths = [...new Set([...slots.keys()].map(({ length }) => length))].toSorted((a, b) => b - a);
  }

  static *of(config: GuardedConfig): Steps<GuardIndex> {
    const { routes, wasm_filters, x402 } = config;
    const before = indexes.get(routes);
    if (before?.of.wasm_filters === wasm_filters && before.of.x402 === x402) return before.index;
    const filters = Map.groupBy(wasm_filters, ({ match }) => match);
    const settles = x402?.test_mode !== true;
    const guards = new Map<string, ReadonlySet<Guard>>();
    const made: GuardedRoute[] = [];
    const slots = new Map<string, Slot>();
    for (const [i, route] of routes.entries()) {
      yield;
      if (route === undefined) continue;
      const guarded = guardedRoute(route, i, { filters: filters.get(route.path_prefix), settles, guards });
      made.push(guarded);
      const slot = slots.getOrInsert(guarded.prefix, new Map<string, GuardedRoute[]>());
      const list = slot.getOrInsert(guarded.host, []);
      if (guarded.conditions === "") list.push(guarded);
      else list.unshift(guarded);
    }
    const index = new GuardIndex(made, guards.values(), slots);
    indexes.set(routes, { index, of: { routes, wasm_filters, x402 } });
    return index;
  }

  /** True if a route takes the same requests as a route of another index, with the same guards. */
  hasSame({ prefix, host, conditions, forwards, guards }: GuardedRoute): boolean {
    for (const other of this.#slots.get(prefix)?.get(host) ?? []) {
      if (other.conditions !== conditions || other.forwards !== forwards) continue;
      if (other.guards.size === guards.size && guards.isSubsetOf(other.guards)) return true;
    }
    return false;
  }

  /** The routes that cover a path of a host, such as `example.com` or `*.example.com`, in their order of precedence. */
  *covering(host: string, path: string): Generator<GuardedRoute> {
    const hosts = coveringHosts(host);
    for (const [length, slot] of this.#slotsOf(path)) {
      for (const isExact of length === path.length ? [true, false] : [false]) {
        for (const one of hosts) yield* (slot.get(one) ?? []).filter((route) => route.isExact === isExact);
      }
    }
  }

  /** The routes that can take requests for a path of a host: up to the first route without conditions. */
  takers(host: string, path: string): GuardedRoute[] {
    const found: GuardedRoute[] = [];
    for (const route of this.covering(host, path)) {
      found.push(route);
      if (route.conditions === "") break;
    }
    return found;
  }

  /**
   * The routes that would take requests of `route` if it were not there. Of routes for parts of its host, one for each
   * guard.
   */
  above(route: GuardedRoute): GuardedRoute[] {
    const found: GuardedRoute[] = [];
    let least = 0;
    let isPassed = false;
    for (const other of this.covering(route.host, route.isExact ? route.prefix : pathBelow(route.prefix))) {
      if (isPassed && !haveOtherMethods(route, other)) found.push(other);
      if (isPassed && other.conditions === "") least = other.prefix.length;
      if (least > 0) break;
      isPassed ||= other === route;
    }
    if (route.host !== "" && !route.host.startsWith("*.")) return found;
    for (const [length, slot] of this.#slotsOf(route.prefix)) {
      if (length < route.prefix.length && length >= least) found.push(...this.#samplesOf(slot, route.host));
    }
    return found;
  }

  /** Routes of a slot for parts of a host: one for each guard, so that many routes are not compared with many others. */
  #samplesOf(slot: Slot, host: string): readonly GuardedRoute[] {
    const known = this.#samples.getOrInsert(slot, new Map<string, readonly GuardedRoute[]>());
    return known.getOrInsertComputed(host, () => {
      const byGuard = new Map<Guard, GuardedRoute>();
      for (const [other, routes] of slot) {
        if (other === host || !covers(host, other)) continue;
        for (const route of routes) for (const guard of route.guards) byGuard.set(guard, route);
      }
      return [...new Set(byGuard.values())];
    });
  }

  /** The hosts that `host` covers, of the prefixes that cover a path. */
  hostsIn(host: string, path: string): string[] {
    return this.#slotsOf(path).flatMap(([, slot]) => [...slot.keys()].filter((other) => covers(host, other)));
  }

  #slotsOf(path: string): [length: number, slot: Slot][] {
    return this.#lengths.flatMap((length) => {
      if (length > path.length || !endsAtBoundary(path, length)) return [];
      const slot = this.#slots.get(path.slice(0, length));
      return slot === undefined ? [] : [[length, slot] as [number, Slot]];
    });
  }
}

/** The parts of the configuration that guard a route, beside the route itself. */
interface Beside {
  readonly filters: Config["wasm_filters"] | undefined;
  /** False in test mode: its payments move no money. */
  readonly settles: boolean;
  /** The sets of guards so far, by their text. */
  readonly guards: Map<string, ReadonlySet<Guard>>;
}

function guardedRoute(route: RouteConfig, index: number, beside: Beside): GuardedRoute {
  const { path_prefix: prefix, host = "", match, upstream, tenant, traffic_split: split = [] } = route;
  const conditions = match === undefined ? "" : JSON.stringify(match);
  const list = guardsOf(route, beside);
  const text = list.join(" ");
  const guards = beside.guards.getOrInsertComputed(text, () => new Set(list));
  return {
    index,
    prefix,
    host,
    conditions,
    isExact: match?.exact_path === true,
    methods: match?.methods ?? [],
    guards,
    without: route.without.length === 0 ? NOTHING : new Set(route.without),
    forwards: upstream !== undefined || tenant !== undefined || split.some((share) => share.upstream !== undefined),
  };
}

const NOTHING: ReadonlySet<string> = new Set();

function guardsOf(route: RouteConfig, { filters = [], settles }: Beside): Guard[] {
  return [
    ...ROUTE_GUARD_NAMES.filter((guard) => ROUTE_GUARDS[guard].has(route, settles)),
    ...filters.map(
      ({ module, root_id: plugin }) => `filter ${plugin === "" ? module : `${module} ${plugin}`}` as const,
    ),
  ];
}

/** The kind of a guard, as in `routes[].without`. */
export function kindOf(guard: Guard): string {
  return isRouteGuard(guard) ? ROUTE_GUARDS[guard].kind : "filter";
}

/** A guard's name in messages. */
export function guardName(guard: Guard): string {
  return isRouteGuard(guard) ? ROUTE_GUARDS[guard].name : `the ${guard}`;
}

function isRouteGuard(name: string): name is RouteGuardName {
  return Object.hasOwn(ROUTE_GUARDS, name);
}

/** True if only requests with credentials, or with a payment, pass. */
export function isGuarded({ auth, x402 }: RouteConfig): boolean {
  return x402 !== undefined || asksCredentials(auth);
}

/** True if no request passes without credentials. */
export function asksCredentials(auth: RouteConfig["auth"]): boolean {
  if (auth.type === "chain") return auth.methods.every(asksCredentials);
  return auth.type !== "none" && auth.type !== "anonymous";
}

/** True if only some of the names that have credentials may pass. */
function restricts(auth: RouteConfig["auth"]): boolean {
  if (auth.type === "chain") return auth.methods.every(restricts);
  return "consumers" in auth && auth.consumers.length > 0;
}

/** True if every request for host `other` is also one for `host`. */
function covers(host: string, other: string): boolean {
  return host === "" || host === other || (host.startsWith("*.") && other.endsWith(host.slice(1)));
}

/** The hosts of routes that cover a host, the most specific first. */
function coveringHosts(host: string): string[] {
  const found = [host];
  for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1)) found.push(`*${host.slice(dot)}`);
  return [...new Set([...found, ""])];
}

/** A path below a prefix that no longer prefix covers. */
export function pathBelow(prefix: string): string {
  return `${prefix}${prefix.endsWith("/") ? "" : "/"}\0`;
}

/** True if no request can match both routes, because of its method. */
export function haveOtherMethods(a: GuardedRoute, b: GuardedRoute): boolean {
  return a.methods.length > 0 && b.methods.length > 0 && !a.methods.some((method) => b.methods.includes(method));
}
