import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type ResponseHead } from "../../../exchange/exchange.ts";
import { TestExchange } from "../testing/test-gateway.ts";
import { StreamedResponse } from "./streamed-response.ts";

const ERROR = new TurnpikeError("upstream-failed", "it broke off");

function headOf(status: number, changes: Partial<ResponseHead> = {}): ResponseHead {
  return { status, reason: "", fields: "A: 1\r\n", bodyLength: -1, ...changes };
}

/** A response that was paid in advance, and the calls to its listener. */
function passing(isFree = false) {
  const exchange = new TestExchange(new Request("http://a.test/"));
  const told: unknown[] = [];
  const response = new StreamedResponse(exchange, "PAYMENT-RESPONSE: r\r\n", {
    over: (delivered, partial) => told.push([delivered, partial]),
    isFree: (status, overrides) => (told.push([status, ...overrides]), isFree),
    broken: (error) => told.push(error),
  });
  return { exchange, response, told };
}

test("a response passes with the receipt, and is delivered when the client's side has taken it", async () => {
  const { exchange, response, told } = passing();
  response.start(headOf(103));
  expect(exchange.interim).toMatchObject([{ status: 103, fields: "A: 1\r\n" }]);
  response.start(headOf(200, { fields: "Settlement-Overrides: x\r\n" }));
  response.data(Buffer.from("hello"), 1, 3);
  expect(told).toEqual([[200, "x"]]);
  response.end("");
  expect(told).toEqual([
    [200, "x"],
    [true, false],
  ]);
  const reply = await exchange.received;
  expect([reply.headers.get("payment-response"), await reply.text()]).toEqual(["r", "el"]);
});

test.each([
  ["what nothing is to be paid for", true, headOf(500), ""],
  ["a call whose head says that it failed", false, headOf(200, { grpcStatus: 13 }), ""],
  ["a call whose end says that it failed", false, headOf(200), "grpc-status: 13\r\n"],
] as const)("%s is owed, though the client has taken it", (_what, isFree, head, trailers) => {
  const { response, told } = passing(isFree);
  response.start(head);
  response.data(Buffer.from("x"));
  response.end(trailers);
  expect(told.slice(1)).toEqual([[false, false]]);
});

test("a successful call is delivered", () => {
  const { response, told } = passing();
  response.start(headOf(200, { grpcStatus: 0 }));
  response.end("grpc-status: 0\r\n");
  expect(told.slice(1)).toEqual([[true, false]]);
});

test("a tunnel is delivered with the first frame of its upstream, and its end reports nothing more", () => {
  for (const frame of [
    [0x81, 1, 0x61],
    [0x82, 0],
    [0x89, 0],
    [0x01, 1, 0x61],
  ]) {
    const { response, told } = passing();
    response.start(headOf(101));
    response.data(Uint8Array.of(0x88, ...frame), 1, 1);
    expect(told).toEqual([[101]]);
    // It may come in any parts, and its upstream may break off within it.
    for (let at = 1; at < frame.length; at++) response.data(Uint8Array.of(0x88, ...frame), at, at + 1);
    expect(told).toEqual([[101]]);
    response.data(Uint8Array.of(...frame.slice(-1), 0x81));
    expect(told).toEqual([[101], [true, false]]);
    response.data(Uint8Array.of(0x88, 0));
    response.abort(ERROR);
    response.leave();
    expect(told).toHaveLength(2);
  }
});

test("a tunnel that ends before a frame other than Close is owed, and is a cut", () => {
  const ends: ((tunnel: ReturnType<typeof passing>) => void)[] = [
    ({ response }) => void response.data(Uint8Array.of(0x88, 2, 0x03, 0xe9)),
    ({ response }) => response.end(""),
    ({ response }) => response.abort(ERROR),
    ({ response }) => {
      response.data(Uint8Array.of(0x81, 2, 0x61));
      response.abort(ERROR);
    },
    ({ response }) => response.leave(),
    ({ exchange }) => exchange.onTaken?.(false),
  ];
  for (const end of ends) {
    const tunnel = passing();
    tunnel.response.start(headOf(101));
    end(tunnel);
    tunnel.response.data(Uint8Array.of(0x81, 0));
    tunnel.exchange.onTaken?.(true);
    expect(tunnel.told).toEqual([[101], [false, true]]);
  }
});

test("a tunnel for which nothing is to be paid is owed", () => {
  const { response, told } = passing(true);
  response.start(headOf(101));
  expect(told).toEqual([[101], [false, false]]);
});

test("a truncated response, or one whose client disconnects, is owed, and is a cut if a part was sent", () => {
  for (const end of ["abort", "leave"] as const) {
    for (const bytes of [0, 1]) {
      const { exchange, response, told } = passing();
      response.start(headOf(200));
      if (bytes > 0) response.data(new Uint8Array(bytes));
      if (end === "abort") response.abort(ERROR);
      else response.leave();
      exchange.onTaken?.(true);
      expect(told.slice(1)).toEqual([[false, bytes > 0]]);
    }
  }
});

test("without any response the listener responds, through the client's own sink", () => {
  const { exchange, response, told } = passing();
  expect(exchange.response).toBe(response);
  response.abort(ERROR);
  expect(told).toEqual([ERROR]);
  expect(exchange.response).toBe(exchange);
  response.leave();
  expect(told).toHaveLength(1);
});
