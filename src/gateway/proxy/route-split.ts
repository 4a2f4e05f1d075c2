import { type RouteConfig } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { createRequestHeadersPolicy, createResponseHeadersPolicy } from "../policy/headers/headers.ts";
import { createTrafficSplit, type Split, type Sticky, type TrafficSplit } from "./split.ts";
import { type ForwardTarget } from "./target.ts";
import { type MessageEdit, type TargetParts, Variant } from "./split-variant.ts";
import { mirrorsOf, routeMirror } from "./route-mirror.ts";
import { rewriteOf } from "../routing/route-rewrite.ts";
import { redirectOf } from "../static/own-response.ts";
import { extraFields } from "./extra-fields.ts";
import { type Upstreams } from "../upstream/upstreams.ts";

type SplitEntry = NonNullable<RouteConfig["traffic_split"]>[number];

/**
 * The split of the route's traffic over upstreams; undefined if there is no list, or if it has variants. Without variants
 * all requests have the same target, and share its encoded lines (bench proxy, grpc-unary).
 */
export function routeSplit(route: RouteConfig, upstreams: Upstreams): TrafficSplit | undefined {
  const entries = entriesOf(route, upstreams);
  if (entries.some(isVariant)) return undefined;
  const choices = entries.map(({ upstream = "", weight }) => ({
    key: upstream,
    choice: upstreams.get(upstream),
    weight,
  }));
  return createTrafficSplit(choices, stickyOf(route));
}

/** The split of a route with entries that change more than the upstream of `target`; undefined if there is no such entry. */
export function routeVariants(
  route: RouteConfig,
  target: ForwardTarget,
  upstreams: Upstreams,
  deps: FeatureParts,
): Split<Variant> | undefined {
  const entries = entriesOf(route, upstreams);
  if (!entries.some(isVariant)) return undefined;
  const choices = entries.map((entry, at) => ({
    key: keyOf(entries, at),
    choice: new Variant(editOf(entry), actionOf(entry)),
    weight: entry.weight,
  }));
  return createTrafficSplit(choices, stickyOf(route));

  function actionOf(entry: SplitEntry): ConstructorParameters<typeof Variant>[1] {
    if (entry.redirect !== undefined) return redirectOf(entry.redirect, route.path_prefix);
    const parts: Omit<TargetParts, "mirror"> = {
      upstream: upstreams.get(entry.upstream ?? ""),
      rewrite: rewriteOf(route, entry.rewrite),
      ...extraFields(route.upstream_headers, entry.rewrite?.host ?? route.rewrite?.host),
    };
    const mirrors = [...mirrorsOf(route), ...mirrorsOf(entry)];
    return { ...parts, mirror: routeMirror(mirrors, { ...target, ...parts }, upstreams, deps) };
  }
}

/** False if every upstream that the route's requests can go to is without servers. */
export function isServed(route: RouteConfig, upstreams: Upstreams): boolean {
  const entries = entriesOf(route, upstreams);
  const targets = entries.length === 0 ? [route] : entries.filter(({ weight }) => weight > 0);
  return targets.some((target) => !isEmpty(target, upstreams));
}

/** The entries of the split. If payments settle first, entries without servers get no requests, because nothing could be delivered. */
function entriesOf({ traffic_split: entries = [], x402 }: RouteConfig, upstreams: Upstreams): readonly SplitEntry[] {
  if (x402?.settle !== "before") return entries;
  const served = entries.filter((entry) => !isEmpty(entry, upstreams));
  return served.some(({ weight }) => weight > 0) ? served : entries;
}

function isEmpty({ upstream }: Pick<RouteConfig, "upstream">, upstreams: Upstreams): boolean {
  return upstream !== undefined && upstreams.get(upstream).isEmpty;
}

function isVariant({ headers, rewrite, redirect, mirrors }: SplitEntry): boolean {
  return headers !== undefined || rewrite !== undefined || redirect !== undefined || mirrors !== undefined;
}

/** The entry's key: the name of its upstream. Entries of the same upstream with other changes are numbered. */
function keyOf(entries: readonly SplitEntry[], at: number): string {
  const entry = entries[at];
  const name = entry?.upstream ?? "";
  const same = entries.filter(({ upstream = "" }) => upstream === name);
  if (entry === undefined || same.length === 1 || !isVariant(entry)) return name;
  return `${name}\n${same.filter(isVariant).indexOf(entry)}`;
}

/** Edits the messages of an entry with header rules of its own. */
function editOf({ headers }: SplitEntry): MessageEdit | undefined {
  if (headers === undefined) return undefined;
  const policies = [createRequestHeadersPolicy(headers), createResponseHeadersPolicy(headers)];
  return (exchange) => {
    for (const policy of policies) void policy?.request(exchange);
  };
}

function stickyOf({ path_prefix: path, traffic_split_sticky: sticky }: RouteConfig): Sticky | undefined {
  if (sticky?.header !== undefined) return { header: sticky.header };
  if (sticky?.cookie === undefined) return undefined;
  return { cookie: { name: sticky.cookie.name, maxAgeS: sticky.cookie.max_age_s, path } };
}
