import { type RouteConfig } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { createRequestHeadersPolicy, createResponseHeadersPolicy } from "../policy/headers/headers.ts";
import { createTrafficSplit, type Split, type Sticky, type TrafficSplit } from "./split.ts";
import { type ForwardTarget, type TargetVariant } from "./target.ts";
import { mirrorsOf, routeMirror } from "./mirrors.ts";
import { rewriteOf } from "../routing/rewrite.ts";
import { redirectOf } from "../static/own-response.ts";
import { extraFields } from "./extra-fields.ts";
import { type Upstreams } from "../upstream/upstreams.ts";
import { type Exchange } from "../exchange/exchange.ts";

/** Edits the request's fields, or adds a sink that edits the response's fields. */
type MessageEdit = (exchange: Exchange) => void;

/** The parts of a route's target that an entry of `traffic_split` replaces. */
type TargetParts = Pick<ForwardTarget, "upstream" | "mirror" | "rewrite" | "host" | "extraFields" | "extraNames">;

interface Responder {
  serve(exchange: Exchange): void;
}

/** An entry of `traffic_split` with header rules, rewrites, a redirect or mirrors of its own. @internal */
export class Variant implements TargetVariant {
  readonly #edit: MessageEdit | undefined;
  readonly #action: TargetParts | Responder;
  /** By the target that it changes: that of the route, or that of the route's cache. */
  readonly #made = new WeakMap<ForwardTarget, ForwardTarget>();

  /** `action` forwards requests to another target, or responds to them. */
  constructor(edit: MessageEdit | undefined, action: TargetParts | Responder) {
    this.#edit = edit;
    this.#action = action;
  }

  apply(exchange: Exchange, target: ForwardTarget): ForwardTarget | undefined {
    this.#edit?.(exchange);
    if ("serve" in this.#action) {
      this.#action.serve(exchange);
      return undefined;
    }
    const made = this.#made.get(target) ?? { ...target, ...this.#action, split: undefined, variants: undefined };
    this.#made.set(target, made);
    return made;
  }
}

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
