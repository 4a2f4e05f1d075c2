/** Requests of a filter for the Turnpike ABI: the parts of their bodies that it reads, and their parks. */
import { expect, test } from "bun:test";
import { BROKEN, ClientExchange, ProducedBody } from "../../../test/flow/testing/flow.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type RequestHead } from "../exchange/exchange.ts";
import { type Plain } from "../exchange/exchange-state.ts";
import { type CommandOutcome } from "./control/protocol/control-connection.ts";
import { op } from "./module/testing/assembler.ts";
import { loaded } from "./module/testing/metered.ts";
import { callsOf, ownModule } from "./own-abi/testing/own-module.ts";
import { OwnFilter } from "./own-filter.ts";
import { PlayedClient, PlayedReader } from "./proxy-wasm/testing/played-stream.ts";
import { type FilterDecision } from "./runtime/filter.ts";
import { type FilterSettings } from "./runtime/runtime.ts";
import { testRuntime, testSettings } from "./testing/test-runtime.ts";

const BUFFER = 1000;
const PATIENCE_MS = 5000;
const BUSY_MS = 50;

/** Responds with the bytes that function 0 reads. */
const RESPONDS_WITH = (...parameters: readonly number[]): number[] => [
  ...op.i32(200),
  ...op.i32(BUFFER),
  ...callsOf(0, ...parameters),
  ...op.call(1),
  ...op.i32(1),
];
const READS_BODY = ownModule(["read_body", "respond"], { on_request: RESPONDS_WITH(0, BUFFER, 60_000) });
/** Reads the body, and allows the request. */
const LOOKS = ownModule(["read_body"], { on_request: [...callsOf(0, 0, BUFFER, 60_000), ...op.drop, ...op.i32(0)] });
/** Allows bodies of five bytes, and rejects others. */
const COUNTS = ownModule(["body_len"], { on_request: [...callsOf(0), ...op.i32(5), 0x47] });
const IGNORES = ownModule([], { on_request: op.i32(0) });
const PARKS = [...callsOf(0, 0, 7), ...op.drop, ...op.i32(3)];
const COMMAND = "command";
const PARKING = ownModule(["host_call"], { on_request: PARKS, on_resume: op.i32(0) }, COMMAND);

interface Rigged {
  readonly settings?: Partial<FilterSettings>;
  readonly capacity?: number;
  readonly isConnected?: boolean;
}

/** A filter on a clock of the test's, with a sandbox that the test plays. */
async function filterOf(module: Uint8Array, { settings, capacity = 64, isConnected = true }: Rigged = {}) {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const runtime = testRuntime(wheel);
  runtime.parks.capacity = capacity;
  runtime.deadlineMs = PATIENCE_MS;
  const commands: { text: string; done: (outcome: CommandOutcome) => void; isForgotten: boolean }[] = [];
  if (isConnected) {
    runtime.link = {
      isReady: true,
      call(bytes, done) {
        const command = { text: String(bytes), done, isForgotten: false };
        commands.push(command);
        return () => void (command.isForgotten = true);
      },
      close() {},
    };
  }
  const filter = new OwnFilter(await loaded(module), testSettings(settings), runtime);
  const open = new Set<ClientExchange>();
  const ask = (head: Partial<Plain<RequestHead>> = {}, isGone = false) => {
    const client = new PlayedClient();
    const exchange = new ClientExchange(client, { method: "GET", bodyLength: 0, ...head });
    exchange.gone = isGone;
    const calls: string[] = [];
    const body = Object.assign(new ProducedBody(() => calls.push("resume")), { pause: () => calls.push("pause") });
    exchange.body = body;
    exchange.onFinish = () => void open.delete(exchange);
    open.add(exchange);
    const asked = { client, exchange, calls, body, decision: undefined as FilterDecision | undefined };
    const decision = filter.request(exchange);
    if (decision instanceof Promise) void decision.then((later) => (asked.decision = later));
    else asked.decision = decision;
    return asked;
  };
  /** Ends all requests and the filter, which must hold nothing after that. */
  const close = async (): Promise<void> => {
    for (const exchange of open) exchange.onFinish?.(exchange);
    filter.close();
    await settle();
    expect([runtime.memory.taken, runtime.gauge, clock.tick, runtime.errors]).toEqual([
      0,
      { instances: 0, pinned: 0, parked: 0 },
      undefined,
      [],
    ]);
  };
  return { clock, runtime, filter, commands, ask, close };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const post = (bodyLength: number, more = {}) => ({ method: "POST", bodyLength, ...more });
const ALLOWED: FilterDecision = { kind: "continue" };
const RESPONDED: FilterDecision = { kind: "responded" };

// --- bodies ---

test.each([3, -1])("a filter that reads bodies gets a body of the announced length %i as a whole", async (length) => {
  const { ask, filter, close } = await filterOf(READS_BODY);
  const { client, body, ...asked } = ask(post(length));
  body.sink?.data(Buffer.from("xax"), 1, 2);
  body.sink?.data(Buffer.from("bc"));
  await settle();
  expect([client.events, asked.decision, filter.instances.pinned]).toEqual([[], undefined, 0]);
  body.sink?.end("");
  await settle();
  expect(client.events).toEqual(["200 of 3", "abc", "end"]);
  await close();
});

test("a filter sees the first 64 KiB of a longer body, whose rest is read by the upstream", async () => {
  const { ask, close } = await filterOf(LOOKS);
  const asked = ask(post(65_537));
  expect(asked.body.sink?.data(Buffer.alloc(65_535, "a"))).toBe(true);
  await settle();
  expect(asked.decision).toBeUndefined();
  expect(asked.body.sink?.data(Buffer.from("b"))).toBe(false);
  await settle();
  expect(asked.decision).toEqual(ALLOWED);
  const reader = new PlayedReader();
  asked.exchange.body.readTo(reader);
  expect(asked.calls).toEqual(["resume"]);
  asked.body.sink?.data(Buffer.from("c"));
  asked.body.sink?.end("");
  const sent = reader.events.join("");
  expect([sent.length, sent.slice(-5)]).toEqual([65_537 + "end".length, "bcend"]);
  await close();
  const whole = await filterOf(LOOKS);
  const short = whole.ask(post(65_536));
  short.body.sink?.data(Buffer.alloc(65_536, "a"));
  await settle();
  // A body that fits is gathered to its end.
  expect(short.decision).toBeUndefined();
  short.body.sink?.end("");
  await settle();
  expect([short.decision, short.exchange.body.complete]).toEqual([ALLOWED, true]);
  await whole.close();
});

test("a filter that reads lengths only waits for a body of unknown length, and one that reads none waits for none", async () => {
  const { ask, filter, close } = await filterOf(COUNTS);
  const known = ask(post(5));
  expect([known.decision, known.exchange.body, filter.readsCalls]).toEqual([ALLOWED, known.body, true]);
  expect(ask(post(6)).client.events).toEqual([expect.stringMatching(/^403 of /), "forbidden", "end"]);
  const unknown = ask(post(-1));
  unknown.body.sink?.data(Buffer.from("hello"));
  expect(unknown.decision).toBeUndefined();
  unknown.body.sink?.end("");
  await settle();
  expect([unknown.decision, unknown.exchange.head.bodyLength]).toEqual([ALLOWED, 5]);
  await close();
  const ignores = await filterOf(IGNORES);
  const ignored = ignores.ask(post(-1));
  expect([ignored.decision, ignored.exchange.body, ignores.filter.readsCalls]).toEqual([ALLOWED, ignored.body, false]);
  await ignores.close();
});

test.each([
  ["is announced as longer than the route allows", post(4), { settings: { maxBodyBytes: 3 } }, "body-too-large"],
  ["is longer than the route allows", post(-1), { settings: { maxBodyBytes: 3 } }, "body-too-large"],
  ["breaks off", post(-1), {}, "upstream-failed"],
])("a body that %s refuses its request", async (what, head, rigged, code) => {
  const { ask, filter, close } = await filterOf(READS_BODY, rigged);
  const asked = ask(head);
  asked.body.sink?.data(Buffer.from("abcd"));
  if (what === "breaks off") asked.body.sink?.abort(BROKEN);
  await settle();
  expect([asked.client.events.slice(1), asked.decision, filter.instances.pinned]).toEqual([
    [code, "end"],
    RESPONDED,
    0,
  ]);
  await close();
});

test.each([post(10), post(70_000)])("without memory for a body, its request gets 503 (%j)", async (head) => {
  const { ask, runtime, close } = await filterOf(READS_BODY);
  runtime.memory.capacity = 0;
  const asked = ask(head);
  asked.body.sink?.data(Buffer.from("abcd"));
  await settle();
  expect([asked.client.events[0]?.slice(0, 3), asked.client.events[1]]).toEqual(["503", "overloaded"]);
  await close();
});

test.each([post(10), post(70_000)])(
  "a client that has left gets nothing, and its filter does not run (%j)",
  async (head) => {
    const { ask, runtime, close } = await filterOf(READS_BODY);
    const early = ask(head, true);
    const late = ask(head);
    late.body.sink?.data(Buffer.from("abcd"));
    late.exchange.gone = true;
    late.exchange.onFinish?.(late.exchange);
    await settle();
    for (const { client, decision } of [early, late]) expect([client.events, decision]).toEqual([[], RESPONDED]);
    expect(runtime.counted).toEqual([]);
    await close();
  },
);

// --- decisions ---

test("an invocation is counted with its fuel, its time and its request's trace", async () => {
  const runtime = testRuntime();
  const invocations: unknown[] = [];
  let time = 0;
  const loops = ownModule([], { on_request: [...op.loop, ...op.br(0), ...op.end, ...op.i32(0)] });
  const filter = new OwnFilter(await loaded(loops), testSettings({ fuel: 500 }), {
    ...runtime,
    clock: () => (time += 3),
    metrics: (...names) => ({ invoked: (...all) => void invocations.push([...names, ...all]), notInvoked() {} }),
  });
  const exchange = new ClientExchange(new PlayedClient());
  // No function of it is called.
  const trace = {} as NonNullable<typeof exchange.trace>;
  exchange.trace = trace;
  await filter.request(exchange);
  expect(invocations).toEqual([["test", "/", "request", "fuel", { fuel: 500, microseconds: 3000, trace }]]);
  expect(runtime.lines).toEqual(["test: on_request ran out of fuel"]);
  filter.close();
});

test("the fields of an allowed request are put into its response, and its instance is free at once", async () => {
  const modifies = ownModule(
    ["set_response_header"],
    {
      on_request: [...callsOf(0, 0, 1, 1, 1), ...op.i32(2)],
    },
    "xy",
  );
  const { ask, filter, close } = await filterOf(modifies);
  const asked = ask();
  expect([asked.decision, filter.instances]).toEqual([ALLOWED, { all: 1, pinned: 0 }]);
  asked.exchange.response.start({ status: 200, reason: "", fields: "a: b\r\n", bodyLength: 0 });
  expect(asked.client.heads[0]?.fields).toBe("a: b\r\nx: y\r\n");
  await close();
});

// --- parks ---

test("a parked request goes on with the result of its command, and with its body", async () => {
  const names = ownModule(
    ["host_call", "read_call_result", "set_upstream"],
    {
      on_request: PARKS,
      // The result, without its trailer, is the name of an upstream.
      on_resume: [
        ...op.i32(BUFFER),
        ...callsOf(1, BUFFER, 100),
        ...op.i32(3),
        ...op.i32Sub,
        ...op.call(2),
        ...op.drop,
        ...op.i32(0),
      ],
    },
    COMMAND,
  );
  const { ask, runtime, commands, filter, close } = await filterOf(names);
  const asked = ask(post(-1));
  await settle();
  expect([commands.map(({ text }) => text), runtime.gauge.parked, filter.instances.pinned]).toEqual([[COMMAND], 1, 1]);
  asked.body.sink?.data(Buffer.from("abc"));
  commands[0]?.done({ kind: "reply", bytes: Buffer.from("tenant\x1e0\n") });
  await settle();
  // The filter has decided, and its instance is free, but the body has not arrived yet.
  expect([asked.decision, runtime.gauge.parked, filter.instances.pinned]).toEqual([undefined, 0, 0]);
  asked.body.sink?.end("");
  await settle();
  expect(asked.decision).toEqual({ kind: "continue", upstream: "tenant" });
  const reader = new PlayedReader();
  asked.exchange.body.readTo(reader);
  expect([reader.events, asked.exchange.head.bodyLength]).toEqual([["abc", "end"], 3]);
  expect(runtime.counted).toEqual(["request park", "resume allow"]);
  expect(commands[0]?.isForgotten).toBe(false);
  await close();
});

test("a body that breaks off ends its park, or its request if the filter has been resumed", async () => {
  for (const isResumed of [false, true]) {
    const { ask, runtime, commands, close } = await filterOf(PARKING);
    const asked = ask(post(-1));
    if (isResumed) commands[0]?.done({ kind: "reply", bytes: Buffer.from("\x1e0\n") });
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await settle();
    asked.body.sink?.abort(BROKEN);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await settle();
    expect([asked.client.events.slice(1), asked.decision]).toEqual([["upstream-failed", "end"], RESPONDED]);
    expect([runtime.gauge.parked, commands[0]?.isForgotten]).toEqual([0, !isResumed]);
    expect(runtime.counted).toEqual(isResumed ? ["request park", "resume allow"] : ["request park"]);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await close();
  }
});

test("a filter that rejects a request when it is resumed does not wait for the body", async () => {
  const rejects = ownModule(["host_call"], { on_request: PARKS, on_resume: op.i32(1) }, COMMAND);
  const { ask, commands, runtime, close } = await filterOf(rejects);
  const asked = ask(post(-1));
  commands[0]?.done({ kind: "reply", bytes: Buffer.from("\x1e0\n") });
  await settle();
  expect([asked.decision, asked.client.events.slice(1)]).toEqual([RESPONDED, ["forbidden", "end"]]);
  asked.body.sink?.abort(BROKEN);
  await settle();
  expect([asked.client.late, runtime.counted.at(-1)]).toEqual([0, "resume reject"]);
  // The place of a park is free again.
  ask();
  expect(commands.length).toBe(2);
  await close();
});

test.each(["its command finds the queue full", "its exchange has finished"])(
  "a client that is gone as %s gets nothing",
  async (when) => {
    const { ask, commands, runtime, close } = await filterOf(PARKING);
    const asked = ask();
    if (when === "its exchange has finished") asked.exchange.onFinish?.(asked.exchange);
    else {
      asked.exchange.gone = true;
      commands[0]?.done({ kind: "full" });
    }
    await settle();
    expect([asked.decision, asked.client.events, runtime.counted.at(-1)]).toEqual([RESPONDED, [], "resume gone"]);
    await close();
  },
);

test("the messages of a call wait with their client while it is parked", async () => {
  const { ask, commands, close } = await filterOf(PARKING);
  const asked = ask(post(-1, { isGrpc: true }));
  expect(asked.body.sink).toBeUndefined();
  commands[0]?.done({ kind: "reply", bytes: Buffer.from("\x1e0\n") });
  await settle();
  expect([asked.decision, asked.exchange.body]).toEqual([ALLOWED, asked.body]);
  await close();
});

test.each<readonly [string, CommandOutcome, string, string, readonly string[]]>([
  ["fails", { kind: "failed", detail: "no" }, "500", "filter-failed", ["test: got no result for its host call: no"]],
  ["finds the queue full", { kind: "full" }, "503", "overloaded", []],
])("a request whose command %s gets an error", async (...row) => {
  const [, outcome, status, code, lines] = row;
  const { clock, ask, runtime, commands, close } = await filterOf(PARKING);
  const asked = ask();
  commands[0]?.done(outcome);
  await settle();
  clock.advance(BUSY_MS + 20);
  await settle();
  expect([asked.client.events[0]?.slice(0, 3), asked.client.events[1], asked.decision]).toEqual([
    status,
    code,
    RESPONDED,
  ]);
  expect(runtime.lines).toEqual([...lines]);
  expect(runtime.counted.at(-1)).toBe(status === "500" ? "resume control" : "request busy");
  await close();
});

test("a filter that fails when it is resumed closes its request", async () => {
  const fails = ownModule(["host_call"], { on_request: PARKS, on_resume: op.unreachable }, COMMAND);
  const { ask, runtime, commands, filter, close } = await filterOf(fails);
  const asked = ask();
  commands[0]?.done({ kind: "reply", bytes: Buffer.from("\x1e0\n") });
  await settle();
  expect([asked.client.events[1], runtime.counted, filter.instances.all]).toEqual([
    "filter-failed",
    ["request park", "resume trap"],
    0,
  ]);
  expect(runtime.lines).toEqual([expect.stringMatching(/^test: on_resume trapped: /)]);
  await close();
});

test("without a control socket, a filter that parks fails", async () => {
  const { ask, runtime, filter, close } = await filterOf(PARKING, { isConnected: false });
  const asked = ask();
  expect([asked.client.events[1], filter.instances]).toEqual(["filter-failed", { all: 1, pinned: 0 }]);
  expect([runtime.lines, runtime.counted]).toEqual([
    ["test: parks, and wasm_control_socket is not set"],
    ["request park", "resume control"],
  ]);
  await close();
});

const HOOKED = ownModule(["host_call"], { on_request: PARKS, on_resume: op.i32(0), on_response: op.i32(1) }, COMMAND);

test.each([
  ["an instance", PARKING, {}, ["request park", "request busy"]],
  ["a place among those of its filter", HOOKED, {}, ["request park", "request park", "request busy"]],
  [
    "a place among those of the worker",
    PARKING,
    { capacity: 1, settings: { instances: 2 } },
    ["request park", "request park", "request busy"],
  ],
])("a request for which there is not %s gets 503 after a pause in which its body is not read", async (...row) => {
  const [, module, rigged, counted] = row;
  const { clock, ask, runtime, commands, filter, close } = await filterOf(module, rigged);
  ask();
  const { pinned } = filter.instances;
  const asked = ask(post(3));
  expect([asked.calls, runtime.counted, filter.instances.pinned, commands.length]).toEqual([
    ["pause"],
    counted,
    pinned,
    1,
  ]);
  clock.advance(BUSY_MS - 1);
  await settle();
  expect([asked.client.events, asked.calls]).toEqual([[], ["pause"]]);
  clock.advance(21);
  await settle();
  expect([asked.client.events[0]?.slice(0, 3), asked.client.events[1]]).toEqual(["503", "overloaded"]);
  expect([asked.calls, asked.decision, runtime.gauge.parked]).toEqual([["pause", "resume"], RESPONDED, 1]);
  const left = ask(post(3));
  left.exchange.gone = true;
  clock.advance(BUSY_MS + 20);
  await settle();
  expect([left.client.events, left.calls, left.decision]).toEqual([[], ["pause"], RESPONDED]);
  await close();
});

const ROOM = 65_536 - "POST/".length;
const READS_AND_PARKS = ownModule(
  ["host_call", "read_body"],
  { on_request: [...callsOf(1, 0, BUFFER, 1), ...op.drop, ...PARKS], on_resume: op.i32(0) },
  COMMAND,
);

test.each<readonly [string, Uint8Array, Partial<Plain<RequestHead>>, number, boolean]>([
  ["a body that is announced as too long", PARKING, post(ROOM + 1), 0, false],
  ["a body that just fits", PARKING, post(ROOM), ROOM, true],
  ["fields that are too long", PARKING, post(0, { fields: `a: ${"b".repeat(65_536)}\r\n` }), 0, false],
  ["a body of which the filter has read too much", READS_AND_PARKS, post(-1), ROOM + 1, false],
  ["a body that the filter has read, and that just fits", READS_AND_PARKS, post(-1), ROOM, true],
])("a request with %s is parked only if there is room for it", async (...row) => {
  const [, module, head, length, isParked] = row;
  const { clock, ask, runtime, commands, filter, close } = await filterOf(module);
  const asked = ask(head);
  asked.body.sink?.data(new Uint8Array(length));
  asked.body.sink?.end("");
  await settle();
  expect([commands.length, filter.instances.pinned]).toEqual(isParked ? [1, 1] : [0, 0]);
  clock.advance(BUSY_MS + 20);
  await settle();
  expect(asked.client.events.slice(1)).toEqual(isParked ? [] : ["overloaded", "end"]);
  expect(runtime.counted.at(-1)).toBe(isParked ? "request park" : "request busy");
  if (isParked) commands[0]?.done({ kind: "reply", bytes: Buffer.from("\x1e0\n") });
  await settle();
  expect(asked.decision).toEqual(isParked ? ALLOWED : RESPONDED);
  await close();
});
