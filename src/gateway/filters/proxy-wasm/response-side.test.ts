import { expect, test } from "bun:test";
import { BROKEN } from "../../../../test/flow/testing/flow.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type ResponseHead } from "../../exchange/exchange.ts";
import { op } from "../module/testing/assembler.ts";
import { BUFFER, MAP, STREAM } from "./guest/enums.ts";
import { DEADLINE_MS, FIRST_STREAM, playedStream } from "./testing/played-stream.ts";
import { call, type Filter, TEXTS } from "./testing/proxy-module.ts";

const MAX_HELD_RESPONSE_BYTES = 16 * 1024 * 1024;

/** True (1) if the second parameter of a callback for headers, or of one for bodies, says that more follows. */
const IF_MORE = [...op.get(2), 0x45];
const [SET_TICK, SET_CONTEXT, GO_ON] = [0, 1, 2];
const IMPORTS: NonNullable<Filter["imports"]> = [
  ["proxy_set_tick_period_milliseconds", 1],
  ["proxy_set_effective_context", 1],
  ["proxy_continue_stream", 1],
];
const ON_TICK = [...call(SET_CONTEXT, FIRST_STREAM), ...op.drop, ...call(GO_ON, STREAM.response)];
const TICK_MS = 100;
const TICKS = { proxy_on_request_headers: call(SET_TICK, TICK_MS), proxy_on_tick: ON_TICK };
/** Fails with the first tick. */
const TRAPS = { ...TICKS, proxy_on_tick: op.unreachable };

/** Pauses heads of responses that have a body, until a tick. */
const PAUSES: Filter = { imports: IMPORTS, callbacks: { ...TICKS, proxy_on_response_headers: IF_MORE } };
/** Holds bodies to their end, or until a tick. */
const HOLDS: Filter = { imports: IMPORTS, callbacks: { ...TICKS, proxy_on_response_body: IF_MORE } };
const holds = (callbacks: Filter["callbacks"]): Filter => ({ imports: IMPORTS, callbacks });

const headOf = (change: Partial<ResponseHead> = {}): ResponseHead => ({
  status: 200,
  reason: "",
  fields: "",
  bodyLength: -1,
  ...change,
});
const settle = () => new Promise((resolve) => setImmediate(resolve));

test.each<readonly [string, Partial<ResponseHead>, string, boolean]>([
  ["of unknown length", {}, "GET", true],
  ["of a known length", { bodyLength: 5 }, "GET", true],
  ["of no bytes", { bodyLength: 0 }, "GET", false],
  ["with 204", { status: 204 }, "GET", false],
  ["with 304", { status: 304, bodyLength: 5 }, "GET", false],
  ["to HEAD", { bodyLength: 5 }, "HEAD", false],
  ["that is only the status of a call", { grpcStatus: 0 }, "GET", false],
])("a filter learns whether a response %s has a body", async (_what, change, method, hasBody) => {
  const { client, exchange, close } = await playedStream(PAUSES, { head: { method } });
  exchange.response.start(headOf(change));
  expect(client.events.length).toBe(hasBody ? 0 : 1);
  close();
});

test("interim responses, and errors of the gateway, pass without the filter", async () => {
  const { client, exchange, close } = await playedStream(PAUSES);
  exchange.response.start(headOf({ status: 103 }));
  exchange.response.start(headOf({ status: 502, error: BROKEN }));
  exchange.response.data(Buffer.from("ab"));
  exchange.response.end("");
  expect(client.events).toEqual(["103", "502", "ab", "end"]);
  close();
});

test("a switch to another protocol is a response, whose bytes pass as they are", async () => {
  const { client, exchange, close } = await playedStream(HOLDS, { head: { upgrade: "websocket" } });
  exchange.response.start(headOf({ status: 101 }));
  exchange.response.data(Buffer.from("ab"));
  expect(client.events).toEqual(["101", "ab"]);
  close();
});

test("pieces behind a paused head wait, stop their source, and pass in their order when the filter goes on", async () => {
  const { clock, runtime, client, exchange, calls, close } = await playedStream(PAUSES);
  exchange.response.start(headOf());
  expect(exchange.response.data(Buffer.from("xabx"), 1, 3)).toBe(false);
  expect(exchange.response.data(Buffer.from("c"))).toBe(false);
  expect([client.events, runtime.memory.taken, calls]).toEqual([[], 3, []]);
  clock.advance(2 * TICK_MS);
  expect([client.events, runtime.memory.taken, calls]).toEqual([["200", "ab", "c"], 0, ["drain"]]);
  expect(exchange.response.data(Buffer.from("d"))).toBe(true);
  exchange.response.end("x: 1\r\n");
  clock.advance(10 * DEADLINE_MS);
  expect([client.events.slice(3), runtime.memory.taken, calls]).toEqual([["d", "end"], 0, ["drain"]]);
  close();
});

test("a paused response that has ended passes whole, and a client without room is not asked for more", async () => {
  const whole = await playedStream(PAUSES);
  whole.exchange.response.start(headOf({ bodyLength: 2 }));
  whole.exchange.response.data(Buffer.from("ab"));
  whole.exchange.response.end("");
  whole.clock.advance(2 * TICK_MS);
  expect([whole.client.events, whole.calls]).toEqual([["200 of 2", "ab", "end"], []]);
  whole.close();
  const slow = await playedStream(PAUSES);
  slow.client.room = false;
  slow.exchange.response.start(headOf());
  slow.exchange.response.data(Buffer.from("ab"));
  slow.clock.advance(2 * TICK_MS);
  expect([slow.client.events, slow.calls]).toEqual([["200", "ab"], []]);
  slow.close();
});

test("a source is paused while a client is full of pieces that its filter let pass later, and goes on after that", async () => {
  const { clock, client, exchange, calls, close } = await playedStream(HOLDS);
  exchange.response.start(headOf());
  expect(exchange.response.data(Buffer.from("a"))).toBe(true);
  client.room = false;
  clock.advance(2 * TICK_MS);
  expect(client.events).toEqual(["200", "a"]);
  // The filter holds this piece, but the client takes no more of the earlier one.
  expect(exchange.response.data(Buffer.from("b"))).toBe(false);
  client.setRoom(true);
  expect([client.events, calls]).toEqual([["200", "a"], ["drain"]]);
  expect(exchange.response.data(Buffer.from("c"))).toBe(true);
  clock.advance(2 * TICK_MS);
  expect([client.bytes.toString(), calls]).toEqual(["abc", ["drain"]]);
  close();
});

test("a filter that lets pieces pass resumes a paused source when its client takes them", async () => {
  const { clock, client, exchange, calls, close } = await playedStream(HOLDS);
  exchange.response.start(headOf());
  exchange.response.data(Buffer.from("a"));
  client.room = false;
  clock.advance(2 * TICK_MS);
  expect(exchange.response.data(Buffer.from("b"))).toBe(false);
  // The last result of `data` counts.
  client.room = true;
  clock.advance(2 * TICK_MS);
  expect([client.bytes.toString(), calls]).toEqual(["ab", ["drain"]]);
  close();
});

test("a drain of an earlier response does not resume a source that waits for its filter", async () => {
  const { clock, exchange, calls, close } = await playedStream(PAUSES);
  exchange.response.start(headOf());
  expect(exchange.response.data(Buffer.from("ab"))).toBe(false);
  exchange.drained();
  expect(calls).toEqual([]);
  clock.advance(2 * TICK_MS);
  expect(calls).toEqual(["drain"]);
  close();
});

test("a filter that goes on again and again does not make the source send to a client without room", async () => {
  const { clock, client, exchange, calls, close } = await playedStream(
    holds({ ...TICKS, proxy_on_response_body: op.i32(0) }),
  );
  client.room = false;
  exchange.response.start(headOf());
  expect(exchange.response.data(Buffer.from("ab"))).toBe(false);
  clock.advance(5 * TICK_MS);
  expect([client.events, calls]).toEqual([["200", "ab"], []]);
  close();
});

test("a response that its filter never continues fails at the deadline, and its upstream is stopped", async () => {
  for (const filter of [
    { callbacks: { proxy_on_response_headers: IF_MORE } },
    { callbacks: { proxy_on_response_body: op.i32(1) } },
  ]) {
    const { clock, runtime, client, exchange, calls, close } = await playedStream(filter);
    await settle();
    exchange.response.start(headOf());
    exchange.response.data(Buffer.from("ab"));
    exchange.response.end("");
    clock.advance(DEADLINE_MS - 20);
    expect(client.events).toEqual([]);
    clock.advance(40);
    expect([client.events.slice(1), runtime.memory.taken]).toEqual([["filter-failed", "end"], 0]);
    await settle();
    expect(calls).toEqual(["cancel"]);
    // Nothing more of the upstream's passes.
    exchange.response.data(Buffer.from("late"));
    exchange.response.end("");
    expect(client.late).toBe(0);
    close();
  }
});

test.each([
  ["a paused head", { callbacks: { proxy_on_response_headers: op.i32(1) } }],
  ["a held body", { callbacks: { proxy_on_response_body: op.i32(1) } }],
])("16 MiB wait behind %s, and a response with more fails", async (_what, filter) => {
  const { runtime, client, exchange, close } = await playedStream(filter);
  exchange.response.start(headOf());
  exchange.response.data(new Uint8Array(MAX_HELD_RESPONSE_BYTES - 1));
  exchange.response.data(new Uint8Array(1));
  expect([client.events, runtime.memory.taken]).toEqual([[], MAX_HELD_RESPONSE_BYTES]);
  exchange.response.data(new Uint8Array(1));
  expect([client.events.slice(1), runtime.memory.taken]).toEqual([["filter-failed", "end"], 0]);
  close();
});

test.each([
  ["a paused head", { callbacks: { proxy_on_response_headers: op.i32(1) } }],
  ["a held body", { callbacks: { proxy_on_response_body: op.i32(1) } }],
])("without memory for the bytes behind %s, a response fails", async (_what, filter) => {
  const { runtime, client, exchange, close } = await playedStream(filter);
  runtime.memory.capacity = 3;
  exchange.response.start(headOf());
  exchange.response.data(Buffer.from("abc"));
  expect(client.events).toEqual([]);
  exchange.response.data(Buffer.from("d"));
  expect([client.events.slice(1), runtime.memory.taken]).toEqual([["overloaded", "end"], 0]);
  close();
});

test("a response that breaks off before its head was sent becomes an error, and is cut off after that", async () => {
  const held = await playedStream(HOLDS);
  held.exchange.response.start(headOf());
  held.exchange.response.data(Buffer.from("ab"));
  held.exchange.response.abort(BROKEN);
  expect([held.client.events.slice(1), held.runtime.memory.taken]).toEqual([["upstream-failed", "end"], 0]);
  held.close();
  const sent = await playedStream(holds({ proxy_on_response_body: op.i32(0) }));
  sent.exchange.response.start(headOf());
  sent.exchange.response.data(Buffer.from("ab"));
  sent.exchange.response.abort(BROKEN);
  expect(sent.client.events).toEqual(["200", "ab", "abort upstream-failed"]);
  sent.close();
  const none = await playedStream(HOLDS);
  none.exchange.response.abort(new TurnpikeError("upstream-timeout", "late"));
  expect(none.client.events).toEqual(["abort upstream-timeout"]);
  none.close();
});

test("a body that a filter held has its length, and its first bytes bring the head of an event stream or a call", async () => {
  const { client, exchange, close } = await playedStream(HOLDS);
  exchange.response.start(headOf());
  exchange.response.data(Buffer.from("ab"));
  exchange.response.data(Buffer.from("c"));
  exchange.response.end("");
  expect([client.events[0], client.bytes.toString(), client.ends]).toEqual(["200 of 3", "abc", 1]);
  close();
  for (const type of ["text/event-stream", "application/grpc+proto"]) {
    const live = await playedStream(HOLDS);
    live.exchange.response.start(headOf({ fields: `X: y\r\nContent-Type: ${type}\r\n` }));
    expect(live.client.events).toEqual(["200"]);
    live.close();
  }
});

test("files go to the client directly only if the filter reads no bodies", async () => {
  const plain = await playedStream(holds({ proxy_on_response_headers: op.i32(0) }));
  expect(plain.exchange.response.sendFile?.(1, 0, 7)).toBe(0);
  plain.exchange.response.start(headOf({ bodyLength: 7 }));
  expect([plain.exchange.response.sendFile?.(1, 0, 7), plain.client.events]).toEqual([7, ["200 of 7", "file 7"]]);
  plain.close();
  const reads = await playedStream(HOLDS);
  reads.exchange.response.start(headOf({ bodyLength: 7 }));
  expect([reads.exchange.response.sendFile?.(1, 0, 7), reads.client.events]).toEqual([0, []]);
  reads.close();
});

test.each([
  ["a head that waits", { ...TRAPS, proxy_on_response_headers: op.i32(1) }, false],
  ["a head that waits, with its end", { ...TRAPS, proxy_on_response_headers: op.i32(1) }, true],
  ["a body that waits", { ...TRAPS, proxy_on_response_body: op.i32(1) }, false],
  ["a body that waits, with its end", { ...TRAPS, proxy_on_response_body: op.i32(1) }, true],
])("%s passes as it arrived if its instance fails, or becomes an error if the route fails closed", async (...row) => {
  const [, callbacks, isWhole] = row;
  for (const responseFailClosed of [false, true]) {
    const { clock, runtime, client, exchange, close } = await playedStream(holds(callbacks), {
      settings: { responseFailClosed },
    });
    exchange.response.start(headOf({ bodyLength: 3 }));
    exchange.response.data(Buffer.from("ab"));
    if (isWhole) exchange.response.data(Buffer.from("c"));
    if (isWhole) exchange.response.end("");
    clock.advance(2 * TICK_MS);
    if (!isWhole) {
      exchange.response.data(Buffer.from("c"));
      exchange.response.end("");
    }
    const passed = [client.events[0], client.bytes.toString(), client.ends];
    if (responseFailClosed) expect(client.events.slice(1)).toEqual(["filter-unavailable", "end"]);
    else expect(passed).toEqual(["200 of 3", "abc", 1]);
    expect(runtime.memory.taken).toBe(0);
    close();
  }
});

test("a client that is full of what a lost filter held pauses the source", async () => {
  const { clock, client, exchange, calls, close } = await playedStream(
    holds({ ...TRAPS, proxy_on_response_body: op.i32(1) }),
  );
  exchange.response.start(headOf());
  exchange.response.data(Buffer.from("ab"));
  client.room = false;
  clock.advance(2 * TICK_MS);
  expect(exchange.response.data(Buffer.from("c"))).toBe(false);
  client.setRoom(true);
  expect([client.bytes.toString(), calls]).toEqual(["abc", ["drain"]]);
  close();
});

test("a response of which a part has passed is cut off if its instance fails", async () => {
  const { clock, client, exchange, close } = await playedStream(holds({ ...TRAPS, proxy_on_response_body: op.i32(0) }));
  exchange.response.start(headOf());
  exchange.response.data(Buffer.from("ab"));
  exchange.started = true;
  clock.advance(2 * TICK_MS);
  expect(client.events).toEqual(["200", "ab", "abort filter-failed"]);
  close();
});

test("a response that begins after its instance failed passes unchanged", async () => {
  const { clock, client, exchange, close } = await playedStream(holds({ ...TRAPS, proxy_on_response_body: op.i32(1) }));
  await settle();
  clock.advance(2 * TICK_MS);
  exchange.response.start(headOf());
  exchange.response.data(Buffer.from("ab"));
  exchange.response.end("");
  expect(client.events).toEqual(["200", "ab", "end"]);
  close();
});

/** Code of a callback of the response: with the text "+content-length", and functions 3 to 5. */
const [SET_BYTES, REMOVE_FIELD, ADD_FIELD] = [3, 4, 5];
const changes = (callbacks: Filter["callbacks"]): Filter => ({
  imports: [
    ...IMPORTS,
    ["proxy_set_buffer_bytes", 5],
    ["proxy_remove_header_map_value", 3],
    ["proxy_add_header_map_value", 5],
  ],
  text: "+content-length",
  callbacks,
});
const DROPS_LENGTH = { proxy_on_response_headers: call(REMOVE_FIELD, MAP.responseHeaders, TEXTS + 1, 14) };

test.each<readonly [string, Filter["callbacks"], string]>([
  ["reads no body", DROPS_LENGTH, "200"],
  ["reads the body", { ...DROPS_LENGTH, proxy_on_response_body: op.i32(0) }, "200"],
  ["keeps the length, and reads the body", { proxy_on_response_body: op.i32(0) }, "200 of 5"],
])(
  "a filter that removes a response's length, or %s, decides about its announcement",
  async (_what, callbacks, head) => {
    const { client, exchange, close } = await playedStream(changes(callbacks));
    exchange.response.start(headOf({ bodyLength: 5 }));
    exchange.response.data(Buffer.from("ab"));
    exchange.response.data(Buffer.from("cde"));
    exchange.response.end("");
    expect([client.events[0], client.bytes.toString(), client.ends]).toEqual([head, "abcde", 1]);
    close();
  },
);

test("the length of a response without a body stays, also if the filter removes it", async () => {
  const { client, exchange, close } = await playedStream(changes(DROPS_LENGTH), { head: { method: "HEAD" } });
  exchange.response.start(headOf({ bodyLength: 5 }));
  exchange.response.end("");
  expect(client.events).toEqual(["200 of 5", "end"]);
  close();
});

const LONGER = call(SET_BYTES, BUFFER.responseBody, 0, 0, TEXTS, 1);
const SHORTER = call(SET_BYTES, BUFFER.responseBody, 0, 1, TEXTS, 0);

test.each([
  ["longer", LONGER],
  ["shorter", SHORTER],
])("a filter that makes a response %s than announced cuts it off", async (what, code) => {
  const { client, runtime, exchange, calls, close } = await playedStream(
    changes({ proxy_on_response_body: [...op.get(2), ...op.if, ...code, ...op.drop, ...op.end, ...op.i32(0)] }),
  );
  exchange.response.start(headOf({ bodyLength: 4 }));
  exchange.response.data(Buffer.from("ab"));
  exchange.started = true;
  exchange.response.data(Buffer.from("cd"));
  exchange.response.end("");
  await settle();
  expect([client.events[0], client.events.at(-1), client.ends]).toEqual(["200 of 4", "abort filter-failed", 0]);
  expect(runtime.lines).toEqual([`test: makes the body ${what} than announced: request id fails`]);
  expect(calls).toEqual(["cancel"]);
  close();
});

test("a response that is changed before its head is sent has its new length, or none if more follows", async () => {
  const whole = await playedStream(changes({ proxy_on_response_body: LONGER }));
  whole.exchange.response.start(headOf({ bodyLength: 2 }));
  whole.exchange.response.data(Buffer.from("ab"));
  whole.exchange.response.end("");
  expect([whole.client.events[0], whole.client.bytes.toString()]).toEqual(["200 of 3", "+ab"]);
  whole.close();
  const part = await playedStream(changes({ proxy_on_response_body: LONGER }));
  part.exchange.response.start(headOf({ bodyLength: 4 }));
  part.exchange.response.data(Buffer.from("ab"));
  expect(part.client.events[0]).toBe("200");
  part.close();
});

test.each<readonly [string, Filter["callbacks"], string]>([
  [
    "changes",
    { proxy_on_response_trailers: call(ADD_FIELD, MAP.responseTrailers, TEXTS + 1, 1, TEXTS, 1) },
    "x: 1\r\nc: +\r\n",
  ],
  ["only reads", { proxy_on_response_trailers: op.i32(0) }, "x: 1\r\n"],
  ["does not read", { proxy_on_response_body: op.i32(0) }, "x: 1\r\n"],
])("trailers that a filter %s follow the body", async (_what, callbacks, trailers) => {
  const { client, exchange, close } = await playedStream(changes(callbacks));
  const ends: string[] = [];
  Object.assign(client, { end: (one: string) => void ends.push(one) });
  exchange.response.start(headOf());
  exchange.response.data(Buffer.from("ab"));
  exchange.response.end("x: 1\r\n");
  expect([client.events, ends]).toEqual([["200", "ab"], [trailers]]);
  close();
});

test("a filter that pauses at the trailers, and does not go on, fails the response", async () => {
  const { clock, client, exchange, close } = await playedStream(changes({ proxy_on_response_trailers: op.i32(1) }));
  exchange.response.start(headOf());
  exchange.response.data(Buffer.from("ab"));
  exchange.started = true;
  exchange.response.end("x: 1\r\n");
  expect(client.events).toEqual(["200", "ab"]);
  clock.advance(DEADLINE_MS + 40);
  expect(client.events).toEqual(["200", "ab", "abort filter-failed"]);
  close();
});

test("a head that cannot be sent fails the response, and no byte of it passes", async () => {
  for (const body of [{}, { proxy_on_response_body: op.i32(0) }]) {
    const { client, exchange, close } = await playedStream(
      changes({ ...body, proxy_on_response_headers: call(ADD_FIELD, MAP.responseHeaders, 64, 1, TEXTS, 1) }),
    );
    exchange.response.start(headOf({ bodyLength: 4 }));
    exchange.response.data(Buffer.from("ab"));
    exchange.response.data(Buffer.from("cd"));
    exchange.response.end("");
    expect([client.events.slice(1), client.late]).toEqual([["filter-failed", "end"], 0]);
    close();
  }
});
