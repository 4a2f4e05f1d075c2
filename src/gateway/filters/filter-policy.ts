import { type RouteConfig } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { type RespondWithError, CannedError } from "../exchange/local-response.ts";
import { type Decision, type Policy, type PolicyFeature } from "../policy/policy.ts";
import { type FilterDecision } from "./runtime/filter.ts";
import { type RouteFilters } from "./route-filters.ts";

const NOT_LOADED = new CannedError("filter-unavailable", "a filter of this path cannot be loaded");

interface FilterPolicyParts extends FeatureParts {
  readonly filters: { route(route: RouteConfig): RouteFilters | "closed" | undefined };
  /** The routes with tenants. They run their filters themselves. */
  readonly tenantRoutes: { get(route: RouteConfig): { readonly policy: Policy } | undefined };
}

/** Provides the policies that run the filters of routes. */
export function provideFilterPolicies({ filters, tenantRoutes, respondWithError }: FilterPolicyParts): PolicyFeature {
  return {
    isTraced: true,
    policy(route) {
      const own = route && filters.route(route);
      if (route === undefined || own === undefined) return undefined;
      if (own === "closed") return createUnfilteredPolicy(respondWithError);
      return tenantRoutes.get(route)?.policy ?? createFilterPolicy(own);
    },
  };
}

/** The filters of a route to an upstream, which the route chooses and not the filters. @internal */
export function createFilterPolicy(filters: RouteFilters): Policy {
  return {
    name: "filter",
    guards: true,
    request(exchange) {
      const decision = filters.request(exchange);
      return decision instanceof Promise ? decision.then(decided) : decided(decision);
    },
  };
}

function decided({ kind }: FilterDecision): Decision {
  return kind;
}

/** Replaces the filters of a route if one of them cannot be loaded: no request passes unfiltered. */
function createUnfilteredPolicy(respondWithError: RespondWithError): Policy {
  return {
    name: "filter",
    guards: true,
    request(exchange) {
      respondWithError(exchange, NOT_LOADED);
      return "responded";
    },
  };
}
