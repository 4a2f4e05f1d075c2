import { type RespondWithError, CannedError } from "../local-response.ts";
import { type Decision, type Policy } from "../policy/policy.ts";
import { type FilterDecision } from "./filter.ts";
import { type RouteFilters } from "./route-filters.ts";

const NOT_LOADED = new CannedError("filter-unavailable", "a filter of this path cannot be loaded");

/**
 * The filters of a route that leads to an upstream. The route chooses the upstream, and the filters' choice is ignored.
 */
export function createFilterPolicy(filters: RouteFilters): Policy {
  return {
    name: "filter",
    guards: true,
    request(exchange) {
      const decision = filters.request(exchange);
      return decision instanceof Promise ? decision.then(decided) : decided(decision);
    },
    // The loader of the filters closes them, because the next configuration can keep them.
    close() {},
  };
}

function decided({ kind }: FilterDecision): Decision {
  return kind;
}

/** Replaces the filters of a route if one of them cannot be loaded: no request passes unfiltered. */
export function createUnfilteredPolicy(respondWithError: RespondWithError): Policy {
  return {
    name: "filter",
    guards: true,
    request(exchange) {
      respondWithError(exchange, NOT_LOADED);
      return "responded";
    },
    close() {},
  };
}
