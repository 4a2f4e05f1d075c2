import { describe, expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { GRPC } from "../../lib/http/grpc-status.ts";
import { type ResponseHead } from "../exchange/exchange.ts";
import { type ClientStream } from "../http2/client-stream.ts";
import { ForwardTime } from "./forward-time.ts";
import { deadlineOf, GrpcResponse, httpHead, msUntil, resetError } from "./grpc.ts";
import { type ForwardTarget } from "./target.ts";
import { TestClient } from "./testing/test-client.ts";

const TYPE = "Content-Type: application/grpc+proto\r\n";
const FAILURE = new TurnpikeError("upstream-failed", "the connection was reset");

function open() {
  const client = new TestClient({ isGrpc: true });
  const ended: number[] = [];
  let finished = 0;
  client.exchange.onFinish = () => finished++;
  GrpcResponse.install(client.exchange, { grpcEnded: (status) => ended.push(status) });
  const finish = (): number[] => {
    client.exchange.onFinish?.(client.exchange);
    return [...ended, finished];
  };
  return { client, response: client.exchange.response, finish };
}

function headOf(change: Partial<ResponseHead> = {}): ResponseHead {
  return { status: 200, reason: "", fields: TYPE, bodyLength: -1, ...change };
}

describe("the response to a gRPC client", () => {
  test("passes unchanged, and its trailers have the status", () => {
    const { client, response, finish } = open();
    response.start(headOf({ status: 103 }));
    expect([client.interim, client.head]).toEqual([[103], undefined]);
    response.start(headOf());
    expect(response.data(Buffer.from("-data-"), 1, 5)).toBe(true);
    client.takes = false;
    expect(response.data(Buffer.from("!"))).toBe(false);
    response.end("grpc-status: 5\r\n");
    response.end("grpc-status: 0\r\n");
    response.abort(FAILURE);
    expect([client.head, client.body, client.trailers]).toEqual([headOf(), "data!", "grpc-status: 5\r\n"]);
    expect(finish()).toEqual([5, 1]);
  });

  test.each([
    ["no status", "", GRPC.UNKNOWN],
    ["a status", "grpc-status: 0\r\n", GRPC.OK],
  ])("with trailers of %s ends with it", (_what, trailers, status) => {
    const { response, finish } = open();
    response.start(headOf());
    response.end(trailers);
    expect(finish()).toEqual([status, 1]);
  });

  test("with a status in its head and no body is a whole response", () => {
    const { client, response, finish } = open();
    response.start(headOf({ status: 503, fields: `${TYPE}grpc-status: 14\r\n`, bodyLength: 0 }));
    response.end("");
    expect([client.status, client.head?.grpcStatus, client.isEnded]).toEqual([200, 14, true]);
    expect(finish()).toEqual([14, 1]);
  });

  test("is canceled if it does not end", () => {
    expect(open().finish()).toEqual([GRPC.CANCELLED, 1]);
  });

  test("that is cut off ends with trailers that give the reason, once", () => {
    const { client, response, finish } = open();
    response.start(headOf());
    response.abort(FAILURE);
    response.abort(FAILURE);
    response.end("grpc-status: 0\r\n");
    expect(response.data(Buffer.from("late"))).toBe(true);
    expect([client.trailers, client.error, client.body]).toEqual([
      "grpc-status: 14\r\ngrpc-message: the connection was reset\r\n",
      "",
      "",
    ]);
    expect(finish()).toEqual([14, 1]);
  });

  test("that is cut off before its head is aborted", () => {
    const { client, response, finish } = open();
    response.abort(FAILURE);
    expect([client.error, client.trailers]).toEqual(["aborted: upstream-failed", undefined]);
    expect(finish()).toEqual([14, 1]);
  });

  test.each<[string, Partial<ResponseHead>, number, string]>([
    ["of another type", { fields: "Content-Type: text/html\r\n" }, GRPC.UNKNOWN, "200"],
    ["of another status", { status: 403, fields: TYPE }, GRPC.PERMISSION_DENIED, "403"],
    [
      "of the gateway's error",
      { status: 413, error: new TurnpikeError("body-too-large", "too large") },
      GRPC.RESOURCE_EXHAUSTED,
      "too large",
    ],
  ])("%s becomes a status, without its body", async (_what, change, status, message) => {
    const { client, response, finish } = open();
    const policies = new TestClient();
    let stopped = 0;
    client.exchange.onCancel = () => stopped++;
    const fields = `${change.fields ?? ""}X-Kept: 1\r\nContent-Encoding: gzip\r\nContent-Language: en\r\n`;
    response.start(headOf({ ...change, fields }));
    client.exchange.response = policies;
    response.data(Buffer.from("body"));
    response.end("");
    const { head } = client;
    expect([head?.status, head?.grpcStatus, head?.bodyLength, client.body, client.trailers]).toEqual([
      200,
      status,
      0,
      "",
      "",
    ]);
    expect(head?.fields).toMatch(
      new RegExp(`^content-type: application/grpc\r\ngrpc-status: ${status}\r\ngrpc-message: .*${message}\r\n`),
    );
    expect([client.field("x-kept"), client.field("content-encoding"), client.field("content-language")]).toEqual([
      "1",
      undefined,
      undefined,
    ]);
    expect([stopped, policies.error]).toEqual([0, ""]);
    await Promise.resolve();
    expect([stopped, policies.error]).toEqual([1, "aborted: upstream-failed"]);
    expect(finish()).toEqual([status, 1]);
  });

  test("without a body stops no sender", async () => {
    const { client, response } = open();
    let stopped = 0;
    client.exchange.onCancel = () => stopped++;
    response.start(headOf({ status: 404, fields: "", bodyLength: 0 }));
    await Promise.resolve();
    expect([stopped, client.head?.grpcStatus, client.isEnded]).toEqual([0, GRPC.UNIMPLEMENTED, true]);
  });
});

test("a call's deadline counts from its beginning, and its rest is never negative", () => {
  const { exchange } = new TestClient({ fields: "grpc-timeout: 2S\r\n" }, { beganAt: 100 });
  expect(deadlineOf(exchange)).toBe(2100);
  expect(deadlineOf(new TestClient().exchange)).toBe(Number.POSITIVE_INFINITY);
  expect([msUntil(-1), msUntil(Number.POSITIVE_INFINITY)]).toEqual([0, Number.POSITIVE_INFINITY]);
});

test("the deadline of a call ends every wait for its upstream, and the time of other requests is their own", () => {
  const wheel = { now: () => 50 };
  const target = { wheel, totalTimeoutMs: 1000, connectTimeoutMs: 500, retry: { tryTimeoutMs: 300 } };
  const timeOf = (isGrpc: boolean): ForwardTime => {
    const { exchange } = new TestClient({ isGrpc, fields: "grpc-timeout: 200m\r\n" }, { beganAt: -1e9 });
    // No other members are read.
    const time = new ForwardTime(exchange, target as unknown as ForwardTarget);
    time.begin();
    time.beginTry();
    return time;
  };
  const [late, other] = [timeOf(true), timeOf(false)];
  expect([late.isLate, late.dueAt, late.tryDueAt, late.msLeft, late.msToConnect]).toEqual([true, 50, 50, 0, 0]);
  expect([other.isLate, other.dueAt, other.tryDueAt, other.msLeft, other.msToConnect]).toEqual([
    false,
    1050,
    350,
    1000,
    300,
  ]);
});

test("a call without a deadline lasts without end, however long a try may take", () => {
  const target = { wheel: { now: () => 50 }, totalTimeoutMs: 1000, readTimeoutMs: 700, retry: { tryTimeoutMs: 300 } };
  // No other members are read.
  const time = new ForwardTime(new TestClient({ isGrpc: true }).exchange, target as unknown as ForwardTarget);
  const stream = { silenceMs: 0 } as ClientStream;
  time.begin();
  time.beginTry();
  time.letCallLast(stream);
  expect([time.dueAt, time.tryDueAt, stream.silenceMs]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    700,
  ]);
});

test("a reset gives a call a more exact error", () => {
  expect(resetError(FAILURE, -1)).toBe(FAILURE);
  expect(resetError(FAILURE, 0xb)).toMatchObject({ grpcStatus: GRPC.RESOURCE_EXHAUSTED, code: "upstream-failed" });
  expect(resetError(FAILURE, 0)).toMatchObject({ grpcStatus: GRPC.INTERNAL });
});

test("an observer of HTTP sees a failed call by its status", () => {
  expect(httpHead(headOf(), GRPC.NOT_FOUND)).toEqual(headOf({ status: 404 }));
  expect(httpHead(headOf({ status: 502 }), GRPC.NOT_FOUND).status).toBe(502);
});
