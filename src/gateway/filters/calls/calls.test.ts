import { afterEach, beforeEach, expect, test } from "bun:test";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { BROKEN } from "../../../../test/flow/testing/flow.ts";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type RequestHead, type ResponseHead } from "../../exchange/exchange.ts";
import { type ForwardTarget } from "../../proxy/target.ts";
import { framed } from "./grpc-frame.ts";
import { GrpcUnary } from "./grpc-unary.ts";
import { GrpcUpstreamStream } from "./grpc-upstream-stream.ts";
import { HttpCall } from "./http-call.ts";
import { type CallKeeper, callMs } from "./upstream-call.ts";

const MAX_CALL_BODY_BYTES = 1_048_576;
const MAX_UNSENT_BYTES = 1_048_576;
const MESSAGES_A_TURN = 16;

const GRPC_HEAD = "Content-Type: application/grpc\r\nX-A: 1\r\n";

let clock: FakeClock;
let wheel: TimerWheel;
let memory: BufferPool;
let events: string[];
let left: number;
let errors: unknown[];

beforeEach(() => {
  clock = new FakeClock();
  wheel = new TimerWheel(clock);
  memory = new BufferPool({ bufferSize: 1, bufferCount: 5_000_000, reserve: 0 });
  events = [];
  left = 0;
  errors = [];
});
afterEach(() => wheel.close());

function keeper(): CallKeeper {
  // The part of a target that a call uses before it is forwarded.
  const target = { wheel } as unknown as ForwardTarget;
  return { target, client: undefined, memory, onError: (error) => void errors.push(error), left: () => void left++ };
}

function head(changes: Partial<ResponseHead> = {}): ResponseHead {
  return { status: 200, reason: "", fields: GRPC_HEAD, bodyLength: -1, ...changes };
}

// The calls of these tests are not forwarded, so their heads are not read.
const HEAD = {} as RequestHead;

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function httpCall(): HttpCall {
  const parts = { head: HEAD, body: Buffer.from("body"), trailers: "" };
  return new HttpCall(keeper(), parts, (outcome) => {
    if (outcome.kind === "failed") events.push(`${outcome.error.code}: ${outcome.error.message}`);
    else events.push(JSON.stringify([outcome.fields, Buffer.from(outcome.body).toString(), outcome.trailers]));
  });
}

test("an HTTP call reports its whole response, and frees its memory", () => {
  const call = httpCall();
  expect([call.account(), memory.used]).toEqual([true, 4]);
  call.start(head({ status: 103 }));
  call.start(head({ status: 201, fields: "X-A: 1\r\n", bodyLength: 4 }));
  call.data(Buffer.from("<ab>"), 1, 3);
  call.data(Buffer.from("cd"));
  expect(memory.used).toBe(4 + 1024);
  call.end("X-T: 2\r\n");
  expect(events).toEqual(['[[[":status","201"],["x-a","1"],["content-length","4"]],"abcd",[["x-t","2"]]]']);
  expect([memory.used, left, call.isOver]).toEqual([0, 1, true]);
  call.end("");
  call.abort({ code: "internal" } as TurnpikeError);
  call.cancel();
  expect([events.length, left]).toEqual([1, 1]);
});

test("a response of unknown length has no length", () => {
  const call = httpCall();
  call.start(head({ fields: "" }));
  call.end("");
  expect(events).toEqual(['[[[":status","200"]],"",[]]']);
});

test("an HTTP call breaks off if its response is too large, or finds no memory", () => {
  const large = httpCall();
  large.data(new Uint8Array(MAX_CALL_BODY_BYTES));
  expect(events).toEqual([]);
  large.data(Buffer.from("a"));
  expect(events).toEqual(["response-too-large: the response is larger than a call allows"]);
  expect([large.data(Buffer.from("b")), events.length, memory.used]).toEqual([true, 1, 0]);
  memory.limits = { bufferSize: 1, bufferCount: 500, reserve: 0 };
  httpCall().data(Buffer.from("a"));
  expect(events[1]).toBe("overloaded: no memory is left for the response of the call");
  expect(memory.used).toBe(0);
});

test("a call that is cancelled reports nothing", () => {
  const call = httpCall();
  call.account();
  wheel.set(call, 1000);
  call.cancel();
  expect([memory.used, left, clock.tick]).toEqual([0, 1, undefined]);
  call.end("");
  call.data(Buffer.from("a"));
  expect([events, left]).toEqual([[], 1]);
});

test("a call that is too late breaks off", () => {
  const call = httpCall();
  wheel.set(call, 1000);
  clock.advance(1030);
  expect(events).toEqual(["upstream-timeout: the upstream did not respond within the time of the call"]);
});

test("the timeout of a call is that of the filter, up to 300 s", () => {
  expect([callMs(0), callMs(-1), callMs(1), callMs(299_999), callMs(300_001)]).toEqual([
    300_000, 300_000, 1, 299_999, 300_000,
  ]);
});

function unary(): GrpcUnary {
  return new GrpcUnary(keeper(), { head: HEAD, message: Buffer.from("ask") }, (outcome) => {
    const { status, message, reply, initialMetadata, trailingMetadata } = outcome;
    const text = reply === undefined ? "none" : Buffer.from(reply).toString();
    events.push(JSON.stringify([status, message, text, initialMetadata.length, trailingMetadata]));
  });
}

test("a gRPC call reports the one message of its response", () => {
  const call = unary();
  call.start(head());
  call.data(framed(Buffer.from("reply")));
  expect(memory.used).toBe(3 + 5);
  call.end("grpc-status: 0\r\ngrpc-message: a%20b\r\n");
  expect(events).toEqual(['[0,"a b","reply",2,[["grpc-status","0"],["grpc-message","a%20b"]]]']);
  expect([memory.used, left]).toEqual([0, 1]);
});

test.each([
  ["a status in the trailers", "grpc-status: 5\r\ngrpc-message: 100%\r\n", [5, "100%"]],
  ["no status", "", [2, ""]],
  ["the status 0 without a message", "grpc-status: 0\r\n", [13, "the response to the call is not one message"]],
])("a gRPC response with %s", (_, trailers, expected) => {
  const call = unary();
  call.start(head());
  call.end(trailers);
  expect(JSON.parse(events[0] ?? "").slice(0, 3)).toEqual([...expected, "none"]);
});

test("a gRPC response whose head has the status ends there", () => {
  const call = unary();
  call.start(head({ fields: "grpc-status: 7\r\ngrpc-message: no\r\n" }));
  call.end("x: 1\r\n");
  expect(events).toEqual(['[7,"no","none",0,[["grpc-status","7"],["grpc-message","no"],["x","1"]]]']);
});

test.each([
  ["an HTTP error", (call: GrpcUnary) => call.start(head({ status: 503 })), 14],
  ["another type", (call: GrpcUnary) => call.start(head({ fields: "Content-Type: text/html\r\n" })), 2],
  [
    "two messages",
    (call: GrpcUnary) => call.data(Buffer.concat([framed(new Uint8Array(1)), framed(new Uint8Array(1))])),
    13,
  ],
  ["compression", (call: GrpcUnary) => call.data(Buffer.from([1, 0, 0, 0, 0])), 13],
  ["half a message", (call: GrpcUnary) => [call.data(Buffer.from([0, 0, 0, 0, 2, 97])), call.end("")], 13],
])("a gRPC call breaks off at %s", (_, act, status) => {
  const call = unary();
  act(call);
  expect([JSON.parse(events[0] ?? "")[0], memory.used, left]).toEqual([status, 0, 1]);
  call.data(framed(new Uint8Array(1)));
  call.end("grpc-status: 0\r\n");
  expect(events.length).toBe(1);
});

test("an interim response of a gRPC call is passed over", () => {
  const call = unary();
  call.start(head({ status: 103, fields: "" }));
  expect(events).toEqual([]);
});

function stream(onMessage = (): void => {}): GrpcUpstreamStream {
  return new GrpcUpstreamStream(keeper(), HEAD, {
    initialMetadata: (pairs) => void events.push(`metadata ${pairs.length}`),
    message(bytes) {
      events.push(Buffer.from(bytes).toString());
      onMessage();
    },
    trailingMetadata: (pairs) => void events.push(`trailers ${pairs.length}`),
    closed: (status, message) => void events.push(`closed ${status} ${message}`),
  });
}

function messages(count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, i) => framed(Buffer.from(String(i)))));
}

test("a gRPC stream hands over its messages, a few in each turn, and its end behind them", async () => {
  const call = stream();
  call.start(head());
  expect(call.data(messages(MESSAGES_A_TURN))).toBe(true);
  expect(events.length).toBe(1 + MESSAGES_A_TURN);
  await turn();
  expect(call.data(messages(MESSAGES_A_TURN + 2))).toBe(false);
  expect(memory.used).toBe(4);
  call.end("grpc-status: 0\r\n");
  expect(events.length).toBe(1 + 2 * MESSAGES_A_TURN);
  await turn();
  expect(events.slice(1 + 2 * MESSAGES_A_TURN)).toEqual(["16", "17", "trailers 1", "closed 0 "]);
  expect([memory.used, left]).toEqual([0, 1]);
});

test("a gRPC stream that is cancelled hands nothing more over", async () => {
  const call: GrpcUpstreamStream = stream(() => call.cancel());
  call.data(messages(3));
  call.end("grpc-status: 0\r\n");
  await turn();
  expect([events, memory.used, left, call.halfClose()]).toEqual([["0"], 0, 1, undefined]);
});

test("messages of the filter wait for the upstream, within their limits", () => {
  const call = stream();
  expect(call.send(new Uint8Array(1_048_577), false)).toBe("too-large");
  expect(call.send(new Uint8Array(MAX_UNSENT_BYTES - 5), false)).toBe("sent");
  expect(memory.used).toBeGreaterThanOrEqual(MAX_UNSENT_BYTES - 5);
  expect(call.send(new Uint8Array(1), false)).toBe("full");
  call.halfClose();
  expect(call.send(new Uint8Array(1), false)).toBe("closed");
  memory.limits = { bufferSize: 1, bufferCount: 0, reserve: 0 };
  expect(stream().send(new Uint8Array(1), false)).toBe("full");
  memory.limits = { bufferSize: 1, bufferCount: 5_000_000, reserve: 0 };
  const last = stream();
  expect([last.send(new Uint8Array(1), true), last.send(new Uint8Array(1), false)]).toEqual(["sent", "closed"]);
  last.cancel();
  expect(last.send(new Uint8Array(1), false)).toBe("closed");
});

test("a message that arrives between the filter's own requests is handed over at once", () => {
  const call = stream();
  call.start(head());
  expect([call.send(new Uint8Array(3), false), call.send(new Uint8Array(4), false)]).toEqual(["sent", "sent"]);
  call.data(messages(1));
  expect(events).toEqual(["metadata 2", "0"]);
  call.halfClose();
  call.data(messages(1));
  expect(events.length).toBe(3);
  call.cancel();
  expect([memory.used, left]).toEqual([0, 1]);
});

test("one message of the largest size waits for the upstream, and a second one is refused", () => {
  const call = stream();
  expect(call.send(new Uint8Array(1_048_576), false)).toBe("sent");
  expect([call.send(new Uint8Array(1), true), call.send(new Uint8Array(0), true)]).toEqual(["full", "full"]);
  call.cancel();
  expect(memory.used).toBe(0);
});

test("a stream whose upstream ends it after all its messages were read ends at once, and an error ends it at once too", async () => {
  const read = stream();
  read.start(head());
  read.data(messages(1));
  read.end("grpc-status: 3\r\ngrpc-message: no\r\n");
  expect(events).toEqual(["metadata 2", "0", "trailers 2", "closed 3 no"]);
  await turn();
  expect([events.length, left, read.isOver]).toEqual([4, 1, true]);
  events.length = 0;
  const broken = stream();
  broken.data(messages(MESSAGES_A_TURN + 2));
  broken.abort(BROKEN);
  expect(events.slice(MESSAGES_A_TURN)).toEqual(["trailers 0", "closed 14 it broke off"]);
  await turn();
  expect([events.length, memory.used, left]).toEqual([MESSAGES_A_TURN + 2, 0, 2]);
});

test("what a filter throws at a report is passed on, and the call is over", () => {
  const call = stream(() => {
    throw new Error("trap");
  });
  call.data(messages(1));
  expect(errors.map(String)).toEqual(["Error: trap"]);
});
