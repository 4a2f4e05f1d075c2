import { TurnpikeError } from "../../../lib/errors.ts";
import { hasAnyField } from "../../exchange/head-fields.ts";
import { respondWithError } from "../../exchange/local-response.ts";
import { FIELD_ROLES } from "../../../lib/http/field-roles.ts";
import { type Policy, type PolicyFeature } from "../policy.ts";
import { type RouteConfig } from "../../config/config.ts";
import { isGuarded } from "../../config/guards.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";

/** Provides the check of fields that change the method, to routes where that would bypass a guard or mislead a cache. */
export function provideMethodOverride({ config }: FeatureParts): PolicyFeature {
  // A filter may decide which requests pass.
  const filtered = new Set(config.wasm_filters.map(({ match }) => match));
  const isGuard = (route: RouteConfig): boolean => isGuarded(route) || filtered.has(route.path_prefix);
  const isBesideGuard = besideGuards(
    config.routes.filter((route) => (route.match?.methods.length ?? 0) > 0 && isGuard(route)),
  );
  const shared = createMethodOverridePolicy();
  return {
    policy(route) {
      if (route === undefined) return undefined;
      return isGuard(route) || route.cache !== undefined || isBesideGuard(route) ? shared : undefined;
    },
  };
}

/** True for a route that gets requests of methods that a guarded route does not take. */
function besideGuards(guards: readonly RouteConfig[]): (route: RouteConfig) => boolean {
  const prefixes = guards.map((route) => route.path_prefix).toSorted();
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return function isBeside({ path_prefix: prefix }) {
    if (prefixes.length === 0) return false;
    // In this order, the prefixes that begin with `prefix` follow it.
    return (
      lengths.some((length) => known.has(prefix.slice(0, length))) ||
      firstFrom(prefixes, prefix)?.startsWith(prefix) === true
    );
  };
}

/** The first text of a sorted list that is not before `text`. */
function firstFrom(sorted: readonly string[], text: string): string | undefined {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}

const REFUSED = new TurnpikeError(
  "bad-request",
  `this route does not accept ${FIELD_ROLES.methodOverride.join(", ")}: send the request with the method itself`,
);

/**
 * Refuses header fields that make an upstream use another method than the request's. Payment, authentication, retries
 * and caching depend on the request's own method. @internal
 */
export function createMethodOverridePolicy(): Policy {
  return {
    name: "method_override",
    guards: true,
    request(exchange) {
      if (!hasAnyField(exchange.head, FIELD_ROLES.methodOverride)) return "continue";
      respondWithError(exchange, REFUSED);
      return "responded";
    },
  };
}
