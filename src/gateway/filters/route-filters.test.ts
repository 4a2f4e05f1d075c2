import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { type Filter, type FilterDecision } from "./runtime/filter.ts";
import { RouteFilters } from "./route-filters.ts";

const CONTINUE: FilterDecision = { kind: "continue" };
const RESPONDED: FilterDecision = { kind: "responded" };
const TO = (upstream: string): FilterDecision => ({ kind: "continue", upstream });

/** Filters with these decisions, and the indices of those that ran. A promise is a decision that comes later. */
function filters(decisions: readonly (FilterDecision | Promise<FilterDecision>)[], readsCalls = false) {
  const ran: number[] = [];
  const made = decisions.map(
    (decision, index): Filter => ({
      name: String(index),
      readsCalls: readsCalls && index === 1,
      instances: { all: 0, pinned: 0 },
      request() {
        ran.push(index);
        return decision;
      },
      close() {},
    }),
  );
  return { ran, route: new RouteFilters(made), exchange: new ClientExchange(new Consumer()) };
}

const later = (decision: FilterDecision): Promise<FilterDecision> => Promise.resolve(decision);

test.each<readonly [string, readonly (FilterDecision | Promise<FilterDecision>)[], FilterDecision, number]>([
  ["no filters", [], CONTINUE, 0],
  ["filters that let it pass", [CONTINUE, CONTINUE], CONTINUE, 2],
  ["a filter that responds", [CONTINUE, RESPONDED, CONTINUE], RESPONDED, 2],
  ["filters that name upstreams, of which the last counts", [TO("a"), TO("b"), CONTINUE], TO("b"), 3],
  ["a filter that lets it pass later", [TO("a"), later(CONTINUE), CONTINUE], TO("a"), 3],
  ["filters that decide later", [later(TO("a")), later(TO("b")), CONTINUE], TO("b"), 3],
  ["a filter that responds later", [TO("a"), later(RESPONDED), CONTINUE], RESPONDED, 2],
  ["a filter that responds after one that decides later", [later(TO("a")), RESPONDED, CONTINUE], RESPONDED, 2],
])("a request with %s", async (_what, decisions, decision, count) => {
  const { ran, route, exchange } = filters(decisions);
  const isLater = decisions.some((one) => one instanceof Promise);
  const decided = route.request(exchange);
  expect(decided instanceof Promise).toBe(isLater);
  expect(await decided).toEqual(decision);
  expect(ran).toEqual(Array.from({ length: count }, (_, i) => i));
});

test("filters do not run for a client that leaves while an earlier one decides", async () => {
  const { promise, resolve } = Promise.withResolvers<FilterDecision>();
  const { ran, route, exchange } = filters([promise, CONTINUE]);
  const decided = route.request(exchange);
  exchange.gone = true;
  resolve(CONTINUE);
  expect([await decided, ran]).toEqual([RESPONDED, [0]]);
});

test("a route reads calls if one of its filters does", () => {
  expect(filters([CONTINUE, CONTINUE], true).route.readsCalls).toBe(true);
  expect(filters([CONTINUE, CONTINUE]).route.readsCalls).toBe(false);
});
