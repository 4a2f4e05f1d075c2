import { beforeEach, expect, test } from "bun:test";
import { Sink } from "../http1/testing/client-peers.ts";
import * as f from "./frame.ts";
import { GET, OK, POST, ScriptedServer } from "./testing/scripted-server.ts";

let server: ScriptedServer;
let sink: Sink;

beforeEach(() => {
  server = new ScriptedServer().begin();
  sink = new Sink();
});

test("a request that has ended is not reset when its owner releases it", () => {
  const stream = server.sendQuietly(sink);
  server.head(1, f.END_STREAM, OK);
  expect(sink.ends).toEqual([""]);
  stream.destroy();
  expect(server.heard()).toEqual([]);
});

test.each([
  ["data before a head", []],
  ["more data than announced", [...OK, ["content-length", "3"] as const]],
])("the error names %s", (what, head) => {
  server.sendQuietly(sink);
  if (head.length > 0) server.head(1, 0, head);
  server.data(1, 0, "abcd");
  expect(sink.errors.map(({ message }) => message)).toEqual([expect.stringContaining(what)]);
});

test("the error names what is wrong with the trailers", () => {
  for (const [streamId, flags, field, what] of [
    [1, 0, "x", "they do not end the response"],
    [3, f.END_STREAM, "X", "malformed trailers: "],
    [5, f.END_STREAM, ":status", "malformed trailers: :status in trailers"],
  ] as const) {
    const asked = new Sink();
    server.sendQuietly(asked);
    server.head(streamId, 0, OK);
    server.head(streamId, flags, [[field, field === ":status" ? "200" : "y"]]);
    expect(asked.errors.map(({ message }) => message)).toEqual([expect.stringContaining(what)]);
  }
});

test.each([
  [32, []],
  [33, ["upstream-failed"]],
])("after %d interim heads the errors are %j", (count, errors) => {
  server.sendQuietly(sink);
  for (let i = 0; i < count; i++) server.head(1, 0, [[":status", "103"]]);
  expect(sink.errors.map(({ code }): string => code)).toEqual(errors);
});

test("a request whose head is larger than the server accepts is not begun, and other requests are", () => {
  for (const [most, begins] of [
    [100, false],
    [10_000, true],
  ] as const) {
    const limited = new ScriptedServer().begin([[6, most]]);
    const asked = new Sink();
    expect(limited.connection.request({ ...GET, fields: "A: 1\r\n" }, asked) !== undefined).toBe(begins);
    expect(asked.errors.map(({ code }): string => code)).toEqual(begins ? [] : ["head-too-large"]);
  }
});

test("a gRPC call that ends with its head reports its status", () => {
  for (const [fields, status] of [
    [[["grpc-status", "5"]], 5],
    [[], undefined],
  ] as const) {
    const asked = new Sink();
    const other = new ScriptedServer().begin();
    other.sendQuietly(asked);
    other.head(1, f.END_STREAM, [...OK, ["content-type", "application/grpc"], ...fields]);
    expect(asked.heads.map(({ grpcStatus }) => grpcStatus)).toEqual([status]);
  }
});

test("a request that has ended, or that the server has reset, sends nothing more", () => {
  const events: ((streamId: number) => void)[] = [
    (streamId) => server.numbers(f.RST_STREAM, streamId, f.CANCEL),
    (streamId) => server.head(streamId, f.END_STREAM, OK),
  ];
  for (const [i, end] of events.entries()) {
    const stream = server.sendQuietly(new Sink(), POST);
    end(1 + 2 * i);
    server.frames();
    expect(stream.data(Buffer.from("late"))).toBe(true);
    stream.end("X-Late: 1\r\n");
    expect(server.heard()).toEqual([]);
  }
  // A request that was reset need not be as long as announced.
  const cut = server.sendQuietly(new Sink(), { ...POST, bodyLength: 2 });
  server.numbers(f.RST_STREAM, 5, f.CANCEL);
  cut.end("");
  expect(cut.data(Buffer.from("late"))).toBe(true);
  expect(server.heard()).toEqual([]);
  const whole = server.sendQuietly(sink, { ...POST, bodyLength: 2 });
  whole.data(Buffer.from("ab"));
  whole.end("");
  whole.end("X-Late: 1\r\n");
  expect(whole.data(Buffer.from("c"))).toBe(true);
  expect(server.heard()).toEqual(['DATA 7 "ab" end']);
});

test("a malformed frame for a request shows that the connection is alive", () => {
  const stream = server.sendQuietly(sink);
  expect(stream.heard).toBe(false);
  server.data(1, 0, "before a head");
  expect([stream.heard, stream.unprocessed, sink.errors.length]).toEqual([true, false, 1]);
  const refused = server.sendQuietly(new Sink());
  server.numbers(f.RST_STREAM, 3, f.REFUSED_STREAM);
  expect([refused.heard, refused.unprocessed]).toEqual([true, true]);
});

test("the error of an incomplete response says whether the upstream gave up the request or the connection", () => {
  const [reset, cut, empty] = [new Sink(), new Sink(), new Sink()];
  for (const each of [reset, cut, empty]) server.sendQuietly(each);
  server.numbers(f.RST_STREAM, 1, f.CANCEL);
  server.head(3, 0, OK);
  server.head(5, f.END_STREAM, [...OK, ["content-length", "3"]]);
  server.wire.terminate();
  expect([reset, cut, empty].map(({ errors }) => errors.map(({ message }) => message))).toEqual([
    ["the upstream gave the request up before its response was complete"],
    ["the upstream closed the connection before its response was complete"],
    ["malformed response: no body, although content-length announces one"],
  ]);
});
