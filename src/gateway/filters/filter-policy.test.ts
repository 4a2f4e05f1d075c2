import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type RouteConfig } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { type Policy } from "../policy/policy.ts";
import { createFilterPolicy, provideFilterPolicies } from "./filter-policy.ts";
import { RouteFilters } from "./route-filters.ts";
import { type FilterDecision } from "./runtime/filter.ts";

const exchange = () => new ClientExchange(new Consumer());

function filtersOf(decision: FilterDecision | Promise<FilterDecision>): RouteFilters {
  const request = () => decision;
  return new RouteFilters([{ name: "a", readsCalls: false, instances: { all: 0, pinned: 0 }, request, close() {} }]);
}

test.each<readonly [FilterDecision | Promise<FilterDecision>, string]>([
  [{ kind: "continue" }, "continue"],
  [{ kind: "responded" }, "responded"],
  // The upstream is for tenants only.
  [{ kind: "continue", upstream: "a" }, "continue"],
  [Promise.resolve({ kind: "responded" }), "responded"],
])("the policy of filters with the decision %p says %p", async (decision, expected) => {
  const policy = createFilterPolicy(filtersOf(decision));
  expect([policy.name, policy.guards, await policy.request?.(exchange())]).toEqual(["filter", true, expected]);
});

// The policies of filters read no part of a route.
const [PLAIN, FILTERED, CLOSED, TENANT] = Array.from({ length: 4 }, () => ({}) as RouteConfig);
const ofTenant: Policy = { name: "tenant", request: () => "continue" };

function provided(errors: TurnpikeError[] = []) {
  const routes = new Map<RouteConfig | undefined, RouteFilters | "closed">([
    [FILTERED, filtersOf({ kind: "responded" })],
    [CLOSED, "closed"],
    [TENANT, filtersOf({ kind: "continue" })],
  ]);
  return provideFilterPolicies({
    // The other parts are not read.
    ...({} as FeatureParts),
    filters: { route: (route) => routes.get(route) },
    tenantRoutes: { get: (route) => (route === TENANT ? { policy: ofTenant } : undefined) },
    respondWithError: (_, error) => void errors.push(error),
  });
}

test("a route without filters has no policy, and one with tenants has theirs", () => {
  const feature = provided();
  const policies = [undefined, PLAIN, TENANT].map((route) => feature.policy(route));
  expect([policies, feature.isTraced]).toEqual([[undefined, undefined, ofTenant], true]);
});

test("a route whose filters cannot be loaded passes nothing", async () => {
  const errors: TurnpikeError[] = [];
  const feature = provided(errors);
  expect(await feature.policy(FILTERED)?.request?.(exchange())).toBe("responded");
  expect(errors).toEqual([]);
  const closed = feature.policy(CLOSED);
  expect([closed?.name, closed?.guards, await closed?.request?.(exchange())]).toEqual(["filter", true, "responded"]);
  expect(errors.map(({ code, status }) => [code, status])).toEqual([["filter-unavailable", 503]]);
});
