import { expect, test } from "bun:test";
import { BROKEN } from "../../../../test/flow/testing/flow.ts";
import { op } from "../module/testing/assembler.ts";
import { BUFFER, MAP, STREAM } from "./guest/enums.ts";
import { DEADLINE_MS, FIRST_STREAM, PlayedReader, playedStream } from "./testing/played-stream.ts";
import { call, type Filter, TEXTS } from "./testing/proxy-module.ts";

const [SET_TICK, SET_CONTEXT, GO_ON, SET_BYTES, ADD_FIELD] = [0, 1, 2, 3, 4];
const IMPORTS: NonNullable<Filter["imports"]> = [
  ["proxy_set_tick_period_milliseconds", 1],
  ["proxy_set_effective_context", 1],
  ["proxy_continue_stream", 1],
  ["proxy_set_buffer_bytes", 5],
  ["proxy_add_header_map_value", 5],
];
const TICK_MS = 100;
/** Leaves 0. */
const TICKS = call(SET_TICK, TICK_MS);
const ON_TICK = [...call(SET_CONTEXT, FIRST_STREAM), ...op.drop, ...call(GO_ON, STREAM.request)];
/** True (1) while more of the body follows. */
const IF_MORE = [...op.get(2), 0x45];
/** Makes the body longer or shorter. Leaves 0. */
const LONGER = call(SET_BYTES, BUFFER.requestBody, 0, 0, TEXTS, 1);
const SHORTER = call(SET_BYTES, BUFFER.requestBody, 0, 1, TEXTS, 0);

const filterOf = (callbacks: Filter["callbacks"]): Filter => ({ imports: IMPORTS, text: "+", callbacks });
const HOLDS = filterOf({ proxy_on_request_headers: TICKS, proxy_on_tick: ON_TICK, proxy_on_request_body: IF_MORE });
const post = (bodyLength: number) => ({ head: { method: "POST", bodyLength } });
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a request whose head is paused goes on when the filter says so, and fails at the deadline otherwise", async () => {
  const paused = await playedStream(
    filterOf({ proxy_on_request_headers: [...TICKS, ...op.drop, ...op.i32(1)], proxy_on_tick: ON_TICK }),
  );
  await settle();
  expect(paused.decision).toBeUndefined();
  paused.clock.advance(2 * TICK_MS);
  await settle();
  paused.clock.advance(2 * DEADLINE_MS);
  expect(paused.client.events).toEqual([]);
  paused.close();
  const hung = await playedStream(filterOf({ proxy_on_request_headers: op.i32(1) }));
  hung.clock.advance(DEADLINE_MS - 20);
  expect(hung.client.events).toEqual([]);
  hung.clock.advance(40);
  expect(hung.client.events.slice(1)).toEqual(["filter-failed", "end"]);
  hung.close();
});

test("a filter that reads no bodies leaves the body to the upstream", async () => {
  const { exchange, body, close } = await playedStream(filterOf({ proxy_on_request_headers: op.i32(0) }), post(3));
  expect(exchange.body).toBe(body);
  close();
});

test("a body that a filter held to its end has its length, and is sent as soon as it is read", async () => {
  const { runtime, exchange, body, calls, close } = await playedStream(HOLDS, post(-1));
  expect(body.sink?.data(Buffer.from("xabx"), 1, 3)).toBe(true);
  body.sink?.data(Buffer.from("c"));
  expect([runtime.memory.taken > 0, exchange.head.bodyLength]).toEqual([true, -1]);
  body.sink?.end("x: 1\r\n");
  await settle();
  expect([runtime.memory.taken, exchange.body.complete]).toEqual([0, true]);
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  expect([reader.events.join(""), calls]).toEqual(["abcend x: 1", []]);
  close();
  const whole = await playedStream(HOLDS, post(-1));
  whole.body.sink?.data(Buffer.from("abc"));
  whole.body.sink?.end("");
  expect(whole.exchange.head.bodyLength).toBe(3);
  whole.close();
});

test("pieces that pass one by one are read as they arrive, and a reader without room stops the source", async () => {
  const { exchange, body, calls, close } = await playedStream(filterOf({ proxy_on_request_body: op.i32(0) }), post(5));
  expect(body.sink?.data(Buffer.from("ab"))).toBe(false);
  exchange.body.resume();
  expect(calls).toEqual(["resume"]);
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  expect([reader.events, calls, exchange.body.complete]).toEqual([["ab"], ["resume", "resume"], false]);
  reader.hasRoom = false;
  expect(body.sink?.data(Buffer.from("c"))).toBe(false);
  reader.hasRoom = true;
  expect(body.sink?.data(Buffer.from("de"))).toBe(true);
  body.sink?.end("");
  expect([reader.events, exchange.body.complete]).toEqual([["ab", "c", "de", "end"], true]);
  body.sink?.end("");
  body.sink?.abort(BROKEN);
  expect(reader.events.length).toBe(4);
  close();
});

test("a reader without room for the first pieces does not ask for more", async () => {
  const { exchange, body, calls, close } = await playedStream(filterOf({ proxy_on_request_body: op.i32(0) }), post(5));
  body.sink?.data(Buffer.from("ab"));
  const reader = new PlayedReader();
  reader.hasRoom = false;
  exchange.body.readTo(reader);
  expect([reader.events, calls]).toEqual([["ab"], []]);
  close();
});

test("before a request is allowed, its reader cannot ask for more of its body", async () => {
  const { clock, exchange, body, calls, close } = await playedStream(HOLDS, post(5));
  body.sink?.data(Buffer.from("ab"));
  exchange.body.resume();
  expect(calls).toEqual([]);
  clock.advance(TICK_MS + 20);
  exchange.body.resume();
  expect(calls).toEqual(["pause", "resume"]);
  close();
});

test("held pieces pass when the filter goes on, and a reader without room for them stops the source", async () => {
  const { clock, exchange, body, calls, close } = await playedStream(HOLDS, post(9));
  expect(body.sink?.data(Buffer.from("ab"))).toBe(true);
  clock.advance(TICK_MS + 20);
  // There is no reader yet.
  expect(calls.splice(0)).toEqual(["pause"]);
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  expect([reader.events, calls.splice(0)]).toEqual([["ab"], ["resume"]]);
  reader.hasRoom = false;
  expect(body.sink?.data(Buffer.from("c"))).toBe(true);
  clock.advance(TICK_MS);
  expect([reader.events, calls.splice(0)]).toEqual([["ab", "c"], ["pause"]]);
  // A filter that goes on again and again does not make the source send into a full reader.
  clock.advance(5 * TICK_MS);
  expect(calls).toEqual([]);
  reader.hasRoom = true;
  exchange.body.resume();
  body.sink?.data(Buffer.from("de"));
  clock.advance(TICK_MS);
  expect([reader.events, calls]).toEqual([["ab", "c", "de"], ["resume"]]);
  close();
});

test("a whole body that passes when the filter goes on stops nothing: a further request can follow it", async () => {
  const { clock, exchange, body, calls, close } = await playedStream(
    filterOf({ proxy_on_request_headers: TICKS, proxy_on_tick: ON_TICK, proxy_on_request_body: op.i32(1) }),
    post(-1),
  );
  body.sink?.data(Buffer.from("ab"));
  clock.advance(TICK_MS + 20);
  calls.length = 0;
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  calls.length = 0;
  reader.hasRoom = false;
  body.sink?.data(Buffer.from("c"));
  body.sink?.end("");
  clock.advance(TICK_MS);
  expect([reader.events, calls]).toEqual([["ab", "c", "end"], []]);
  close();
});

test.each([
  ["longer than what it may hold", { maxBodyBytes: 3 }, 1_000, "body-too-large"],
  ["longer than the memory that is left", {}, 3, "overloaded"],
])("a body %s fails its request", async (_what, settings, capacity, code) => {
  const { runtime, client, body, close } = await playedStream(HOLDS, { ...post(-1), settings });
  runtime.memory.capacity = capacity;
  body.sink?.data(Buffer.from("abc"));
  expect(client.events).toEqual([]);
  body.sink?.data(Buffer.from("d"));
  expect([client.events.slice(1), runtime.memory.taken]).toEqual([[code, "end"], 0]);
  body.sink?.data(Buffer.from("e"));
  body.sink?.end("");
  expect([client.late, runtime.lines]).toEqual([0, []]);
  close();
});

test("a client that breaks its body off causes an error before the request is sent, and after that its reader learns it", async () => {
  const held = await playedStream(HOLDS, post(5));
  held.body.sink?.data(Buffer.from("ab"));
  held.body.sink?.abort(BROKEN);
  expect([held.client.events.slice(1), held.runtime.memory.taken]).toEqual([["upstream-failed", "end"], 0]);
  held.close();
  const { exchange, body, close } = await playedStream(filterOf({ proxy_on_request_body: op.i32(0) }), post(5));
  body.sink?.data(Buffer.from("ab"));
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  body.sink?.abort(BROKEN);
  expect(reader.events).toEqual(["ab", "abort upstream-failed"]);
  close();
});

/** Changes the piece with the end of the body alone: the length was announced before. */
const atEnd = (code: readonly number[]) => [...op.get(2), ...op.if, ...code, ...op.drop, ...op.end, ...op.i32(0)];

test.each([
  ["longer", LONGER, "makes the body longer than announced"],
  ["shorter", SHORTER, "makes the body shorter than announced"],
])("a filter that makes a body %s than announced fails its request", async (_what, code, reason) => {
  const { runtime, client, exchange, body, close } = await playedStream(
    filterOf({ proxy_on_request_body: atEnd(code) }),
    post(4),
  );
  body.sink?.data(Buffer.from("ab"));
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  body.sink?.data(Buffer.from("cd"));
  body.sink?.end("");
  expect(client.events.slice(1)).toEqual(["filter-failed", "end"]);
  expect(reader.events).not.toContain("end");
  expect(runtime.lines).toEqual([`test: ${reason}: request id fails`]);
  close();
});

test("a body that is changed before its request is sent has the new length, or none if more follows", async () => {
  const whole = await playedStream(filterOf({ proxy_on_request_body: LONGER }), post(2));
  whole.body.sink?.data(Buffer.from("ab"));
  whole.body.sink?.end("");
  const reader = new PlayedReader();
  whole.exchange.body.readTo(reader);
  expect([whole.exchange.head.bodyLength, reader.events.join("")]).toEqual([3, "+abend"]);
  whole.close();
  const part = await playedStream(filterOf({ proxy_on_request_body: LONGER }), post(4));
  part.body.sink?.data(Buffer.from("ab"));
  expect(part.exchange.head.bodyLength).toBe(-1);
  part.close();
});

test("the messages of a call are read by its upstream from the first on, and pass the filter", async () => {
  const { exchange, body, close } = await playedStream(HOLDS, {
    head: { method: "POST", bodyLength: -1, isGrpc: true },
  });
  expect(body.sink).toBeUndefined();
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  body.sink?.data(Buffer.from("ab"));
  expect(reader.events).toEqual([]);
  body.sink?.end("");
  expect(reader.events).toEqual(["ab", "end"]);
  close();
});

/** A filter that passes bodies and fails on its first tick. */
const FAILS_ON_TICK = filterOf({
  proxy_on_request_headers: TICKS,
  proxy_on_tick: op.unreachable,
  proxy_on_request_body: op.i32(0),
});

test("a reader that comes after its stream failed learns that the body is broken", async () => {
  const { clock, exchange, body, close } = await playedStream(FAILS_ON_TICK, post(4));
  body.sink?.data(Buffer.from("ab"));
  const { body: passed } = exchange;
  clock.advance(2 * TICK_MS);
  const reader = new PlayedReader();
  passed.readTo(reader);
  expect(reader.events).toEqual(["abort filter-failed"]);
  close();
});

test("a stream that fails while its reader takes the first bytes does not continue its source", async () => {
  const { clock, client, exchange, body, calls, close } = await playedStream(FAILS_ON_TICK, post(4));
  body.sink?.data(Buffer.from("ab"));
  const reader = new PlayedReader();
  const data = reader.data.bind(reader);
  reader.data = (...piece) => {
    clock.advance(2 * TICK_MS);
    return data(...piece);
  };
  exchange.body.readTo(reader);
  expect([client.events.slice(1), reader.events, calls]).toEqual([["filter-failed", "end"], ["ab"], []]);
  close();
});

test("pauses, and the end of the limits of a body, reach its source", async () => {
  const { exchange, body, close } = await playedStream(filterOf({ proxy_on_request_body: op.i32(0) }), post(4));
  const told: string[] = [];
  Object.assign(body, { pause: () => told.push("pause"), liftLimits: () => told.push("lift") });
  exchange.body.pause();
  exchange.body.liftLimits?.();
  expect(told).toEqual(["pause", "lift"]);
  close();
});

test.each([
  [
    "the end of a body of unknown length",
    { proxy_on_request_body: [...op.get(2), ...op.if, ...op.unreachable, ...op.end, ...op.i32(0)] },
    "",
  ],
  ["trailers", { proxy_on_request_body: op.i32(0), proxy_on_request_trailers: op.unreachable }, "x: 1\r\n"],
])("an instance that fails at %s fails the request, whose body does not end", async (_what, callbacks, trailers) => {
  const { client, exchange, body, calls, close } = await playedStream(filterOf(callbacks), post(-1));
  body.sink?.data(Buffer.from("ab"));
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  body.sink?.end(trailers);
  await settle();
  expect([client.events.slice(1), reader.events]).toEqual([["filter-failed", "end"], ["ab"]]);
  expect(calls.at(-1)).toBe("cancel");
  close();
});

test.each([
  ["changes", call(ADD_FIELD, MAP.requestTrailers, TEXTS, 1, TEXTS, 1), "x: 1\r\n+: +"],
  ["only reads", op.i32(0), "x: 1"],
])("trailers that a filter %s follow the body", async (_what, callback, trailers) => {
  const filter = filterOf({ proxy_on_request_body: op.i32(0), proxy_on_request_trailers: callback });
  const { exchange, body, close } = await playedStream(filter, post(-1));
  body.sink?.data(Buffer.from("ab"));
  const reader = new PlayedReader();
  exchange.body.readTo(reader);
  body.sink?.end("x: 1\r\n");
  expect(reader.events).toEqual(["ab", `end ${trailers}`]);
  close();
});
