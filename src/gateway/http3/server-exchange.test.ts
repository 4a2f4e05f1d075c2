import { afterEach, beforeEach, expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { type RequestHead, type Transport } from "../exchange/exchange.ts";
import { Host } from "../http2/testing/scripted-client.ts";
import { Outgoing } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { ClientPackets } from "./client-packets.ts";
import { Http3RequestBody } from "./request-body.ts";
import { Http3Exchange } from "./server-exchange.ts";
import { ScriptedStream } from "./testing/scripted-stream.ts";

const HIGH_WATER = 65_536;

let host: Host;
let stream: ScriptedStream;
let errors: unknown[];
/** The events that the sender of the response gets. */
let told: string[];
/** Bytes that the client has sent. */
let received: bigint;

beforeEach(() => {
  received = 0n;
  host = new Host();
  host.current = { ...host.current, writeMs: 1000 };
  stream = new ScriptedStream();
  errors = [];
  told = [];
});

afterEach(() => host.wheel.close());

function create(head: Partial<RequestHead> = {}, body?: Http3RequestBody, requestId = ""): Http3Exchange {
  const owner = {
    quic: stream.quic,
    host,
    peerAddress: "192.0.2.1",
    transport: {} as Transport,
    session: {},
    packets: new ClientPackets(host.wheel, () => received),
    onError: (error: unknown) => void errors.push(error),
  };
  const whole: RequestHead = {
    method: "GET",
    target: "/",
    scheme: "https",
    authority: "a.example",
    path: "/",
    query: "",
    fields: "",
    bodyLength: 0,
    ...head,
  } as RequestHead;
  const exchange = new Http3Exchange(owner, { head: whole, requestId }, body);
  exchange.onDrain = () => told.push("drain");
  exchange.onCancel = () => told.push("cancel");
  exchange.onGone = () => told.push("gone");
  exchange.onFinish = () => told.push("finish");
  exchange.onTaken = (taken) => told.push(`taken ${taken}`);
  return exchange;
}

function start(exchange: Http3Exchange, bodyLength: number, status = 200): void {
  exchange.start({ status, reason: "", fields: "", bodyLength });
}

function bytes(length: number): Uint8Array {
  return new Uint8Array(length);
}

test("a request keeps its id if it is valid, has the address of its client, and may have no body", () => {
  const exchange = create({}, undefined, "req-1");
  expect([exchange.id, exchange.peerAddress, exchange.clientAddress]).toEqual(["req-1", "192.0.2.1", "192.0.2.1"]);
  expect([exchange.bytesReceived, exchange.bytesSent]).toEqual([0, 0]);
  const ids = [create({}, undefined, "not valid").id, create().id];
  expect([ids.every((id) => id.length > 10), new Set(ids).size]).toEqual([true, 2]);
  let ended: string | undefined;
  exchange.body.readTo({ data: () => true, end: (trailers) => void (ended = trailers), abort: () => {} });
  expect(ended).toBe("");
});

test("interim responses precede the head, except those with too many fields", () => {
  const exchange = create();
  start(exchange, -1, 103);
  const fields = Array.from({ length: 200 }, (_, i) => `x-${i}: 1\r\n`).join("");
  exchange.start({ status: 103, reason: "", fields, bodyLength: -1 });
  expect([stream.events, exchange.started]).toEqual([["head 103"], false]);
  start(exchange, 2);
  expect([stream.events, exchange.status]).toEqual([["head 103", "head 200"], 200]);
});

test("a 204 has no length, and ends with its head", () => {
  const exchange = create();
  start(exchange, 0, 204);
  exchange.end("");
  expect([stream.events, "content-length" in (stream.sections[0] ?? {})]).toEqual([["last head 204"], false]);
});

test("a part of a chunk is sent as that part", () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(10), 2, 5);
  for (const [from, to] of [
    [0, 4],
    [6, 10],
  ] as const) {
    stream.writer.desiredSize = 1;
    exchange.data(bytes(10), from, to);
  }
  expect(stream.events.slice(1)).toEqual(["data 3", "data 4", "data 4"]);
  expect(exchange.bytesSent).toBe(11);
});

test("short data without trailers ends at once, and trailers wait until it is framed", async () => {
  const plain = create();
  start(plain, -1);
  plain.data(bytes(10));
  plain.end("");
  expect(stream.events).toEqual(["head 200", "data 10", "end"]);
  stream = new ScriptedStream();
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(10));
  exchange.end("x: 1\r\n");
  expect(stream.events).toEqual(["head 200", "data 10"]);
  await stream.frame();
  expect(stream.events.slice(2)).toEqual(["end", "trailers"]);
});

test("pieces that wait are sent together, and only when the data before them is framed", async () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  exchange.data(bytes(7));
  exchange.data(bytes(8));
  // This report is of earlier data: the engine is not done yet.
  const early = stream.frame();
  stream.writer.desiredSize = 0;
  await early;
  expect([stream.events.slice(2), told]).toEqual([[], []]);
  await stream.frame();
  expect([stream.events.slice(2), told]).toEqual([["data 15"], ["drain"]]);
});

test("a response that was cut off is left alone when its data is framed, and keeps no deadline", async () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  exchange.data(bytes(7));
  expect(exchange.due).toBeLessThan(Number.POSITIVE_INFINITY);
  exchange.abort(new TurnpikeError("upstream-failed", "x"));
  const framed = stream.frame();
  stream.writer.desiredSize = 0;
  await framed;
  expect([exchange.due, stream.events.slice(2), told]).toEqual([
    Number.POSITIVE_INFINITY,
    ["reset 102"],
    ["finish", "taken false"],
  ]);
  const short = create();
  start(short, 5);
  short.end("x: 1\r\n");
  expect(short.due).toBe(Number.POSITIVE_INFINITY);
});

test("a client whose stream closes within a response has left", () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  stream.destroyed = true;
  exchange.closed();
  expect([told, exchange.gone, exchange.due]).toEqual([
    ["cancel", "gone", "finish", "taken false"],
    true,
    Number.POSITIVE_INFINITY,
  ]);
  expect(host.buffers.used).toBe(0);
});

test("a stream that the engine has closed is not reset at the deadline", () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  stream.destroyed = true;
  host.clock.advance(1030);
  expect([stream.events.slice(2), told.slice(0, 1)]).toEqual([[], ["cancel"]]);
});

test("a body in one piece is sent with the end of the stream", () => {
  const exchange = create();
  start(exchange, 10);
  expect(exchange.data(bytes(20), 5, 15)).toBe(true);
  expect(stream.events).toEqual(["head 200"]);
  exchange.end("");
  exchange.end("");
  expect(stream.events).toEqual(["head 200", "body 10"]);
  expect([told, exchange.bytesSent]).toEqual([["finish"], 10]);
});

test("an empty body ends the stream", () => {
  const exchange = create();
  start(exchange, 0);
  exchange.end("");
  expect(stream.events).toEqual(["head 200", "body 0"]);
  expect(stream.sections[0]?.["content-length"]).toBe("0");
});

test.each([
  ["HEAD", 200],
  ["GET", 304],
  ["GET", 204],
])("the response to %s with %p is complete with its head, whatever length it announces", (method, status) => {
  for (const length of [10, 0, -1]) {
    stream = new ScriptedStream();
    told = [];
    const exchange = create({ method });
    start(exchange, length, status);
    expect(exchange.data(bytes(5))).toBe(true);
    exchange.end("");
    expect([stream.events, told]).toEqual([[`last head ${status}`], ["finish"]]);
    expect([exchange.bytesSent, exchange.status, exchange.truncated]).toEqual([0, status, ""]);
  }
});

test("the memory of data is free once the engine has sent it, while the response goes on", async () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  expect(host.buffers.used).toBeGreaterThan(0);
  stream.stats.bytesSent = BigInt(HIGH_WATER);
  await stream.frame();
  expect([host.buffers.used, told]).toEqual([0, ["drain"]]);
});

test("a body in one piece waits for its framing if trailers follow, and counts once", async () => {
  const exchange = create();
  start(exchange, 10_000);
  exchange.data(bytes(10_000));
  host.buffers.limits = { bufferSize: 1, bufferCount: 10_000, reserve: 0 };
  exchange.end("x: 1\r\n");
  expect(stream.events).toEqual(["head 200", "data 10000"]);
  await stream.frame();
  expect(stream.events).toEqual(["head 200", "data 10000", "end", "trailers"]);
  expect(host.buffers.used).toBe(10_000 - 4096);
  expect(Object.entries(stream.sections[1] ?? {})).toEqual([["x", "1"]]);
});

test("trailers without a body follow the head", () => {
  const exchange = create();
  start(exchange, -1);
  exchange.end("x: 1\r\n");
  expect(stream.events).toEqual(["head 200", "end", "trailers"]);
});

test("a head is sent once, and 101 is not sent", () => {
  const exchange = create();
  start(exchange, 0, 101);
  expect(exchange.started).toBe(false);
  start(exchange, 0);
  start(exchange, 0, 500);
  expect([stream.events, exchange.status]).toEqual([["head 200"], 200]);
});

test("data beyond the announced length is an error of its sender", () => {
  const exchange = create();
  start(exchange, 5);
  exchange.data(bytes(3));
  exchange.data(bytes(2));
  expect(() => exchange.data(bytes(1))).toThrow("Cannot send response data: it exceeds the announced Content-Length");
});

test("a response that ends before its announced length is cut off", () => {
  const exchange = create();
  start(exchange, 5);
  exchange.data(bytes(4));
  exchange.end("");
  expect(stream.events).toEqual(["head 200", "data 4", "reset 102"]);
  expect([exchange.truncated, told]).toEqual(["upstream-failed", ["finish", "taken false"]]);
});

test("a response that is aborted is cut off once, with the code of the error", () => {
  const exchange = create();
  start(exchange, 5);
  exchange.abort(new TurnpikeError("upstream-timeout", "late"));
  exchange.abort(new TurnpikeError("upstream-failed", "gone"));
  exchange.end("");
  exchange.cancel();
  expect(stream.events).toEqual(["head 200", "reset 102"]);
  expect([exchange.truncated, exchange.gone, exchange.data(bytes(1))]).toEqual(["upstream-timeout", false, true]);
});

test.each([
  ["refuses", false, 0],
  ["throws", new Error("no stream"), 1],
] as const)("a response is cut off if the engine %s when it gets its head", (_, sends, count) => {
  const exchange = create();
  stream.sends = sends;
  start(exchange, 5);
  expect([stream.events.at(-1), errors.length, told]).toEqual(["reset 102", count, ["finish", "taken false"]]);
});

test("a sender pauses when 65,536 bytes are not framed, and goes on when they are", async () => {
  const exchange = create();
  start(exchange, -1);
  expect(exchange.data(bytes(HIGH_WATER - 1))).toBe(true);
  expect(exchange.data(bytes(1))).toBe(false);
  expect(exchange.data(bytes(0))).toBe(false);
  expect(exchange.data(bytes(7))).toBe(false);
  expect(stream.events).toEqual(["head 200", `data ${HIGH_WATER - 1}`, "data 1"]);
  await stream.frame();
  expect(stream.events.slice(3)).toEqual(["data 7"]);
  expect(told).toEqual(["drain"]);
  expect(exchange.data(bytes(0))).toBe(true);
  expect(exchange.data(bytes(1))).toBe(true);
  await stream.frame();
  expect(told).toEqual(["drain"]);
  expect(exchange.data(bytes(HIGH_WATER - 1))).toBe(true);
});

test("bytes that a sender writes when it may go on leave at once", async () => {
  const exchange = create();
  const wire = new FakeWire();
  const outgoing = new Outgoing(wire, { onBlocked() {} }, host.buffers);
  exchange.onDrain = () => outgoing.text("go on");
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  await stream.frame();
  expect(wire.text).toBe("go on");
});

test("a sender that goes on too early is paused again until its data is framed", async () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  exchange.data(bytes(HIGH_WATER));
  await stream.frame();
  expect([told, stream.events.slice(1)]).toEqual([[], [`data ${HIGH_WATER}`, `data ${HIGH_WATER}`]]);
  await stream.frame();
  expect(told).toEqual(["drain"]);
});

test("the end of a response waits behind its data", async () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  exchange.data(bytes(1));
  exchange.end("x: 1\r\n");
  exchange.end("");
  await stream.frame();
  expect(stream.events.slice(2)).toEqual(["data 1"]);
  await stream.frame();
  expect(stream.events.slice(3)).toEqual(["end", "trailers"]);
  expect(told).toEqual(["finish"]);
});

test("data for which there is no memory cuts the response off", () => {
  for (const [first, second] of [
    [HIGH_WATER, HIGH_WATER],
    [200_000, 0],
  ] as const) {
    host.buffers.limits = { bufferSize: HIGH_WATER, bufferCount: 1, reserve: 0 };
    stream = new ScriptedStream();
    const exchange = create();
    start(exchange, -1);
    exchange.data(bytes(first));
    exchange.data(bytes(second));
    expect([stream.events.at(-1), exchange.truncated]).toEqual(["reset 102", "upstream-failed"]);
    exchange.closed();
    expect(host.buffers.used).toBe(0);
  }
});

test("the bytes of a whole body are not kept until its client has taken them, because the engine has a copy", () => {
  const refs: WeakRef<ArrayBufferLike>[] = [];
  const exchanges = Array.from({ length: 50 }, () => {
    const exchange = create();
    start(exchange, 10_000);
    const body = bytes(10_000);
    refs.push(new WeakRef(body.buffer));
    exchange.data(body);
    exchange.end("");
    return exchange;
  });
  Bun.gc(true);
  expect(refs.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(10);
  expect(exchanges.map(({ bytesSent }) => bytesSent)).toEqual(refs.map(() => 10_000));
});

test("a whole body for which there is no memory is cut off", () => {
  host.buffers.limits = { bufferSize: 1, bufferCount: 1000, reserve: 0 };
  const exchange = create();
  start(exchange, 10_000);
  exchange.data(bytes(10_000));
  exchange.end("");
  expect(stream.events).toEqual(["head 200", "reset 102"]);
});

test("a client whose stream accepts nothing has left", () => {
  const exchange = create();
  start(exchange, -1);
  stream.destroyed = true;
  exchange.data(bytes(HIGH_WATER));
  expect([told, exchange.gone]).toEqual([["cancel", "gone", "finish", "taken false"], true]);
  expect(host.buffers.used).toBe(0);
});

test("a client has left if the framing of its data fails", async () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  await stream.frame(true);
  expect(told).toEqual(["cancel", "gone", "finish", "taken false"]);
  await stream.frame();
  exchange.closed();
  expect([told.length, host.buffers.used]).toEqual([4, 0]);
});

test.each([
  [10, "taken true"],
  [9, "taken false"],
])("a response of 10 bytes of which the engine has sent %i: %s", async (sent, expected) => {
  const exchange = create();
  start(exchange, 10);
  exchange.data(bytes(10));
  exchange.end("");
  expect(told).toEqual(["finish"]);
  stream.stats.bytesSent = BigInt(sent);
  received = 1n;
  exchange.closed();
  exchange.closed();
  expect([told, exchange.gone]).toEqual([["finish", expected], false]);
});

test("a response that its client does not take has write_ms after its end", async () => {
  const exchange = create();
  start(exchange, 10);
  exchange.data(bytes(10));
  exchange.end("");
  host.clock.advance(970);
  expect(stream.events).toHaveLength(2);
  // A short response gets no more time for a part.
  stream.stats.bytesSent = 5n;
  host.clock.advance(60);
  expect(stream.events.slice(2)).toEqual(["reset 10c"]);
});

test("a client that takes 4,096 bytes within write_ms, or the last bytes, gets that time again", async () => {
  const exchange = create();
  start(exchange, HIGH_WATER);
  exchange.data(bytes(HIGH_WATER));
  exchange.end("");
  stream.stats.bytesSent = 4096n;
  host.clock.advance(1030);
  expect(stream.events).toHaveLength(2);
  stream.stats.bytesSent = 65_535n;
  host.clock.advance(1030);
  stream.stats.bytesSent = 65_536n;
  host.clock.advance(1030);
  expect(stream.events).toHaveLength(2);
  host.clock.advance(1030);
  expect(stream.events.slice(2)).toEqual(["reset 10c"]);
});

test("a client that takes fewer bytes within write_ms loses its response", async () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  stream.stats.bytesSent = 4095n;
  host.clock.advance(970);
  expect(stream.events).toHaveLength(2);
  host.clock.advance(60);
  expect([stream.events.slice(2), told]).toEqual([["reset 10c"], ["cancel", "gone", "finish", "taken false"]]);
});

test("the write timeout does not run while everything is framed, nor after the end of the stream", async () => {
  const exchange = create();
  start(exchange, -1);
  exchange.data(bytes(HIGH_WATER));
  await stream.frame();
  host.clock.advance(5000);
  expect(exchange.gone).toBe(false);
  exchange.end("");
  exchange.closed();
  host.clock.advance(5000);
  expect(stream.events).toEqual(["head 200", `data ${HIGH_WATER}`, "end"]);
});

test.each([
  ["the end", (exchange: Http3Exchange) => exchange.end(""), "stop 100"],
  ["an abort", (exchange: Http3Exchange) => exchange.abort(new TurnpikeError("upstream-failed", "x")), "stop 102"],
])("%s of the response makes the rest of the request unnecessary", (_, act, event) => {
  const body = new Http3RequestBody(host, -1, 1000);
  body.receive(bytes(10));
  const exchange = create({ method: "POST", bodyLength: -1 }, body);
  expect(exchange.bytesReceived).toBe(10);
  start(exchange, 0);
  act(exchange);
  expect([stream.events.at(-1), host.buffers.used]).toEqual([event, 0]);
});

test.each([
  ["cuts it off", (exchange: Http3Exchange) => exchange.abort(new TurnpikeError("upstream-failed", "x"))],
  ["ends it too early", (exchange: Http3Exchange) => exchange.end("")],
])("a stream that the engine has closed is left alone when the sender of its response %s", (_, act) => {
  const body = new Http3RequestBody(host, -1, 1000);
  body.receive(bytes(10));
  const exchange = create({ method: "POST", bodyLength: -1 }, body);
  start(exchange, 5);
  stream.destroyed = true;
  act(exchange);
  expect([stream.events, host.buffers.used]).toEqual([["head 200"], 0]);
  expect(told).toEqual(["finish", "taken false"]);
});

test("the rest of a request that has arrived is not stopped", () => {
  const body = new Http3RequestBody(host, -1, 1000);
  body.receiveEnd("");
  const exchange = create({ method: "POST", bodyLength: -1 }, body);
  start(exchange, 0);
  exchange.end("");
  expect(stream.events).toEqual(["head 200", "body 0"]);
});

test("the reader of an incomplete body sees that its client has left", () => {
  const read: string[] = [];
  const reader = { data: () => true, end: () => {}, abort: ({ message }: TurnpikeError) => void read.push(message) };
  for (const isWhole of [false, true]) {
    const body = new Http3RequestBody(host, -1, 1000);
    body.readTo(reader);
    if (isWhole) body.receiveEnd("");
    const exchange = create({ method: "POST", bodyLength: -1 }, body);
    exchange.cancel();
    exchange.cancel();
    exchange.start({ status: 200, reason: "", fields: "", bodyLength: 0 });
  }
  expect([read, stream.events]).toEqual([["the client reset the stream before its body was complete"], []]);
});

test.each([
  ["GET", "head 502"],
  ["HEAD", "last head 502"],
])("a response to %s with too many fields becomes an error: %s", (method, event) => {
  const exchange = create({ method });
  const fields = Array.from({ length: 200 }, (_, i) => `x-${i}: 1\r\n`).join("");
  exchange.start({ status: 200, reason: "", fields, bodyLength: -1 });
  const length = Number(stream.sections[0]?.["content-length"]);
  expect(length).toBeGreaterThan(0);
  expect(stream.events).toEqual(method === "GET" ? [event, `body ${length}`] : [event]);
  expect([exchange.status, exchange.bytesSent]).toEqual([502, method === "GET" ? length : 0]);
});

test("a gRPC response with too many fields gets its error in the head", () => {
  const exchange = create({ method: "POST", isGrpc: true });
  const fields = Array.from({ length: 200 }, (_, i) => `x-${i}: 1\r\n`).join("");
  exchange.start({ status: 200, reason: "", fields, bodyLength: -1 });
  expect(stream.events).toEqual(["last head 200"]);
  expect(stream.sections[0]).toMatchObject({ "grpc-status": "14" });
  expect("content-length" in (stream.sections[0] ?? {})).toBe(false);
  expect([told, exchange.bytesSent]).toEqual([["taken false", "cancel", "finish"], 0]);
  host.clock.advance(1030);
  expect(stream.events.slice(1)).toEqual(["reset 10c"]);
});

test("an exchange tells whether a response fits HTTP/3", () => {
  const exchange = create();
  expect(exchange.whyNotCarried({ fields: "x: 1\r\n".repeat(200) })).toBeUndefined();
  const fields = Array.from({ length: 104 }, (_, i) => `x-${i}: 1\r\n`).join("");
  expect(exchange.whyNotCarried({ fields })?.code).toBe("upstream-failed");
});

test("a gRPC response of known status has no length", () => {
  const exchange = create({ method: "POST", isGrpc: true });
  exchange.start({ status: 200, reason: "", fields: "", bodyLength: 0, grpcStatus: 0 });
  expect("content-length" in (stream.sections[0] ?? {})).toBe(false);
});
