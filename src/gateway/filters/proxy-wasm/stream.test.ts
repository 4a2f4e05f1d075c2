import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { op } from "../module/testing/assembler.ts";
import { loaded } from "../module/testing/metered.ts";
import { testRuntime, testSettings } from "../testing/test-runtime.ts";
import { ProxyWasmFilter } from "./proxy-wasm-filter.ts";
import { call, moduleOf, TEXTS } from "./testing/proxy-module.ts";

const LOGS = moduleOf({
  imports: [["proxy_log", 3]],
  text: "the end",
  callbacks: { proxy_on_request_headers: op.i32(0), proxy_on_log: call(0, 2, TEXTS, 7) },
});

test("when an exchange finishes, the filter's stream ends once, and each earlier waiter for its end gets a call", async () => {
  const runtime = testRuntime();
  const filter = new ProxyWasmFilter(await loaded(LOGS), testSettings(), runtime);
  const exchange = new ClientExchange(new Consumer());
  const finished: unknown[] = [];
  exchange.onFinish = (one) => void finished.push(one);
  expect(await filter.request(exchange)).toMatchObject({ kind: "continue" });
  expect([finished, runtime.lines]).toEqual([[], []]);
  exchange.onFinish?.(exchange);
  expect(finished).toEqual([exchange]);
  expect(runtime.lines.filter((line) => line.includes("the end"))).toHaveLength(1);
  filter.close();
  runtime.wheel.close();
});
