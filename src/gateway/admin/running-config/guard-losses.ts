import { type Steps } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic, reportable } from "../../config/diagnostic.ts";
import { type GuardedRoute, GuardIndex, guardName, haveOtherMethods, kindOf, pathBelow } from "../../config/guards.ts";

/** Pairs of path and host that are compared after a change; a change that affects more must be forced. @operator */
const MAX_PROBES = 100_000;

/** Stands for the static files, which take the paths without a route. */
const FILES: GuardedRoute = {
  index: -1,
  prefix: "",
  host: "",
  conditions: "",
  isExact: false,
  methods: ["GET", "HEAD"],
  guards: new Set(),
  without: new Set(),
  forwards: true,
};

interface Compared {
  readonly before: Config;
  readonly after: Config;
  /** Its routes count for paths that no route of `before` takes, so that a guard is not lost in two steps. */
  readonly saved: Config;
  /** The index of the route that is changed, in both. Its guards must stay, even if its paths change. */
  readonly changed?: number | undefined;
}

/** The paths that lose a guard: another route takes them, or the same one with fewer guards, and forwards. */
export function* guardLosses({ before, after, saved, changed }: Compared): Steps<Diagnostic[]> {
  const [old, next, kept] = [yield* GuardIndex.of(before), yield* GuardIndex.of(after), yield* GuardIndex.of(saved)];
  const losses = new Map<string, Diagnostic>();
  const compare = (from: GuardedRoute, to: GuardedRoute): void => {
    const lost = lostGuards(from, to, after);
    if (lost.length === 0) return;
    const served = to === FILES ? "files" : "requests";
    const message = `would serve ${served} without ${lost.join(" and ")} of the route ${guardedRouteName(from)}`;
    const path = to === FILES ? "server.static_root" : `routes[${to.index}]`;
    losses.set(`${path} ${message}`, { path, message });
  };
  const [moved, target] = [old, next].map(({ routes }) => routes.find(({ index }) => index === changed));
  if (moved !== undefined && target !== undefined) compare(moved, target);
  for (const diagnostic of certificateLosses(before, after)) losses.set(diagnostic.message, diagnostic);
  const changedRoutes = [...(yield* missingIn(next, old)), ...(yield* missingIn(old, next))];
  let probes = 0;
  for (const [host, path] of probesOf(changedRoutes, old, next)) {
    yield;
    if (++probes > MAX_PROBES) return [{ path: "routes", message: "too many routes change to compare their guards" }];
    const takers = old.takers(host, path);
    const takersNow = next.takers(host, path);
    if (after.server.static_root !== "" && takersNow.at(-1)?.conditions !== "") takersNow.push(FILES);
    comparePath(takers.length > 0 ? takers : kept.takers(host, path), takersNow, compare);
  }
  return reportable([...losses.values()], "problems");
}

/** The listeners and hosts that no longer require a client certificate. */
function* certificateLosses(before: Config, after: Config): Generator<Diagnostic> {
  const now = new Map(certificateRules(after));
  for (const [place, { listener, isRequired }] of certificateRules(before)) {
    const rule = now.get(place) ?? now.get(listener);
    if (isRequired && rule?.isRequired === false)
      yield { path: "tls", message: `would serve ${place} without client certificates` };
  }
}

interface CertificateRule {
  readonly listener: string;
  readonly isRequired: boolean;
}

/** Whether each listener, and each host with rules of its own, requires a client certificate. */
function* certificateRules({ server, tls }: Config): Generator<[place: string, rule: CertificateRule]> {
  const listeners =
    server.listeners.length > 0 ? server.listeners : [{ ...server, tls: {}, use_tls: tls.cert_path !== "" }];
  for (const { address, port, use_tls: usesTls, tls: own } of listeners) {
    const { hosts, ...rule } = { ...tls, ...own };
    const listener = `${address}:${port}`;
    const ruleOf = (keys: Pick<typeof rule, "client_ca_path" | "client_cert_required">): CertificateRule => ({
      listener,
      isRequired: usesTls && keys.client_ca_path !== "" && keys.client_cert_required,
    });
    yield [listener, ruleOf(rule)];
    for (const host of hosts) for (const name of host.hostnames) yield [`${name} at ${listener}`, ruleOf(host)];
  }
}

/** Compares the routes that took requests with those that can take the same requests now. */
function comparePath(
  takers: readonly GuardedRoute[],
  next: readonly GuardedRoute[],
  compare: (from: GuardedRoute, to: GuardedRoute) => void,
): void {
  const before = new Set<string>();
  for (const from of takers) {
    for (const to of next) {
      // A route that came first before took its requests before.
      if (!before.has(keyOf(to)) && !haveOtherMethods(from, to)) compare(from, to);
      if (to.conditions === "" || to.conditions === from.conditions) break;
    }
    before.add(keyOf(from));
  }
}

/** A host and a path for each way in which requests may have got another route or other guards. */
function* probesOf(
  changed: readonly GuardedRoute[],
  old: GuardIndex,
  next: GuardIndex,
): Generator<readonly [host: string, path: string]> {
  const seen = new Set<string>();
  for (const { host, prefix } of changed) {
    const key = `${host} ${prefix}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const hosts = new Set([host, ...old.hostsIn(host, prefix), ...next.hostsIn(host, prefix)]);
    for (const one of hosts) yield* [[one, prefix] as const, [one, pathBelow(prefix)] as const];
  }
}

function keyOf({ prefix, host, conditions }: GuardedRoute): string {
  return `${prefix} ${host} ${conditions}`;
}

/** The routes of `from` for which `others` has no route that takes the same requests with the same guards. */
function* missingIn(others: GuardIndex, from: GuardIndex): Steps<GuardedRoute[]> {
  const missing: GuardedRoute[] = [];
  for (const route of from.routes) {
    yield;
    if (!others.hasSame(route)) missing.push(route);
  }
  return missing;
}

function guardedRouteName({ prefix, host }: GuardedRoute): string {
  return JSON.stringify(prefix) + (host === "" ? "" : ` of ${JSON.stringify(host)}`);
}

function filtersOf({ guards }: GuardedRoute): number {
  return [...guards].filter((guard) => guard.startsWith("filter ")).length;
}

/** Guards of `from` that `to` does not have, in words. A filter can be replaced by one of a new module. */
function lostGuards(from: GuardedRoute, to: GuardedRoute, { wasm_filters: filters }: Config): string[] {
  if (!from.forwards && !from.guards.has("refusal")) return [];
  if (!to.forwards) return [];
  const used = new Set(filters.map(({ module }) => module));
  const isReplaced = filtersOf(to) >= filtersOf(from);
  return [...from.guards]
    .filter((guard) => !to.guards.has(guard) && !to.without.has(kindOf(guard)))
    .filter((guard) => guard !== "settlement" || to.guards.has("price"))
    .filter((guard) => !(isReplaced && guard.startsWith("filter ") && !used.has(guard.split(" ")[1] ?? "")))
    .map(guardName);
}
