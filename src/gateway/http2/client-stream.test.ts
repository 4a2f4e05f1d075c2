import { beforeEach, describe, expect, test } from "bun:test";
import { Sink } from "../http1/testing/client-peers.ts";
import * as f from "./frame.ts";
import { DATE, GET, OK, POST, STATUS_200, ScriptedServer } from "./testing/scripted-server.ts";

const INITIAL_WINDOW_SIZE = 4;

let server: ScriptedServer;
let sink: Sink;

beforeEach(() => {
  server = new ScriptedServer().begin();
  sink = new Sink();
});

function length(bytes: number): readonly [string, string] {
  return ["content-length", String(bytes)];
}

describe("a request", () => {
  test("is sent with its pseudo-header fields first, and its field names in lower case", () => {
    const fields = "Accept: */*\r\nTE: trailers\r\n";
    server.send(sink, { ...GET, scheme: "https", path: "/a?b", fields });
    expect(server.heard()).toEqual([
      "HEADERS 1 :method: GET, :scheme: https, :authority: example.com, :path: /a?b, accept: */*, te: trailers end",
    ]);
  });

  test("has a Content-Length if it has a body or is expected to have one", () => {
    server.send(sink, { ...POST, bodyLength: 0 });
    const stream = server.send(sink, { ...POST, bodyLength: 4 });
    const [bare, full] = server.heard();
    expect(bare).toEndWith(":path: /, content-length: 0 end");
    expect(full).toEndWith(":path: /, content-length: 4");
    expect(stream.data(Buffer.from("..ab"), 2, 4)).toBe(true);
    stream.data(Buffer.from("cd"));
    stream.end("");
    expect(server.heard()).toEqual(['DATA 3 "ab"', 'DATA 3 "cd" end']);
  });

  test("of unknown length ends with an empty frame, or with its trailers", () => {
    const streams = [server.sendQuietly(sink, POST), server.sendQuietly(sink, POST)];
    for (const [i, trailers] of ["", "X-Sum: 1\r\n"].entries()) {
      const stream = streams[i];
      if (stream === undefined) continue;
      stream.data(Buffer.from("ab"));
      stream.end(trailers);
    }
    expect(server.heard()).toEqual(['DATA 1 "ab"', 'DATA 1 "" end', 'DATA 3 "ab"', "HEADERS 3 x-sum: 1 end"]);
  });

  test("is never longer or shorter than announced", () => {
    const stream = server.send(sink, { ...POST, bodyLength: 3 });
    expect(() => stream.end("")).toThrow("shorter than the announced Content-Length");
    expect(() => stream.data(Buffer.from("abcd"))).toThrow("exceeds the announced Content-Length");
  });

  test("with a large head is sent in frames that the server accepts", () => {
    server.send(sink, { ...GET, fields: `X-Large: ${"x".repeat(40_000)}\r\n` });
    const frames = server.frames();
    expect(frames.map(({ type, flags }) => [type, flags])).toEqual([
      [f.HEADERS, f.END_STREAM],
      [f.CONTINUATION, 0],
      [f.CONTINUATION, f.END_HEADERS],
    ]);
    expect(frames.every(({ payload }) => payload.length <= 16_384)).toBe(true);
  });

  test.each(["method", "authority", "path"] as const)(
    "is complete among others that begin in the same turn, however long its %s is",
    (part) => {
      for (let i = 0; i < 40; i++) server.send(sink, { ...GET, [part]: `/${"p".repeat(12_000)}${i}` });
      const heads = server.heard();
      expect(heads).toHaveLength(40);
      for (const [i, head] of heads.entries()) expect(head).toContain(`:${part}: /${"p".repeat(12_000)}${i}`);
    },
  );

  test("is complete among others that begin in the same turn, however long its own fields are", () => {
    const long = "v".repeat(12_000);
    for (let i = 0; i < 40; i++) server.send(sink, { ...GET, ownFields: `X-Own: ${long}${i}\r\n`, fields: "A: b\r\n" });
    const heads = server.heard();
    expect(heads).toHaveLength(40);
    for (const [i, head] of heads.entries()) expect(head).toEndWith(`x-own: ${long}${i}, a: b end`);
  });

  test("has been heard of once the server has reset it, but not when the connection closes", () => {
    const [reset, begun, cut] = [server.send(sink), server.send(sink), server.send(sink)];
    server.numbers(f.RST_STREAM, 1, f.REFUSED_STREAM);
    server.head(3, 0, OK);
    server.wire.terminate();
    expect([reset.heard, begun.heard, cut.heard]).toEqual([true, true, false]);
  });

  test("waits for the server's windows, of the stream and of the connection", () => {
    server.settings([[INITIAL_WINDOW_SIZE, 5]]);
    const stream = server.sendQuietly(sink, POST);
    let sendable = 0;
    stream.onSendable = () => sendable++;
    expect(stream.data(Buffer.from("0123456789"))).toBe(false);
    expect(server.heard()).toEqual(['DATA 1 "01234"']);
    server.numbers(f.WINDOW_UPDATE, 1, 2);
    expect([server.heard(), sendable]).toEqual([['DATA 1 "56"'], 0]);
    server.numbers(f.WINDOW_UPDATE, 1, 100_000);
    expect([server.heard(), sendable]).toEqual([['DATA 1 "789"'], 1]);
    expect(stream.data(Buffer.alloc(70_000))).toBe(false);
    expect(server.heard().at(-1)).toBe("DATA 1 16373");
    stream.end("");
    server.numbers(f.WINDOW_UPDATE, 0, 100_000);
    const rest = server.frames();
    expect(rest.reduce((sum, { payload }) => sum + payload.length, 0)).toBe(70_000 - 65_525);
    expect(rest.at(-1)?.flags).toBe(f.END_STREAM);
  });

  test("that is cancelled is reset, and its sink is not called any more", () => {
    const stream = server.sendQuietly(sink);
    server.head(1, 0, OK);
    stream.destroy();
    server.data(1, 0, "late");
    server.head(1, f.END_STREAM, [["x-late", "1"]]);
    expect(server.heard()).toEqual(["RST_STREAM 1 8"]);
    expect([sink.body, sink.ends, sink.errors]).toEqual(["", [], []]);
    expect([server.connection.isOpen, server.owner.releases]).toEqual([true, 1]);
  });

  test("among hundreds that are cancelled at once does not harm others by late frames", () => {
    const other = new Sink();
    server.send(other);
    for (let i = 0; i < 300; i++) server.send(sink).destroy();
    server.frames();
    for (let i = 1; i <= 300; i++) {
      server.head(1 + 2 * i, 0, OK);
      server.data(1 + 2 * i, f.END_STREAM, "late");
    }
    server.head(1, f.END_STREAM, OK);
    expect([other.ends, sink.body, server.heard()]).toEqual([[""], "", []]);
  });

  test("can be cancelled in the middle of its response by its own sink", () => {
    const stream = server.sendQuietly(sink);
    sink.room = false;
    sink.onData = () => stream.destroy();
    server.head(1, 0, OK);
    server.data(1, f.END_STREAM, "abc");
    expect(server.heard()).toEqual(["RST_STREAM 1 8"]);
    expect(sink.ends).toEqual([]);
    const again = server.sendQuietly(sink);
    sink.onStart = () => again.destroy();
    server.head(3, f.END_STREAM, OK);
    expect(server.heard()).toEqual(["RST_STREAM 3 8"]);
    expect(sink.ends).toEqual([]);
  });

  test("whose rest the server does not want is reset after the response", () => {
    const stream = server.sendQuietly(sink, POST);
    stream.data(Buffer.from("a"));
    server.head(1, f.END_STREAM, [[":status", "413"], DATE]);
    expect(server.heard()).toEqual(['DATA 1 "a"', "RST_STREAM 1 8"]);
    expect([sink.statuses, sink.ends, sink.errors]).toEqual([[413], [""], []]);
    server.numbers(f.RST_STREAM, 1, f.NO_ERROR);
    expect(stream.data(Buffer.from("b"))).toBe(true);
    expect([server.heard(), server.connection.isOpen]).toEqual([[], true]);
  });

  test("may continue while its response arrives", () => {
    const stream = server.sendQuietly(sink, POST);
    server.head(1, 0, OK);
    server.data(1, 0, "a");
    stream.data(Buffer.from("b"));
    stream.end("");
    server.data(1, f.END_STREAM, "c");
    expect(server.heard()).toEqual(['DATA 1 "b"', 'DATA 1 "" end']);
    expect([sink.body, sink.ends]).toEqual(["ac", [""]]);
    expect(server.connection.streams.size).toBe(0);
  });
});

test("a request whose sink cancels it gives its data back to the connection's window", () => {
  sink.room = false;
  // Half of the connection's window, after which the server gets a window update.
  for (let i = 0; i < 1700; i++) {
    const stream = server.send(sink);
    sink.onData = () => stream.destroy();
    server.head(stream.streamId, 0, OK);
    server.data(stream.streamId, 0, Buffer.alloc(16_384));
  }
  expect(server.heard().filter((frame) => frame.startsWith("WINDOW_UPDATE 0"))).toHaveLength(1);
});

describe("a response", () => {
  test("has its length, its fields without framing fields, and a date", () => {
    server.sendQuietly(sink);
    server.head(1, 0, [STATUS_200, length(2), ["content-type", "a"], ["te", "x"], ["set-cookie", "b"]]);
    server.data(1, f.END_STREAM, "ok");
    expect(sink.heads[0]).toMatchObject({ status: 200, bodyLength: 2 });
    expect(sink.heads[0]?.fields).toMatch(/^content-type: a\r\nset-cookie: b\r\nDate: [^\r]+ GMT\r\n$/);
    expect([sink.body, sink.ends]).toEqual(["ok", [""]]);
  });

  test("may follow interim heads, and end with trailers", () => {
    server.sendQuietly(sink);
    server.head(1, 0, [
      [":status", "103"],
      ["link", "</a>"],
    ]);
    server.head(1, 0, OK);
    server.data(1, 0, "a");
    server.head(1, f.END_STREAM, [["grpc-status", "0"]]);
    expect(sink.heads.map(({ status, fields, bodyLength }) => [status, fields, bodyLength])).toEqual([
      [103, "link: </a>\r\n", -1],
      [200, "date: x\r\n", -1],
    ]);
    expect(sink.ends).toEqual(["grpc-status: 0\r\n"]);
    expect(server.heard()).toEqual([]);
  });

  test("without a body has the length 0, except for HEAD and 304, which announce a length", () => {
    for (const [method, status, announced] of [
      ["GET", "200", -1],
      ["GET", "204", -1],
      ["HEAD", "200", 9],
      ["GET", "304", 9],
    ] as const) {
      const streamId = server.connection.requests * 2 + 1;
      server.sendQuietly(sink, { ...GET, method });
      server.head(streamId, f.END_STREAM, [
        [":status", status],
        DATE,
        ...(announced === -1 ? [] : [length(announced)]),
      ]);
    }
    expect(sink.heads.map(({ bodyLength }) => bodyLength)).toEqual([0, 0, 9, 9]);
    expect(sink.ends).toHaveLength(4);
  });

  test("may end with an empty frame, padded or not", () => {
    server.sendQuietly(sink);
    server.head(1, 0, OK);
    server.frame(f.DATA, f.PADDED, 1, Buffer.from([2, 0x61, 0, 0]));
    server.frame(f.DATA, f.PADDED | f.END_STREAM, 1, Buffer.from([1, 0]));
    expect([sink.body, sink.ends]).toEqual(["a", [""]]);
  });

  test("is held back by its own window while its sink is full, and other responses continue", () => {
    const other = new Sink();
    const stream = server.sendQuietly(sink);
    server.send(other);
    server.frames();
    sink.room = false;
    server.head(1, 0, OK);
    server.head(3, 0, OK);
    for (let i = 0; i < 16; i++) server.data(1, 0, Buffer.alloc(16_384));
    for (let i = 0; i < 16; i++) server.data(3, 0, Buffer.alloc(16_384));
    expect(server.heard()).toEqual(["WINDOW_UPDATE 3 131072", "WINDOW_UPDATE 3 131072"]);
    sink.room = true;
    stream.resume();
    expect(server.heard()).toEqual(["WINDOW_UPDATE 1 262144"]);
    expect([sink.body.length, other.body.length]).toEqual([262_144, 262_144]);
  });

  test("beyond its window is a stream error", () => {
    server.sendQuietly(sink);
    sink.room = false;
    server.head(1, 0, OK);
    for (let i = 0; i < 16; i++) server.data(1, 0, Buffer.alloc(16_384));
    server.data(1, 0, "x");
    expect(server.heard()).toEqual([`RST_STREAM 1 ${f.FLOW_CONTROL_ERROR}`]);
    expect(sink.errors).toHaveLength(1);
    expect(server.connection.isOpen).toBe(true);
  });

  test("among many, completed or cancelled, leaves the connection's window open", () => {
    for (let i = 0; i < 300; i++) {
      const stream = server.sendQuietly(sink);
      server.head(stream.streamId, 0, OK);
      for (let j = 0; j < 15; j++) server.data(stream.streamId, 0, Buffer.alloc(16_000));
      if (i % 2 === 0) server.data(stream.streamId, f.END_STREAM, "");
      else stream.destroy();
    }
    expect(server.connection.isOpen).toBe(true);
  });
});

/** Checks that the first stream was reset, and that another stream is served. */
function expectOnlyReset(): void {
  const other = new Sink();
  server.send(other);
  expect(server.heard()).toContain(`RST_STREAM 1 ${f.PROTOCOL_ERROR}`);
  expect(sink.errors.map(({ code }) => code)).toEqual(["upstream-failed"]);
  expect(sink.ends).toEqual([]);
  server.head(3, f.END_STREAM, OK);
  expect(other.ends).toEqual([""]);
  expect(server.connection.streams.size).toBe(0);
}

describe("a malformed response resets its stream and no other", () => {
  const CASES: readonly (readonly [string, (server: ScriptedServer) => void])[] = [
    ["no :status", (s) => s.head(1, 0, [DATE])],
    ["two :status", (s) => s.head(1, 0, [STATUS_200, STATUS_200])],
    [":status after a field", (s) => s.head(1, 0, [DATE, STATUS_200])],
    ["a status of four digits", (s) => s.head(1, 0, [[":status", "2000"]])],
    ["a status of no class", (s) => s.head(1, 0, [[":status", "600"]])],
    ["101", (s) => s.head(1, 0, [[":status", "101"]])],
    ["a pseudo-header field of requests", (s) => s.head(1, 0, [STATUS_200, [":path", "/"]])],
    ["a capital in a name", (s) => s.head(1, 0, [STATUS_200, ["X-A", "1"]])],
    ["an empty name", (s) => s.head(1, 0, [STATUS_200, ["", "1"]])],
    ["a space in a name", (s) => s.head(1, 0, [STATUS_200, ["x a", "1"]])],
    ["a line end in a value", (s) => s.head(1, 0, [STATUS_200, ["x", "a\r\nb: c"]])],
    ["NUL in a value", (s) => s.head(1, 0, [STATUS_200, ["x", "\0"]])],
    ["a space around a value", (s) => s.head(1, 0, [STATUS_200, ["x", " a"]])],
    ["connection", (s) => s.head(1, 0, [STATUS_200, ["connection", "close"]])],
    ["transfer-encoding", (s) => s.head(1, 0, [STATUS_200, ["transfer-encoding", "chunked"]])],
    ["two lengths", (s) => s.head(1, 0, [STATUS_200, length(1), length(2)])],
    ["an invalid length", (s) => s.head(1, 0, [STATUS_200, ["content-length", "-1"]])],
    ["a length, and no body", (s) => s.head(1, f.END_STREAM, [STATUS_200, length(1)])],
    ["an interim head that ends it", (s) => s.head(1, f.END_STREAM, [[":status", "103"]])],
    ["data before the head", (s) => s.data(1, 0, "x")],
    ["an end without a head", (s) => s.data(1, f.END_STREAM, "")],
    [
      "a self-dependency",
      (s) => s.frame(f.HEADERS, f.END_HEADERS | f.HAS_PRIORITY, 1, Buffer.from("000000010088", "hex")),
    ],
  ];
  const AFTER_HEAD: readonly (readonly [string, (server: ScriptedServer) => void])[] = [
    ["more data than announced", (s) => s.data(1, 0, "abcd")],
    ["less data than announced", (s) => s.data(1, f.END_STREAM, "ab")],
    ["trailers that do not end it", (s) => s.head(1, 0, [["x", "y"]])],
    [":status in trailers", (s) => s.head(1, f.END_STREAM, [STATUS_200])],
    ["a capital in trailers", (s) => s.head(1, f.END_STREAM, [["X", "y"]])],
    ["a window of 0", (s) => s.numbers(f.WINDOW_UPDATE, 1, 0)],
  ];

  test.each(CASES)("%s", (_name, act) => {
    server.sendQuietly(sink);
    act(server);
    expectOnlyReset();
  });

  test.each(AFTER_HEAD)("%s", (_name, act) => {
    server.sendQuietly(sink);
    server.head(1, 0, [STATUS_200, length(3)]);
    act(server);
    expectOnlyReset();
  });

  test.each([
    ["HEAD", "200"],
    ["GET", "204"],
    ["GET", "304"],
  ])("data in a response to %s with status %s", (method, status) => {
    server.sendQuietly(sink, { ...GET, method });
    server.head(1, 0, [[":status", status], length(3)]);
    server.data(1, 0, "abc");
    expectOnlyReset();
  });

  test("is given up if its head is too large, or if interim heads do not end", () => {
    for (let i = 0; i < 3; i++) server.sendQuietly(sink);
    const block = server.block([STATUS_200, ["x-large", "x".repeat(65_600)]]);
    server.frame(f.HEADERS, 0, 1, block.subarray(0, 16_000));
    for (let at = 16_000; at < block.length; at += 16_000) {
      const flags = at + 16_000 < block.length ? 0 : f.END_HEADERS;
      server.frame(f.CONTINUATION, flags, 1, block.subarray(at, at + 16_000));
    }
    server.head(3, 0, [STATUS_200, ...Array.from({ length: 257 }, (_, i) => [`x-${i}`, ""] as const)]);
    for (let i = 0; i < 33; i++) server.head(5, 0, [[":status", "100"]]);
    const resets = server.heard();
    expect(resets).toEqual(["RST_STREAM 1 8", "RST_STREAM 3 8", "RST_STREAM 5 8"]);
    expect(sink.errors).toHaveLength(3);
    expect(server.connection.isOpen).toBe(true);
  });
});

describe("the timeout", () => {
  test("does not begin after the stream has ended", () => {
    const stream = server.sendQuietly(sink);
    let late = 0;
    stream.timeKeeper = { timedOut: () => void late++ };
    server.head(1, f.END_STREAM, OK);
    stream.waitAtMost(1000, Number.POSITIVE_INFINITY);
    server.owner.clock.advance(5000);
    expect(late).toBe(0);
  });

  test("runs while the upstream must act, and restarts at each arrival", () => {
    const stream = server.sendQuietly(sink);
    let late = 0;
    stream.timeKeeper = {
      timedOut() {
        late++;
        stream.destroy();
      },
    };
    stream.waitAtMost(1000, Number.POSITIVE_INFINITY);
    const { clock } = server.owner;
    clock.advance(900);
    server.head(1, 0, OK);
    clock.advance(900);
    sink.room = false;
    server.data(1, 0, "x");
    clock.advance(5000);
    expect(late).toBe(0);
    stream.resume();
    clock.advance(1100);
    expect(late).toBe(1);
    expect(server.heard()).toEqual(["RST_STREAM 1 8"]);
  });

  test("does not run while the client must send, but the deadline of the whole response stays", () => {
    const stream = server.sendQuietly(sink, POST);
    let late = 0;
    stream.timeKeeper = { timedOut: () => late++ };
    stream.waitAtMost(1000, server.owner.wheel.now() + 10_000);
    server.owner.clock.advance(9000);
    expect(late).toBe(0);
    server.owner.clock.advance(1100);
    expect(late).toBe(1);
  });

  test("runs while the server's window is shut", () => {
    server.settings([[INITIAL_WINDOW_SIZE, 0]]);
    const stream = server.sendQuietly(sink, POST);
    let late = 0;
    stream.timeKeeper = { timedOut: () => late++ };
    stream.waitAtMost(1000, Number.POSITIVE_INFINITY);
    expect(stream.awaited).toBe(false);
    stream.data(Buffer.from("x"));
    expect(stream.awaited).toBe(true);
    server.owner.clock.advance(1100);
    expect(late).toBe(1);
  });
});
