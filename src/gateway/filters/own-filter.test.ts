import { expect, test } from "bun:test";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { until } from "../../lib/testing/until.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import {
  type BodySink,
  type Exchange,
  type RequestHead,
  type ResponseHead,
  type ResponseSink,
} from "../exchange/exchange.ts";
import { onRequest, op } from "./module/testing/assembler.ts";
import { HOSTILE } from "./module/testing/hostile.ts";
import { loaded } from "./module/testing/metered.ts";
import { calls, callsOf, ownModule } from "./own-abi/testing/own-module.ts";
import { OwnFilter } from "./own-filter.ts";
import { roomForBody } from "./parked-request.ts";
import { testRuntime, testSettings } from "./testing/test-runtime.ts";

const SNAPSHOT_BYTES = 65_536;

/** A client that accepts everything it receives. */
class Client implements ResponseSink {
  heads: ResponseHead[] = [];
  text = "";
  trailers: Fields | undefined;
  error: TurnpikeError | undefined;
  takesMore = true;
  start(head: ResponseHead): void {
    this.heads.push(head);
  }
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.text += Buffer.from(chunk.subarray(start, end)).toString("latin1");
    return this.takesMore;
  }
  end(trailers: Fields): void {
    this.trailers = trailers;
  }
  abort(error: TurnpikeError): void {
    this.error = error;
  }
}

function exchangeOf(client: Client, head: Partial<RequestHead> = {}): Exchange {
  return {
    id: "id",
    protocol: "HTTP/2.0",
    head: {
      method: "GET",
      scheme: "http",
      authority: "example.com",
      path: "/x",
      query: "",
      fields: "",
      payment: "",
      bodyLength: 0,
      expectContinue: false,
      via: "",
      forwardedFor: "",
      isGrpc: false,
      upgrade: "",
      ...head,
    },
    body: { readTo: (sink) => sink.end(""), pause() {}, resume() {} },
    peerAddress: "",
    clientAddress: "",
    response: client,
    addedFields: "",
    consumer: "",
    payer: "",
    isAuthorized: true,
    beganAt: 0,
    started: false,
    status: 0,
    bytesReceived: 0,
    bytesSent: 0,
    onDrain: undefined,
    onCancel: undefined,
    gone: false,
    onGone: undefined,
    onFinish: undefined,
    onTaken: undefined,
  };
}

test.each(HOSTILE)(
  "%s: the client gets the response 500, and a new instance replaces the old one",
  async (_what, module) => {
    const runtime = testRuntime();
    const filter = new OwnFilter(await loaded(module), testSettings({ fuel: 100_000 }), runtime);
    for (let i = 0; i < 2; i++) {
      const client = new Client();
      expect(filter.request(exchangeOf(client))).toEqual({ kind: "responded" });
      expect([client.heads[0]?.status, client.heads[0]?.error?.code]).toEqual([500, "filter-failed"]);
    }
    expect(filter.instances).toEqual({ all: 0, pinned: 0 });
    expect(new Set(runtime.counted)).toEqual(new Set([runtime.counted[0] ?? ""]));
    filter.close();
  },
);

test("a filter that always fails gets no instance once its failures have taken too long, and gets one again later", async () => {
  const clock = new FakeClock();
  const runtime = { ...testRuntime(new TimerWheel(clock)), clock: () => clock.time };
  const filter = new OwnFilter(await loaded(onRequest(op.unreachable)), testSettings(), runtime);
  const { counted } = runtime;
  const ask = async (): Promise<string | undefined> => {
    const client = new Client();
    const decision = filter.request(exchangeOf(client));
    if (decision instanceof Promise) clock.advance(60);
    await decision;
    return client.heads[0]?.error?.code;
  };
  // Each reading of the clock takes 100 ms, so an invocation takes 100 ms, and so does the creation of an instance.
  runtime.clock = () => (clock.time += 100);
  const codes: (string | undefined)[] = [];
  for (let i = 0; i < 12; i++) codes.push(await ask());
  expect(codes).toContain("filter-failed");
  expect(codes.at(-1)).toBe("filter-unavailable");
  expect(counted.at(-1)).toBe("request start");
  clock.time += 60_000;
  expect(await ask()).toBe("filter-failed");
  filter.close();
});

const REPLACES = ownModule(
  ["replace_response_body"],
  { on_request: op.i32(0), on_response: [...callsOf(0, 0, 5), ...op.drop, ...op.i32(0)] },
  "other",
);
const READS = ownModule(["read_response_body"], {
  on_request: op.i32(0),
  on_response: [...callsOf(0, 0, 100, 65_536), ...op.drop, ...op.i32(1)],
});

async function passing(module: Uint8Array, head: Partial<RequestHead> = {}, settings = {}) {
  const runtime = testRuntime();
  const filter = new OwnFilter(await loaded(module), testSettings(settings), runtime);
  const client = new Client();
  const exchange = exchangeOf(client, head);
  expect(filter.request(exchange)).toEqual({ kind: "continue" });
  return { runtime, filter, client, exchange };
}

test("additional instances are dropped when no request needs them", async () => {
  const clock = new FakeClock();
  const runtime = testRuntime(new TimerWheel(clock));
  const filter = new OwnFilter(await loaded(READS), testSettings({ instances: 2 }), runtime);
  const exchanges = Array.from({ length: 10 }, () => exchangeOf(new Client()));
  for (const exchange of exchanges) void filter.request(exchange);
  expect(filter.instances).toEqual({ all: 10, pinned: 10 });
  for (const exchange of exchanges) exchange.onFinish?.(exchange);
  expect(filter.instances).toEqual({ all: 10, pinned: 0 });
  clock.advance(30_000);
  expect(filter.instances).toEqual({ all: 2, pinned: 0 });
  filter.close();
  expect(runtime.gauge).toEqual({ instances: 0, pinned: 0, parked: 0 });
});

test("a long-lived response is passed on as it arrives", async () => {
  const heads: ResponseHead[] = [
    { status: 200, reason: "", fields: "Content-Type: text/event-stream; charset=utf-8\r\n", bodyLength: -1 },
    { status: 200, reason: "", fields: "content-type: application/grpc\r\n", bodyLength: -1 },
  ];
  for (const [index, head] of heads.entries()) {
    const { client, exchange, filter } = await passing(READS, { isGrpc: index === 1 });
    exchange.response.start(head);
    client.takesMore = false;
    expect([exchange.response.data(Buffer.from("event")), client.text]).toEqual([false, "event"]);
    expect(filter.instances.pinned).toBe(0);
  }
});

test("a gRPC call with a replaced body keeps its trailers", async () => {
  const { client, exchange } = await passing(REPLACES, { isGrpc: true });
  exchange.response.start({ status: 200, reason: "", fields: "content-type: application/grpc\r\n", bodyLength: -1 });
  exchange.response.data(Buffer.from("message"));
  exchange.response.end("grpc-status: 0\r\n");
  expect([client.heads.length, client.text, client.trailers]).toEqual([1, "other", "grpc-status: 0\r\n"]);
});

test("if a long body is replaced, its source is cancelled, and late bytes are dropped", async () => {
  const { client, exchange } = await passing(REPLACES);
  let cancelled = 0;
  exchange.onCancel = () => cancelled++;
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 1_000_000 });
  expect([client.text, client.trailers, cancelled]).toEqual(["other", "", 1]);
  expect(exchange.response.data(Buffer.from("late"))).toBe(true);
  exchange.response.end("");
  expect(client.text).toBe("other");
});

test("without memory for the body, the response passes unchanged, or fails closed", async () => {
  for (const responseFailClosed of [false, true]) {
    const { client, exchange, runtime, filter } = await passing(READS, {}, { responseFailClosed });
    runtime.memory.capacity = 10;
    exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 11 });
    exchange.response.data(Buffer.from("hello"));
    exchange.response.data(Buffer.from(" world"));
    exchange.response.end("");
    expect([client.heads.length, client.heads[0]?.status]).toEqual([1, responseFailClosed ? 503 : 200]);
    expect(client.text === "hello world").toBe(!responseFailClosed);
    expect([runtime.memory.taken, filter.instances.pinned]).toEqual([0, 0]);
  }
});

test("a closed filter still serves late requests, and keeps no instance", async () => {
  const runtime = testRuntime();
  const filter = new OwnFilter(await loaded(onRequest(op.i32(0))), testSettings(), runtime);
  filter.close();
  expect(filter.request(exchangeOf(new Client()))).toEqual({ kind: "continue" });
  expect(runtime.gauge).toEqual({ instances: 0, pinned: 0, parked: 0 });
});

test("a request with more than 128 fields has no room to be parked", () => {
  const line: Fields = "a: b\r\n";
  const room = (count: number): number => roomForBody(exchangeOf(new Client(), { fields: line.repeat(count) }));
  expect([room(128), room(129)]).toEqual([SNAPSHOT_BYTES - "GET/x".length - 128 * line.length, -1]);
});

test("a client that sends its body slowly keeps no instance once the filter has let the request pass", async () => {
  const code = { on_request: [...calls(0, 5), ...op.drop, ...op.i32(3)], on_resume: op.i32(0) };
  const runtime = testRuntime();
  runtime.link = {
    isReady: true,
    call(_bytes, done) {
      queueMicrotask(() => done({ kind: "reply", bytes: Buffer.from("ok\u001e0\n") }));
      return () => {};
    },
    close() {},
  };
  const filter = new OwnFilter(await loaded(ownModule(["host_call"], code, "start")), testSettings(), runtime);
  const exchange = exchangeOf(new Client(), { bodyLength: 10 });
  let body: BodySink | undefined;
  exchange.body = { readTo: (sink) => void (body = sink), pause() {}, resume() {} };
  const decision = filter.request(exchange);
  body?.data(Buffer.from("hello"));
  await until(() => runtime.counted.includes("resume allow"));
  await until(() => filter.instances.pinned === 0);
  body?.data(Buffer.from("hello"));
  body?.end("");
  expect(await decision).toEqual({ kind: "continue" });
});

test("a parked request whose command finds the queue full gets 503 with Retry-After", async () => {
  const runtime = testRuntime();
  let asked = 0;
  runtime.link = {
    isReady: true,
    call: (_bytes, done) => {
      asked += 1;
      queueMicrotask(() => done({ kind: "full" }));
      return () => {};
    },
    close() {},
  };
  const code = [...calls(0, 1), ...op.drop, ...op.i32(3)];
  const module = await loaded(ownModule(["host_call"], { on_request: code, on_resume: op.i32(0) }, "c"));
  const client = new Client();
  const filter = new OwnFilter(module, testSettings(), runtime);
  expect(await filter.request(exchangeOf(client))).toEqual({ kind: "responded" });
  expect(client.heads[0]).toMatchObject({ status: 503, fields: expect.stringContaining("Retry-After: 1") });
  // It leaves its place to the next one.
  expect(await filter.request(exchangeOf(new Client()))).toEqual({ kind: "responded" });
  expect([asked, runtime.gauge.pinned, runtime.gauge.parked]).toEqual([2, 0, 0]);
});

test("a parked request whose command is never sent ends at the deadline, and takes the command back", async () => {
  const clock = new FakeClock();
  const runtime = testRuntime(new TimerWheel(clock));
  runtime.deadlineMs = 5000;
  const called = Promise.withResolvers<void>();
  let isTakenBack = false;
  runtime.link = {
    isReady: true,
    call: () => {
      called.resolve();
      return () => void (isTakenBack = true);
    },
    close() {},
  };
  const code = [...calls(0, 1), ...op.drop, ...op.i32(3)];
  const module = await loaded(ownModule(["host_call"], { on_request: code, on_resume: op.i32(0) }, "c"));
  const client = new Client();
  const filter = new OwnFilter(module, testSettings(), runtime);
  const decision = filter.request(exchangeOf(client));
  await called.promise;
  clock.advance(4900);
  expect(isTakenBack).toBeFalse();
  clock.advance(200);
  expect(await decision).toEqual({ kind: "responded" });
  expect([client.heads[0]?.status, isTakenBack, runtime.counted.at(-1)]).toEqual([500, true, "resume deadline"]);
  expect(runtime.lines).toEqual(["test: was parked for longer than wasm_host_call_deadline_ms"]);
  expect([runtime.gauge.pinned, runtime.gauge.parked]).toEqual([0, 0]);
});

test.each(["while its command runs", "as its command ends"])(
  "if the client leaves %s, the filter is not resumed, and nothing is logged or sent",
  async (when) => {
    const runtime = testRuntime();
    const ended = Promise.withResolvers<() => void>();
    runtime.link = {
      isReady: true,
      call: (_bytes, done) => {
        ended.resolve(() => done({ kind: "reply", bytes: Buffer.from("ok\u001e0\n") }));
        return () => {};
      },
      close() {},
    };
    const code = [...calls(0, 1), ...op.drop, ...op.i32(3)];
    const module = await loaded(ownModule(["host_call"], { on_request: code, on_resume: op.i32(0) }, "c"));
    const client = new Client();
    const filter = new OwnFilter(module, testSettings(), runtime);
    let gone = false;
    const exchange = Object.defineProperty(exchangeOf(client), "gone", { get: () => gone });
    const decision = filter.request(exchange);
    const end = await ended.promise;
    if (when === "as its command ends") end();
    gone = true;
    exchange.onFinish?.(exchange);
    expect(await decision).toEqual({ kind: "responded" });
    expect([client.heads, runtime.lines]).toEqual([[], []]);
    expect(runtime.counted.filter((counted) => counted.startsWith("resume"))).toEqual(["resume gone"]);
    expect([runtime.gauge.pinned, runtime.gauge.parked]).toEqual([0, 0]);
    filter.close();
  },
);

test("instances that other requests need cost a filter nothing of the time for failures", async () => {
  const clock = new FakeClock();
  const plain = testRuntime();
  plain.link = { isReady: true, call: () => () => {}, close() {} };
  const runtime = { ...plain, clock: () => (clock.time += 100) };
  const code = [...calls(0, 1), ...op.drop, ...op.i32(3)];
  const module = await loaded(ownModule(["host_call"], { on_request: code, on_resume: op.i32(0) }, "c"));
  const filter = new OwnFilter(module, testSettings({ instances: 20 }), runtime);
  const clients = Array.from({ length: 20 }, () => new Client());
  for (const client of clients) void filter.request(exchangeOf(client));
  await until(() => filter.instances.pinned === 20);
  expect(clients.flatMap(({ heads }) => heads)).toEqual([]);
});

test("all filters of a worker share the limit on instances", async () => {
  const runtime = testRuntime();
  runtime.instances.capacity = 1;
  const module = await loaded(onRequest(op.i32(0)));
  const first = new OwnFilter(module, testSettings(), runtime);
  expect(() => new OwnFilter(module, testSettings(), runtime)).toThrow("the worker has too many instances of filters");
  first.close();
  expect(runtime.gauge.instances).toBe(0);
  new OwnFilter(module, testSettings(), runtime).close();
});
