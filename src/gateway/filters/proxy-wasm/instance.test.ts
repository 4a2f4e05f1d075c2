/** The life of an instance: its start, its callbacks and ticks, its log, its failure and its end. */
import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { op } from "../module/testing/assembler.ts";
import { loaded } from "../module/testing/metered.ts";
import { type FilterSettings } from "../runtime/runtime.ts";
import { testRuntime, testSettings } from "../testing/test-runtime.ts";
import { STREAM } from "./guest/enums.ts";
import { ProxyWasmFilter } from "./proxy-wasm-filter.ts";
import { FIRST_STREAM, playedFilter } from "./testing/played-stream.ts";
import { call, type Filter, moduleOf, TEXTS } from "./testing/proxy-module.ts";

const MAX_LOG_BYTES = 4096;
const MAX_LOG_LINES = 64;
const MIN_TICK_MS = 10;

const [LOG, SET_TICK, SET_CONTEXT, GO_ON, EXIT, REGISTER] = [0, 1, 2, 3, 4, 5];
const IMPORTS: NonNullable<Filter["imports"]> = [
  ["proxy_log", 3],
  ["proxy_set_tick_period_milliseconds", 1],
  ["proxy_set_effective_context", 1],
  ["proxy_continue_stream", 1],
  ["proc_exit", 1, "wasi_snapshot_preview1"],
  ["proxy_register_shared_queue", 3],
];
const INFO = 2;
const WORDS = ["initialize", "start", "main", "context", "vm", "configure", "done", "log", "delete", "tick"] as const;

function say(word: (typeof WORDS)[number], level = INFO): number[] {
  const address = TEXTS + WORDS.slice(0, WORDS.indexOf(word)).join("").length;
  return [...call(LOG, level, address, word.length), ...op.drop];
}

/** Traps unless the callback's parameter has this value. */
function demand(parameter: number, value: number): number[] {
  return [...op.get(parameter), ...op.i32(value), 0x47, ...op.if, ...op.unreachable, ...op.end];
}

/** Exits only while the module starts, and only if the code is 0. */
const exit = (code: number): number[] => [...call(EXIT, code), ...op.drop];
const filterOf = (callbacks: Filter["callbacks"]): Filter => ({ imports: IMPORTS, text: WORDS.join(""), callbacks });

/** Starts a filter on a clock of the test's. */
async function start(filter: Filter, settings: Partial<FilterSettings> = {}) {
  const clock = new FakeClock();
  const runtime = testRuntime(new TimerWheel(clock));
  const module = await loaded(moduleOf(filter));
  return { clock, runtime, create: () => new ProxyWasmFilter(module, testSettings(settings), runtime) };
}

function said(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^test: info: /, ""));
}

const STARTING = {
  main: [...demand(0, 0), ...demand(1, 0), ...say("main"), ...op.i32(0)],
  proxy_on_context_create: [...say("context"), ...op.i32(0)],
  proxy_on_vm_start: [...demand(0, 1), ...demand(1, 3), ...say("vm"), ...op.i32(1)],
  proxy_on_configure: [...demand(0, 1), ...demand(1, 2), ...say("configure"), ...op.i32(1)],
  proxy_on_delete: [...say("delete"), ...op.i32(0)],
} as const;
const CONFIGURED = { config: "\u00fc", vmConfig: "a\u00e9" };

test.each([
  ["_initialize, then main", { _initialize: say("initialize"), _start: say("start") }, ["initialize", "main"]],
  ["_start alone", { _start: say("start") }, ["start"]],
  ["neither", {}, []],
])("a module starts with %s, its context and its configurations, and a request's context is tried", async (...row) => {
  const [, first, begun] = row;
  const { runtime, create } = await start(filterOf({ ...STARTING, ...first }), CONFIGURED);
  const filter = create();
  expect(said(runtime.lines)).toEqual([...begun, "context", "vm", "configure", "context", "delete"]);
  expect(new Set(runtime.counted)).toEqual(new Set(["callback allow"]));
  runtime.lines.length = 0;
  filter.close();
  expect(said(runtime.lines)).toEqual(["delete"]);
});

test("for a plugin without requests, no request's context is tried", async () => {
  const { runtime, create } = await start(filterOf({ ...STARTING, proxy_on_done: say("done").concat(op.i32(1)) }), {
    ...CONFIGURED,
    route: "",
  });
  const filter = create();
  expect(said(runtime.lines)).toEqual(["context", "vm", "configure"]);
  filter.close();
  expect(said(runtime.lines.slice(3))).toEqual(["done", "delete"]);
});

/** Ticks and a queue, which a module that cannot start must not keep. */
const HELD = [...call(SET_TICK, 100), ...op.drop, ...call(REGISTER, TEXTS, 1, 4096), ...op.drop];

test.each<readonly [string, Filter["callbacks"], RegExp]>([
  [
    "refuses its VM configuration",
    { proxy_on_vm_start: [...HELD, ...op.i32(0)] },
    /^Cannot start the filter: it returns false from proxy_on_vm_start$/,
  ],
  [
    "refuses its configuration",
    { proxy_on_configure: [...HELD, ...op.i32(0)] },
    /^Cannot start the filter: it returns false from proxy_on_configure$/,
  ],
  [
    "traps",
    { proxy_on_configure: [...HELD, ...op.unreachable] },
    /^Cannot start the filter: it trapped: .+ in proxy_on_configure$/,
  ],
  [
    "can make no context for a request",
    { proxy_on_context_create: [...op.get(1), ...op.if, ...op.unreachable, ...op.end, ...op.i32(0)] },
    /^Cannot start the filter: it trapped: .+ in proxy_on_context_create, for a request\. A plugin without requests needs an empty match$/,
  ],
  [
    "cannot delete the context of a request",
    { proxy_on_delete: op.unreachable },
    /^Cannot start the filter: it trapped: .+ in proxy_on_delete, for a request\. A plugin without requests needs an empty match$/,
  ],
  ["exits with an error", { _start: exit(3) }, /^Cannot start the filter: it exits with code 3 in _start$/],
  [
    "exits after its start",
    { _start: exit(0), proxy_on_vm_start: [...exit(0), ...op.i32(1)] },
    /^Cannot start the filter: it exits with code 0 in proxy_on_vm_start$/,
  ],
])("a module that %s is not started, and holds nothing", async (_what, callbacks, reason) => {
  const { clock, runtime, create } = await start(filterOf(callbacks));
  expect(create).toThrow(reason);
  expect([runtime.gauge.instances, clock.tick]).toEqual([0, undefined]);
  // No listener of the queue is left that would set a timer.
  runtime.shared.data.enqueue(1, Uint8Array.of(1));
  expect(clock.tick).toBeUndefined();
});

/** Sets the period of ticks when the filter is configured. */
const ticking = (ms: number, tick: readonly number[] | undefined): Filter =>
  filterOf({
    proxy_on_configure: [...call(SET_TICK, ms), ...op.drop, ...op.i32(1)],
    ...(tick && { proxy_on_tick: [...demand(0, 1), ...say("tick"), ...tick] }),
  });

test.each([
  [500, 500],
  [11, 11],
  [1, MIN_TICK_MS],
])("ticks each %i ms come each %i ms, until the filter is closed", async (asked, ms) => {
  const { clock, runtime, filter, close } = await playedFilter(ticking(asked, op.i32(0)));
  clock.advance(ms - 1);
  expect(runtime.lines).toEqual([]);
  clock.advance(10 * (ms + 20) + 1);
  expect(runtime.lines.length).toBeGreaterThanOrEqual(9);
  expect(runtime.lines.length).toBeLessThanOrEqual(1 + (10 * (ms + 20)) / ms);
  expect(said(runtime.lines)[0]).toBe("tick");
  expect(runtime.counted.slice(-1)).toEqual(["callback allow"]);
  filter.close();
  expect(clock.tick).toBeUndefined();
  close();
});

test("a filter stops its ticks, and a filter without a callback for them gets none", async () => {
  const once = await playedFilter(ticking(20, call(SET_TICK, 0)));
  once.clock.advance(1000);
  expect([said(once.runtime.lines), once.clock.tick]).toEqual([["tick"], undefined]);
  once.close();
  const none = await playedFilter(ticking(20, undefined));
  none.clock.advance(1000);
  expect([none.runtime.lines, none.clock.tick]).toEqual([[], undefined]);
  none.close();
});

test("lines have their level, those below info are left out, and an invocation writes 64 of at most 4,096 bytes", async () => {
  const levels = [0, 1, 2, 3, 4, 5].flatMap((level) => say("tick", level));
  const { runtime, play, close } = await playedFilter(
    filterOf({ proxy_on_request_headers: [...levels, ...op.i32(0)], proxy_on_done: op.i32(1) }),
  );
  play();
  expect(runtime.lines).toEqual(["info", "warn", "error", "critical"].map((level) => `test: ${level}: tick`));
  close();
  const lines = Array.from({ length: MAX_LOG_LINES + 1 }, () => say("log")).flat();
  const much = await playedFilter(filterOf({ proxy_on_request_headers: [...lines, ...op.i32(0)] }));
  much.play();
  much.play();
  expect(much.runtime.lines.length).toBe(2 * MAX_LOG_LINES);
  much.close();
  const long = await playedFilter(
    filterOf({ proxy_on_request_headers: [...call(LOG, INFO, 0, MAX_LOG_BYTES + 9), ...op.drop, ...op.i32(0)] }),
  );
  long.play();
  expect(long.runtime.lines.map(({ length }) => length)).toEqual(["test: info: ".length + MAX_LOG_BYTES]);
  long.close();
});

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Pauses requests without a body. One with a body continues the first one, and itself. */
const CONTINUES_THE_FIRST = filterOf({
  proxy_on_request_headers: [
    ...op.get(2),
    ...op.if,
    ...op.else,
    ...call(GO_ON, STREAM.request),
    ...op.drop,
    ...call(SET_CONTEXT, FIRST_STREAM),
    ...op.drop,
    ...call(GO_ON, STREAM.request),
    ...op.drop,
    ...op.end,
    ...op.i32(1),
  ],
});

test("a callback continues its own request and another one, each of them once", async () => {
  const { clock, play, close } = await playedFilter(CONTINUES_THE_FIRST);
  const waits = play();
  const other = play();
  await settle();
  const asks = play({ method: "POST", bodyLength: 3 });
  await settle();
  expect([waits, other, asks].map(({ decision }) => decision)).toEqual(["continue", undefined, "continue"]);
  clock.advance(5000);
  expect([waits, asks].map(({ client }) => client.events)).toEqual([[], []]);
  expect(other.client.events[1]).toBe("filter-failed");
  close();
});

test("the plugin's own context has the id 1, and no request to continue", async () => {
  const { runtime, play, close } = await playedFilter(
    filterOf({
      proxy_on_request_headers: [
        ...call(SET_CONTEXT, 1),
        ...op.if,
        ...op.unreachable,
        ...op.end,
        // The plugin's context has no stream.
        ...call(GO_ON, STREAM.request),
        0x45,
        ...op.if,
        ...op.unreachable,
        ...op.end,
        ...say("context"),
        ...op.i32(0),
      ],
    }),
  );
  play();
  await settle();
  expect(said(runtime.lines)).toEqual(["context"]);
  close();
});

test("an instance that breaks says how many requests fail, stops its ticks, and is not called again", async () => {
  const { clock, runtime, filter, play, close } = await playedFilter(
    filterOf({
      proxy_on_configure: [...call(SET_TICK, 100), ...op.drop, ...op.i32(1)],
      proxy_on_request_headers: op.i32(1),
      proxy_on_tick: op.unreachable,
      proxy_on_done: [...say("done"), ...op.i32(1)],
      proxy_on_log: [...say("log"), ...op.i32(0)],
      proxy_on_delete: [...say("delete"), ...op.i32(0)],
    }),
  );
  runtime.lines.length = 0;
  const requests = [play(), play()];
  clock.advance(1000);
  expect(runtime.lines).toEqual([expect.stringMatching(/^test: trapped: .+ in proxy_on_tick; 2 requests fail$/)]);
  for (const { client } of requests) expect(client.events.slice(1)).toEqual(["filter-failed", "end"]);
  for (const { exchange } of requests) exchange.onFinish?.(exchange);
  expect([runtime.lines.length, clock.tick, runtime.counted.at(-1)]).toEqual([1, undefined, "callback trap"]);
  filter.close();
  expect([runtime.lines.length, runtime.gauge.instances]).toEqual([1, 0]);
  close();
});

test("a broken instance is not called again, also if the end of one stream is an event of another one", async () => {
  const { clock, runtime, play, close } = await playedFilter(
    filterOf({
      proxy_on_configure: [...call(SET_TICK, 100), ...op.drop, ...op.i32(1)],
      proxy_on_request_body: [...say("tick"), ...op.i32(1)],
      proxy_on_tick: op.unreachable,
    }),
  );
  const [first, second] = [play({ method: "POST", bodyLength: 9 }), play({ method: "POST", bodyLength: 9 })];
  for (const { body } of [first, second]) body.sink?.data(Buffer.from("a"));
  runtime.lines.length = 0;
  Object.assign(first.client, { end: () => second.body.sink?.data(Buffer.from("b")) });
  clock.advance(200);
  expect(runtime.lines).toEqual([expect.stringMatching(/in proxy_on_tick; 2 requests fail$/)]);
  expect(second.client.events[1]).toBe("filter-failed");
  close();
});

test.each([
  ["proxy_on_done", { proxy_on_done: op.unreachable, proxy_on_delete: [...say("delete"), ...op.i32(0)] }],
  [
    "proxy_on_delete",
    { proxy_on_delete: [...op.get(0), ...op.i32(1), 0x46, ...op.if, ...op.unreachable, ...op.end, ...op.i32(0)] },
  ],
] as const)("an instance that fails in its own %s has ended all the same", async (name, callbacks) => {
  const { clock, runtime, create } = await start(filterOf(callbacks), { route: "" });
  const filter = create();
  filter.close();
  expect(runtime.lines).toEqual([expect.stringMatching(new RegExp(`^test: trapped: .+ in ${name}; 0 requests fail$`))]);
  expect([runtime.gauge.instances, clock.tick]).toEqual([0, undefined]);
});

test("a closed instance that breaks ends with its requests, once", async () => {
  const { clock, runtime, filter, play, close } = await playedFilter(
    filterOf({
      proxy_on_configure: [...call(SET_TICK, 100), ...op.drop, ...op.i32(1)],
      proxy_on_request_headers: op.i32(1),
      proxy_on_tick: op.unreachable,
    }),
  );
  const { client, exchange } = play();
  filter.close();
  expect(runtime.gauge.instances).toBe(1);
  clock.advance(200);
  expect([client.events[1], runtime.gauge.instances, filter.instances.all]).toEqual(["filter-failed", 0, 0]);
  exchange.onFinish?.(exchange);
  expect([runtime.gauge.instances, clock.tick]).toEqual([0, undefined]);
  close();
});

test("each invocation is counted with its phase, its outcome, its fuel, its time and its request's trace", async () => {
  const invocations: unknown[] = [];
  const clock = new FakeClock();
  const runtime = testRuntime(new TimerWheel(clock));
  let time = 0;
  const filter = new ProxyWasmFilter(
    await loaded(
      moduleOf(
        filterOf({
          proxy_on_request_headers: op.i32(0),
          proxy_on_response_headers: op.i32(0),
          proxy_on_response_body: [...op.get(2), 0x45],
          proxy_on_done: [...op.loop, ...op.br(0), ...op.end, ...op.i32(1)],
        }),
      ),
    ),
    testSettings({ fuel: 1000 }),
    {
      ...runtime,
      clock: () => (time += 3),
      metrics: (name, route) => ({
        invoked: (...all) => void invocations.push([name, route, ...all]),
        notInvoked() {},
      }),
    },
  );
  invocations.length = 0;
  const exchange = new ClientExchange(new Consumer(), { method: "GET", bodyLength: 0 });
  // No function of it is called.
  const trace = {} as NonNullable<typeof exchange.trace>;
  exchange.trace = trace;
  await filter.request(exchange);
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 3 });
  exchange.response.data(Buffer.from("a"));
  exchange.onFinish?.(exchange);
  const counted = { microseconds: 3000, trace };
  const few = expect.objectContaining(counted);
  expect(invocations).toEqual([
    ["test", "/", "request", "allow", few],
    ["test", "/", "response", "unchanged", few],
    ["test", "/", "response", "park", few],
    ["test", "/", "callback", "fuel", { ...counted, fuel: 1000 }],
  ]);
  const fuel = invocations.map((invocation) => (invocation as { fuel: number }[])[4]?.fuel ?? 0);
  expect(fuel.every((used) => used > 0 && used <= 1000)).toBe(true);
  expect(Math.max(...fuel.slice(0, 3))).toBeLessThan(10);
});
