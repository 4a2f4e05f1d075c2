import { type RouteConfig } from "../../config/config.ts";
import { isGuarded } from "../../config/guards.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { type PolicyFeature } from "../policy.ts";
import { createMethodOverridePolicy } from "./method-override.ts";

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
