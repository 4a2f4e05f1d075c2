import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { RequestTrace } from "../telemetry/tracing/request-trace.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { type Decision, type Policy } from "./policy.ts";
import { tracedPolicy } from "./traced-policy.ts";

function traced(request: (exchange: Exchange) => Decision | Promise<Decision>) {
  const policy: Policy = { name: "auth", guards: true, request };
  const trace = new RequestTrace({ traceId: "trace", parentId: "", state: "" }, () => "span");
  const exchange = new ClientExchange(new Consumer());
  exchange.trace = trace;
  return { policy: tracedPolicy(policy), exchange, spans: trace.children };
}

const ERROR = new Error("broken");

test("a decision ends the span of its policy, at once or later", async () => {
  const { policy, exchange, spans } = traced(() => "skip");
  expect([policy.name, policy.guards, policy.request(exchange)]).toEqual(["auth", true, "skip"]);
  expect(spans).toMatchObject([{ name: "auth", error: "", endedAt: expect.any(Number) }]);

  const pending = Promise.withResolvers<Decision>();
  const late = traced(() => pending.promise);
  const decision = late.policy.request(late.exchange);
  expect(late.spans.map(({ endedAt }) => endedAt > 0)).toEqual([false]);
  pending.resolve("responded");
  expect(await decision).toBe("responded");
  expect(late.spans.map(({ endedAt, error }) => [endedAt > 0, error])).toEqual([[true, ""]]);
});

test.each([
  () => {
    throw ERROR;
  },
  () => Promise.reject(ERROR),
])("a failure ends the span with an error, and is passed on", async (request) => {
  const { policy, exchange, spans } = traced(request);
  expect((async () => policy.request(exchange))()).rejects.toBe(ERROR);
  expect(spans.map(({ endedAt, error }) => [endedAt > 0, error])).toEqual([[true, "internal"]]);
});

test("a request that is not traced has no spans", () => {
  const { policy, exchange, spans } = traced(() => "continue");
  exchange.trace = undefined;
  expect([policy.request(exchange), spans]).toEqual(["continue", []]);
});
