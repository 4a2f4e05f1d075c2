import { type RespondWithError, CannedError } from "../local-response.ts";
import { type Decision, type Policy } from "../policy/policy.ts";
import { type FilterDecision } from "./filter.ts";
import { type RouteFilters } from "./route-filters.ts";

const NOT_LOADED = new CannedError("filter-unavailable", "a filter of this path cannot be loaded");

/** The filters of a route that leads to an upstream: which one is the route's to say, and not theirs. */
export function createFilterPolicy(filters: RouteFilters): Policy {
  return {
    name: "filter",
    guards: true,
    request(exchange) {
      const decision = filters.request(exchange);
      return decision instanceof Promise ? decision.then(decided) : decided(decision);
    },
    // Who has loaded the filters closes them: the next configuration may go on with them.
    close() {},
  };
}

function decided({ kind }: FilterDecision): Decision {
  return kind;
}

/** In the place of filters of which one cannot be loaded: nothing passes unfiltered. */
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
