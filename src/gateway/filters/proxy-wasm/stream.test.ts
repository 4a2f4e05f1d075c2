import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { type ResponseHead } from "../../exchange/exchange.ts";
import { op } from "../module/testing/assembler.ts";
import { loaded } from "../module/testing/metered.ts";
import { testRuntime, testSettings } from "../testing/test-runtime.ts";
import { ProxyWasmFilter } from "./proxy-wasm-filter.ts";
import { STREAM } from "./guest/enums.ts";
import {
  DEADLINE_MS,
  FIRST_STREAM,
  playedFilter,
  PlayedClient,
  PlayedReader,
  playedStream,
} from "./testing/played-stream.ts";
import { call, type Filter, moduleOf, TEXTS } from "./testing/proxy-module.ts";

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
  expect(filter.request(exchange)).toMatchObject({ kind: "continue" });
  expect([finished, runtime.lines]).toEqual([[], []]);
  exchange.onFinish?.(exchange);
  expect(finished).toEqual([exchange]);
  expect(runtime.lines.filter((line) => line.includes("the end"))).toHaveLength(1);
  filter.close();
  runtime.wheel.close();
});

const [LOG, DONE, RESPOND, CLOSE, SET_TICK, SET_CONTEXT, GO_ON] = [0, 1, 2, 3, 4, 5, 6];
const IMPORTS: NonNullable<Filter["imports"]> = [
  ["proxy_log", 3],
  ["proxy_done", 0],
  ["proxy_send_local_response", 8],
  ["proxy_close_stream", 1],
  ["proxy_set_tick_period_milliseconds", 1],
  ["proxy_set_effective_context", 1],
  ["proxy_continue_stream", 1],
];
const WORDS = ["done", "log", "delete"] as const;
const say = (word: (typeof WORDS)[number]): number[] => {
  const address = TEXTS + WORDS.slice(0, WORDS.indexOf(word)).join("").length;
  return [...call(LOG, 2, address, word.length), ...op.drop];
};
const TICK_MS = 100;
const TICKS = [...call(SET_TICK, TICK_MS), ...op.drop];
/** Runs code on the first stream, and leaves 0. */
const onFirst = (...code: (readonly number[])[]): number[] => [
  ...call(SET_CONTEXT, FIRST_STREAM),
  ...code.flatMap((one) => [...op.drop, ...one]),
];
const filterOf = (callbacks: Filter["callbacks"]): Filter => ({ imports: IMPORTS, text: WORDS.join(""), callbacks });
/** The end of a stream, as the filter learns it. */
const LOGS_END = {
  proxy_on_log: [...say("log"), ...op.i32(0)],
  proxy_on_delete: [...say("delete"), ...op.i32(0)],
};
const HEAD: ResponseHead = { status: 200, reason: "", fields: "", bodyLength: -1 };
const settle = () => new Promise((resolve) => setImmediate(resolve));
const said = ({ runtime }: { readonly runtime: { readonly lines: string[] } }): string[] =>
  runtime.lines.splice(0).map((line) => line.replace("test: info: ", ""));

/** Sends a local response with the word "done" as its body. */
const responds = (status: number, grpcStatus = -1): number[] => call(RESPOND, status, 0, 0, TEXTS, 4, 0, 0, grpcStatus);

test("the end of a stream calls on_done, on_log and on_delete, in this order", async () => {
  const at = await playedStream(filterOf({ ...LOGS_END, proxy_on_done: [...say("done"), ...op.i32(1)] }));
  said(at);
  at.exchange.onFinish?.(at.exchange);
  expect([said(at), at.clock.tick]).toEqual([["done", "log", "delete"], undefined]);
  at.close();
});

const TRAP = [...op.if, ...op.unreachable, ...op.end];
/** The first call returns 0 for OK, and the second one 1, because the stream is not waited for any more. */
const DONE_ONCE = [...call(DONE), ...TRAP, ...call(DONE), 0x45, ...TRAP, ...op.i32(0)];

test("a filter that is not done with a stream ends it with proxy_done, or at the deadline", async () => {
  for (const calls of [true, false]) {
    const at = await playedStream(
      filterOf({
        ...LOGS_END,
        proxy_on_configure: [...TICKS, ...op.i32(1)],
        // The plugin's own end is at once.
        proxy_on_done: [...say("done"), ...op.get(0), ...op.i32(1), 0x46],
        proxy_on_tick: calls ? [...call(SET_TICK, 0), ...op.drop, ...onFirst(DONE_ONCE)] : op.i32(0),
      }),
    );
    said(at);
    at.exchange.onFinish?.(at.exchange);
    expect(said(at)).toEqual(["done"]);
    at.clock.advance(DEADLINE_MS - 20);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await settle();
    expect(said(at)).toEqual(calls ? ["log", "delete"] : []);
    at.clock.advance(40);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await settle();
    expect(said(at)).toEqual(calls ? [] : ["log", "delete"]);
    at.clock.advance(2 * DEADLINE_MS);
    expect(said(at)).toEqual([]);
    at.close();
  }
});

test.each([
  ["proxy_on_done", { proxy_on_done: op.unreachable }, []],
  ["proxy_on_log", { proxy_on_done: op.i32(1), proxy_on_log: op.unreachable }, []],
])("a stream whose %s fails gets no further callback", async (name, callbacks) => {
  const at = await playedStream(filterOf({ ...LOGS_END, ...callbacks }));
  said(at);
  at.exchange.onFinish?.(at.exchange);
  expect(said(at)).toEqual([expect.stringMatching(new RegExp(`^test: trapped: .+ in ${name}; 1 requests fail$`))]);
  at.close();
});

test.each<readonly [string, number, boolean, Partial<ResponseHead>, string]>([
  ["a status", -1, false, { status: 418, bodyLength: 4 }, "done"],
  ["a status, for a call", -1, true, { status: 418, bodyLength: 4 }, "done"],
  ["a gRPC status that no call has asked for", 7, false, { status: 418, bodyLength: 4 }, "done"],
  ["a gRPC status, for a call", 7, true, { status: 200, bodyLength: 0, grpcStatus: 7 }, ""],
  ["the gRPC status 0, for a call", 0, true, { status: 200, bodyLength: 0, grpcStatus: 0 }, ""],
])("a local response has %s", async (...row) => {
  const [, grpcStatus, isGrpc, head, body] = row;
  const at = await playedStream(filterOf({ proxy_on_request_headers: responds(418, grpcStatus) }), {
    head: { isGrpc },
  });
  await settle();
  const { fields = "", ...rest } = at.client.heads[0] ?? {};
  expect(rest).toEqual({ reason: "", ...head });
  expect([at.client.bytes.toString(), at.client.ends, at.decision, at.calls]).toEqual([body, 1, "responded", []]);
  const isOfCall = head.grpcStatus !== undefined;
  expect(fields.includes(`grpc-status: ${grpcStatus}\r\ngrpc-message: done\r\n`)).toBe(isOfCall);
  expect(fields.includes("content-type: text/plain")).toBe(!isOfCall);
  at.close();
});

test("of several local responses the first is sent, and an invalid one fails the request with the reason", async () => {
  const first = await playedStream(
    filterOf({ proxy_on_request_headers: [...responds(418), ...op.drop, ...responds(500)] }),
  );
  expect(first.client.events).toEqual(["418 of 4", "done", "end"]);
  first.close();
  const bad = await playedStream(filterOf({ proxy_on_request_headers: responds(199) }));
  expect([bad.client.events.slice(1), bad.runtime.lines]).toEqual([
    ["filter-failed", "end"],
    ["test: responds with the status 199: request id fails"],
  ]);
  bad.close();
});

test.each([
  ["responds", responds(418)],
  ["closes the stream", call(CLOSE, 0)],
])("a filter that %s after a part of the response was sent cuts it off", async (_what, code) => {
  const at = await playedStream(
    filterOf({
      proxy_on_request_headers: op.i32(0),
      // Only at the end of the body.
      proxy_on_response_body: [...op.get(2), ...op.if, ...code, ...op.drop, ...op.end, ...op.i32(0)],
    }),
  );
  at.exchange.response.start(HEAD);
  at.exchange.response.data(Buffer.from("ab"));
  at.exchange.started = true;
  at.exchange.response.end("");
  await settle();
  expect([at.client.events, at.calls]).toEqual([["200", "ab", "abort filter-failed"], ["cancel"]]);
  at.close();
});

test("a filter that responds from a tick ends a request that it holds, and its upstream learns nothing", async () => {
  const at = await playedStream(
    filterOf({ proxy_on_request_headers: [...TICKS, ...op.i32(1)], proxy_on_tick: onFirst(responds(418)) }),
  );
  at.clock.advance(TICK_MS + 20);
  await settle();
  // Later ticks respond again.
  at.clock.advance(5 * TICK_MS);
  expect([at.client.events, at.decision, at.calls]).toEqual([["418 of 4", "done", "end"], "responded", []]);
  at.close();
});

test("a stream that fails stops its upstream and the policies between, and sends nothing to a client that has left", async () => {
  const hold = filterOf({ proxy_on_response_headers: op.i32(1) });
  for (const gone of [false, true]) {
    const at = await playedStream(hold);
    at.exchange.response.start(HEAD);
    const inner = at.exchange.response;
    const policy = Object.assign(Object.create(inner) as typeof inner, {
      abort: (error: TurnpikeError) => void at.calls.push(`abort ${error.code}`),
    });
    at.exchange.response = policy;
    at.exchange.gone = gone;
    at.clock.advance(DEADLINE_MS + 40);
    expect([at.client.events.slice(1), at.calls]).toEqual([gone ? [] : ["filter-failed", "end"], []]);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await settle();
    expect([at.calls, at.exchange.onCancel]).toEqual([["cancel", "abort filter-failed"], undefined]);
    expect(at.exchange.response).toBe(policy);
    expect(at.runtime.lines).toEqual(["test: does not continue a request in time: request id fails"]);
    at.close();
  }
});

test("the time of a held stream begins when only the filter can continue it, and is not prolonged", async () => {
  const at = await playedStream(filterOf({ proxy_on_request_body: op.i32(1), proxy_on_response_headers: op.i32(1) }), {
    head: { method: "POST", bodyLength: -1, isGrpc: true },
  });
  at.exchange.body.readTo(new PlayedReader());
  at.body.sink?.data(Buffer.from("ab"));
  at.clock.advance(2 * DEADLINE_MS);
  // More of the body can come from the client.
  expect(at.client.events).toEqual([]);
  at.body.sink?.end("");
  at.clock.advance(DEADLINE_MS / 2);
  at.exchange.response.start(HEAD);
  at.clock.advance(DEADLINE_MS / 2 - 20);
  expect(at.client.events).toEqual([]);
  at.clock.advance(40);
  expect(at.client.events.slice(1)).toEqual(["filter-failed", "end"]);
  at.close();
});

test("a filter continues a request and its response in one callback", async () => {
  const at = await playedStream(
    filterOf({
      proxy_on_configure: [...TICKS, ...op.i32(1)],
      proxy_on_request_body: op.i32(1),
      proxy_on_response_headers: op.i32(1),
      proxy_on_tick: onFirst(call(GO_ON, STREAM.request), call(GO_ON, STREAM.response)),
    }),
    { head: { method: "POST", bodyLength: -1, isGrpc: true } },
  );
  const reader = new PlayedReader();
  at.exchange.body.readTo(reader);
  at.exchange.response.start(HEAD);
  at.body.sink?.data(Buffer.from("ab"));
  expect([reader.events, at.client.events]).toEqual([[], []]);
  at.clock.advance(TICK_MS + 20);
  expect([reader.events, at.client.events]).toEqual([["ab"], ["200"]]);
  at.clock.advance(2 * DEADLINE_MS);
  expect(at.client.events).toEqual(["200"]);
  at.close();
});

test("a filter that continues a response does not continue its request", async () => {
  const at = await playedStream(
    filterOf({
      proxy_on_configure: [...TICKS, ...op.i32(1)],
      proxy_on_request_body: op.i32(1),
      proxy_on_response_headers: op.i32(1),
      proxy_on_tick: onFirst(call(GO_ON, STREAM.response)),
    }),
    { head: { method: "POST", bodyLength: -1, isGrpc: true } },
  );
  const reader = new PlayedReader();
  at.exchange.body.readTo(reader);
  at.body.sink?.data(Buffer.from("ab"));
  at.exchange.response.start(HEAD);
  at.clock.advance(TICK_MS + 20);
  expect([reader.events, at.client.events]).toEqual([[], ["200"]]);
  at.close();
});

test("a stream that the filter has ended is not ended again when its instance fails", async () => {
  const at = await playedStream(
    filterOf({
      proxy_on_request_headers: responds(418),
      proxy_on_configure: [...TICKS, ...op.i32(1)],
      proxy_on_tick: op.unreachable,
    }),
  );
  at.clock.advance(TICK_MS + 20);
  expect([at.client.events, at.client.late]).toEqual([["418 of 4", "done", "end"], 0]);
  at.close();
});

test("a callback of the response that continues the request is obeyed", async () => {
  const at = await playedStream(
    filterOf({
      proxy_on_request_body: op.i32(1),
      proxy_on_response_headers: call(GO_ON, STREAM.request),
    }),
    { head: { method: "POST", bodyLength: -1, isGrpc: true } },
  );
  const reader = new PlayedReader();
  at.exchange.body.readTo(reader);
  at.body.sink?.data(Buffer.from("ab"));
  at.exchange.response.start(HEAD);
  expect([reader.events, at.client.events]).toEqual([["ab"], ["200"]]);
  at.close();
});

test("a callback of the request that continues the response is obeyed", async () => {
  const at = await playedStream(
    filterOf({ proxy_on_request_body: call(GO_ON, STREAM.response), proxy_on_response_headers: op.i32(1) }),
    { head: { method: "POST", bodyLength: -1, isGrpc: true } },
  );
  at.exchange.body.readTo(new PlayedReader());
  at.exchange.response.start(HEAD);
  expect(at.client.events).toEqual([]);
  at.body.sink?.data(Buffer.from("ab"));
  expect(at.client.events).toEqual(["200"]);
  at.close();
});

test("a callback that asks to continue and pauses lets its own piece pass, and not the next one", async () => {
  const at = await playedStream(
    filterOf({
      proxy_on_request_body: [
        ...op.get(1),
        ...op.i32(2),
        0x46,
        ...op.if,
        ...call(GO_ON, STREAM.request),
        ...op.drop,
        ...op.end,
        ...op.i32(1),
      ],
    }),
    { head: { method: "POST", bodyLength: -1 } },
  );
  at.body.sink?.data(Buffer.from("ab"));
  const reader = new PlayedReader();
  at.exchange.body.readTo(reader);
  at.body.sink?.data(Buffer.from("c"));
  expect(reader.events).toEqual(["ab"]);
  at.close();
});

test("a request whose instance fails while it is held, or while its body is, gets an error once", async () => {
  for (const [callbacks, head] of [
    [{ proxy_on_request_headers: op.i32(1) }, { method: "GET", bodyLength: 0 }],
    [{ proxy_on_request_body: op.i32(1) }, { method: "POST", bodyLength: 9 }],
    [{ proxy_on_request_body: op.i32(1) }, { method: "POST", bodyLength: 9, isGrpc: true }],
  ] as const) {
    const at = await playedStream(
      filterOf({ ...callbacks, proxy_on_configure: [...TICKS, ...op.i32(1)], proxy_on_tick: op.unreachable }),
      { head },
    );
    if (head.bodyLength > 0) at.exchange.body.readTo(new PlayedReader());
    at.body.sink?.data(Buffer.from("ab"));
    at.clock.advance(TICK_MS + 20);
    expect([at.client.events.slice(1), at.clock.tick]).toEqual([["filter-failed", "end"], undefined]);
    at.clock.advance(2 * DEADLINE_MS);
    expect([at.client.late, at.client.ends]).toEqual([0, 1]);
    at.close();
  }
});

test("an exchange that finishes decides its request, and frees the bytes that its filter holds", async () => {
  const paused = await playedStream(filterOf({ proxy_on_request_headers: op.i32(1) }));
  paused.exchange.onFinish?.(paused.exchange);
  await settle();
  expect([paused.decision, paused.client.events, paused.clock.tick]).toEqual(["responded", [], undefined]);
  paused.close();
  const held = await playedStream(
    filterOf({ proxy_on_request_body: op.i32(1), proxy_on_response_headers: op.i32(1) }),
    { head: { method: "POST", bodyLength: -1, isGrpc: true } },
  );
  held.exchange.body.readTo(new PlayedReader());
  held.body.sink?.data(Buffer.from("ab"));
  held.exchange.response.start(HEAD);
  held.exchange.response.data(Buffer.from("cd"));
  expect(held.runtime.memory.taken).toBeGreaterThan(2);
  held.exchange.onFinish?.(held.exchange);
  expect([held.runtime.memory.taken, held.clock.tick]).toEqual([0, undefined]);
  held.close();
});

test("a stream that has ended, and that the filter is not done with, sends nothing more", async () => {
  const at = await playedStream(
    filterOf({
      proxy_on_configure: [...TICKS, ...op.i32(1)],
      proxy_on_done: [...op.get(0), ...op.i32(1), 0x46],
      proxy_on_tick: onFirst(responds(418)),
    }),
  );
  at.exchange.onFinish?.(at.exchange);
  at.clock.advance(2 * DEADLINE_MS);
  await settle();
  expect(at.client.events).toEqual([]);
  // Its instance can fail in the meantime.
  const failing = await playedStream(
    filterOf({
      proxy_on_configure: [...TICKS, ...op.i32(1)],
      proxy_on_done: op.i32(0),
      proxy_on_tick: op.unreachable,
    }),
  );
  failing.exchange.onFinish?.(failing.exchange);
  failing.clock.advance(TICK_MS + 20);
  expect([failing.client.events, failing.clock.tick]).toEqual([[], undefined]);
  for (const { close } of [at, failing]) close();
});

test("a request that fails in the read that allows it goes on, and its reader learns that the body is broken", async () => {
  const at = await playedFilter(
    filterOf({
      proxy_on_request_body: [...op.get(2), ...op.if, ...op.unreachable, ...op.end, ...op.i32(0)],
    }),
  );
  const client = new PlayedClient();
  const exchange = new ClientExchange(client, { method: "POST", bodyLength: -1 });
  exchange.body = {
    readTo(sink) {
      sink.data(Buffer.from("ab"));
      sink.end("");
    },
    pause() {},
    resume() {},
  };
  expect(at.filter.request(exchange)).toEqual({ kind: "continue" });
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  expect([client.events[1], reader.events]).toEqual(["filter-failed", ["abort filter-failed"]]);
  exchange.onFinish?.(exchange);
  at.close();
});
