import { beforeEach, describe, expect, test } from "bun:test";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { Sink } from "../http1/testing/client-peers.ts";
import * as f from "./frame.ts";
import { IndexingEncoder } from "./hpack/testing/indexing-encoder.ts";
import { GET, OK, Owner, POST, ScriptedServer } from "./testing/scripted-server.ts";

let server: ScriptedServer;
let sink: Sink;

beforeEach(() => {
  server = new ScriptedServer().begin();
  sink = new Sink();
});

describe("a connection", () => {
  test("begins with the preface and SETTINGS that disable pushes, and gives all streams together more than each one", () => {
    const fresh = new ScriptedServer();
    const [settings, window] = fresh.frames();
    expect(fresh.wire.bytes.subarray(0, 24)).toEqual(f.PREFACE);
    expect(settings?.payload.toString("hex")).toBe("000200000000000400040000000500004000000600010000");
    expect([window?.type, window?.streamId, window?.payload.readUInt32BE()]).toEqual([f.WINDOW_UPDATE, 0, 52_363_265]);
  });

  test("sends a request before the server has sent anything", () => {
    const fresh = new ScriptedServer();
    fresh.frames();
    fresh.connection.request(GET, sink);
    expect(fresh.heard()).toHaveLength(1);
  });

  test("numbers its streams 1, 3, 5, and keeps their responses apart", () => {
    const sinks = [new Sink(), new Sink(), new Sink()];
    for (const each of sinks) server.send(each, { ...GET, path: "/x" });
    server.frames();
    for (const [i, streamId] of [5, 1, 3].entries()) {
      server.head(streamId, 0, OK);
      server.data(streamId, f.END_STREAM, String(i));
    }
    expect(sinks.map((each) => each.body)).toEqual(["1", "2", "0"]);
    expect(server.heard()).toEqual([]);
    expect(server.connection.streams.size).toBe(0);
    expect(server.owner.releases).toBe(3);
    expect(server.connection.requests).toBe(3);
  });

  test("takes as many requests as the server allows, and reports when there is room", () => {
    const { connection } = new ScriptedServer().begin();
    expect(connection.room).toBe(100);
    server.settings([[3, 2]]);
    expect(server.connection.room).toBe(2);
    server.send(sink);
    server.send(sink);
    expect(server.connection.room).toBe(0);
    expect(server.connection.request(GET, sink)).toBeUndefined();
    server.settings([[3, 3]]);
    expect(server.owner.releases).toBe(1);
    expect(server.connection.room).toBe(1);
    server.settings([[3, 0]]);
    expect(server.connection.room).toBe(0);
    server.head(1, f.END_STREAM, OK);
    expect(server.owner.releases).toBe(2);
    expect(sink.ends).toEqual([""]);
  });

  test("that is idle closes after its timeout, but not once it is used", () => {
    server.connection.closeAfter(1000);
    server.send(sink);
    server.owner.clock.advance(2000);
    expect(server.connection.isOpen).toBe(true);
    server.head(1, f.END_STREAM, OK);
    server.connection.closeAfter(1000);
    server.frames();
    server.owner.clock.advance(1100);
    expect(server.heard()).toEqual(["GOAWAY 0 0"]);
    expect(server.wire.ended).toBe(true);
    server.owner.clock.advance(2100);
    expect([server.wire.closed, server.owner.gone]).toEqual([true, 1]);
  });

  test("that is retired takes no more requests, and closes after the last response", () => {
    server.send(sink);
    server.connection.retire();
    expect([server.connection.room, server.connection.isRetired, server.owner.retirements]).toEqual([0, true, 1]);
    server.frames();
    server.head(1, f.END_STREAM, OK);
    expect(sink.ends).toEqual([""]);
    expect(server.heard()).toEqual(["GOAWAY 0 0"]);
  });

  test("that is lost ends its requests", () => {
    const stream = server.send(sink);
    server.head(1, 0, OK);
    server.wire.terminate();
    expect(sink.errors.map((error) => error.code)).toEqual(["upstream-failed"]);
    expect(stream.unprocessed).toBe(false);
    expect(server.owner.gone).toBe(1);
    expect(stream.data(Buffer.from("late"))).toBe(true);
    stream.end("");
    stream.destroy();
    expect(sink.errors).toHaveLength(1);
  });

  test("whose server reads nothing is given up", () => {
    server.wire.takes = [0];
    server.send(sink);
    server.frames();
    server.owner.clock.advance(20_100);
    expect(server.wire.closed).toBe(true);
    expect(sink.errors).toHaveLength(1);
  });
});

describe("a reset by the server", () => {
  test("cuts the response off", () => {
    const stream = server.sendQuietly(sink);
    server.head(1, 0, OK);
    server.numbers(f.RST_STREAM, 1, f.INTERNAL_ERROR);
    expect(sink.errors.map(({ code }) => code)).toEqual(["upstream-failed"]);
    expect([stream.unprocessed, stream.resetCode, server.owner.releases]).toEqual([false, f.INTERNAL_ERROR, 1]);
    expect(server.heard()).toEqual([]);
  });

  test("that refuses the stream allows a retry", () => {
    const stream = server.sendQuietly(sink, POST);
    server.numbers(f.RST_STREAM, 1, f.REFUSED_STREAM);
    expect(stream.unprocessed).toBe(true);
    expect(sink.errors).toHaveLength(1);
  });

  test("of thousands of streams ends the connection", () => {
    for (let i = 0; i < 1200 && server.connection.isOpen; i++) {
      server.numbers(f.RST_STREAM, server.sendQuietly(sink).streamId, f.REFUSED_STREAM);
    }
    expect(server.connection.isOpen).toBe(false);
    expect(server.heard()).toEqual([`GOAWAY 0 ${f.ENHANCE_YOUR_CALM}`]);
  });
});

describe("GOAWAY", () => {
  test("lets the streams that the server has accepted end, hands back the others, and closes", () => {
    const sinks = [new Sink(), new Sink(), new Sink()];
    const streams = sinks.map((each) => server.send(each));
    server.frames();
    server.numbers(f.GOAWAY, 0, 3, f.NO_ERROR);
    expect(streams.map((stream) => stream.unprocessed)).toEqual([false, false, true]);
    expect(sinks.map((each) => each.errors.length)).toEqual([0, 0, 1]);
    expect([server.connection.room, server.owner.retirements]).toEqual([0, 1]);
    expect(server.connection.request(GET, sink)).toBeUndefined();
    server.head(1, f.END_STREAM, OK);
    server.numbers(f.GOAWAY, 0, 1, f.NO_ERROR);
    expect(streams[1]?.unprocessed).toBe(true);
    expect([sinks[0]?.ends, sinks[1]?.errors.length]).toEqual([[""], 1]);
    expect(server.heard()).toEqual(["GOAWAY 0 0"]);
    expect([server.wire.ended, server.owner.retirements, server.owner.releases]).toEqual([true, 1, 0]);
  });

  test("of an idle connection closes it", () => {
    server.numbers(f.GOAWAY, 0, 0, f.ENHANCE_YOUR_CALM);
    expect(server.heard()).toEqual(["GOAWAY 0 0"]);
    server.wire.terminate();
    expect([server.owner.gone, server.owner.retirements]).toEqual([1, 1]);
  });
});

describe("a connection error is reported with GOAWAY and its code", () => {
  const CASES: readonly (readonly [string, number, (server: ScriptedServer) => void])[] = [
    ["a push", f.PROTOCOL_ERROR, (s) => s.frame(f.PUSH_PROMISE, f.END_HEADERS, 1, Buffer.from("0000000282", "hex"))],
    ["permission to push", f.PROTOCOL_ERROR, (s) => s.settings([[2, 1]])],
    ["HEADERS on an idle stream", f.PROTOCOL_ERROR, (s) => s.head(3, 0, OK)],
    ["HEADERS on a stream with an even number", f.PROTOCOL_ERROR, (s) => s.head(2, 0, OK)],
    ["HEADERS on stream 0", f.PROTOCOL_ERROR, (s) => s.head(0, 0, OK)],
    ["DATA on an idle stream", f.PROTOCOL_ERROR, (s) => s.data(3, 0, "x")],
    ["RST_STREAM on an idle stream", f.PROTOCOL_ERROR, (s) => s.numbers(f.RST_STREAM, 3, 0)],
    ["WINDOW_UPDATE on an idle stream", f.PROTOCOL_ERROR, (s) => s.numbers(f.WINDOW_UPDATE, 3, 1)],
    [
      "an index in neither table",
      f.COMPRESSION_ERROR,
      (s) => s.frame(f.HEADERS, f.END_HEADERS, 1, Buffer.from([0xbe])),
    ],
    ["a broken block", f.COMPRESSION_ERROR, (s) => s.frame(f.HEADERS, f.END_HEADERS, 1, Buffer.from([0x40]))],
    ["CONTINUATION alone", f.PROTOCOL_ERROR, (s) => s.frame(f.CONTINUATION, f.END_HEADERS, 1)],
    ["a frame that is too large", f.FRAME_SIZE_ERROR, (s) => s.frame(f.DATA, 0, 1, Buffer.alloc(16_385))],
    ["a window that overflows", f.FLOW_CONTROL_ERROR, (s) => s.numbers(f.WINDOW_UPDATE, 0, f.MAX_WINDOW)],
    ["an initial window that is too large", f.FLOW_CONTROL_ERROR, (s) => s.settings([[4, 0x80000000]])],
  ];

  test.each(CASES)("%s", (_name, code, act) => {
    server.sendQuietly(sink);
    act(server);
    expect(server.heard()).toEqual([`GOAWAY 0 ${code}`]);
    expect(sink.errors.map((error) => error.code)).toEqual(["upstream-failed"]);
    expect(server.wire.ended).toBe(true);
    expect(server.connection.request(GET, sink)).toBeUndefined();
  });

  test("a first frame other than SETTINGS", () => {
    const fresh = new ScriptedServer();
    fresh.frames();
    fresh.frame(f.PING, 0, 0, Buffer.alloc(8));
    expect(fresh.heard()).toEqual([`GOAWAY 0 ${f.PROTOCOL_ERROR}`]);
  });

  test("HTTP/1.1", () => {
    const fresh = new ScriptedServer();
    fresh.frames();
    fresh.bytes(Buffer.from("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
    expect(fresh.heard()).toHaveLength(1);
    expect(fresh.wire.ended).toBe(true);
  });

  test("frames on a stream that has ended", () => {
    server.sendQuietly(sink);
    server.head(1, f.END_STREAM, OK);
    server.data(1, 0, "more");
    expect(server.heard()).toEqual([`GOAWAY 0 ${f.STREAM_CLOSED}`]);
  });
});

test("an owner finds the room that was reported to it", () => {
  const owner = new Owner();
  const busy = new ScriptedServer(owner).begin([[3, 1]]);
  busy.connection.request(GET, sink);
  let begun = 0;
  owner.onReleased = () => {
    if (begun < 3 && busy.connection.request(GET, sink) !== undefined) begun++;
  };
  for (const streamId of [1, 3, 5, 7]) busy.head(streamId, f.END_STREAM, OK);
  expect([begun, busy.connection.requests]).toEqual([3, 4]);
});

describe("memory that runs out", () => {
  class Poor extends Owner {
    override readonly buffers = new BufferPool({ bufferSize: 1024, bufferCount: 1, reserve: 0 });
  }

  test("for a body that waits for its window ends that request alone, and is not the server's fault", () => {
    const poor = new ScriptedServer(new Poor()).begin();
    const other = new Sink();
    poor.send(other);
    const stream = poor.send(sink, POST);
    expect(stream.data(Buffer.alloc(65_535 + 2000))).toBe(false);
    expect(sink.errors.map(({ code }) => code)).toEqual(["overloaded"]);
    expect([other.errors, poor.connection.isOpen]).toEqual([[], true]);
  });

  test("for data that the socket does not accept ends all requests, and is not the server's fault", () => {
    const poor = new ScriptedServer(new Poor()).begin();
    const other = new Sink();
    poor.send(other);
    poor.wire.takes = [0, 0, 0];
    poor.send(sink, POST).data(Buffer.alloc(4000));
    poor.frames();
    poor.owner.clock.advance(100);
    expect([...sink.errors, ...other.errors].map(({ code }) => code)).toEqual(["overloaded", "overloaded"]);
  });
});

test("until the server has announced how many requests it takes, there is room for one, and then its owner is called", () => {
  const fresh = new ScriptedServer();
  expect([fresh.connection.room, fresh.connection.knowsRoom]).toEqual([1, false]);
  fresh.send(sink);
  expect([fresh.connection.room, fresh.owner.releases]).toEqual([0, 0]);
  fresh.settings([[3, 1]]);
  // This connection has no more room, but its owner can now open others.
  expect([fresh.connection.room, fresh.connection.knowsRoom, fresh.owner.releases]).toEqual([0, true, 1]);
  fresh.settings([[3, 2]]);
  fresh.settings([[3, 2]]);
  expect([fresh.connection.room, fresh.owner.releases]).toEqual([1, 2]);
  fresh.head(1, f.END_STREAM, OK);
  expect(fresh.connection.room).toBe(2);
  expect(fresh.owner.releases).toBeGreaterThan(1);
});

test("a server that goes silent within a field section gets no more requests on that connection", () => {
  const stream = server.send(sink);
  server.frame(f.HEADERS, 0, 1, Buffer.from([0x88]));
  stream.timedOut();
  expect([server.connection.isRetired, server.owner.retirements]).toEqual([true, 1]);
});

test("a server that completes its responses does not cause a flood error, whatever it sends in between", () => {
  for (let i = 0; i < 1200; i++) {
    const { streamId } = server.sendQuietly(sink);
    for (let n = 0; n < 10; n++) server.frame(f.PING, 0, 0, Buffer.alloc(8));
    server.head(streamId, f.END_STREAM, OK);
  }
  expect([server.connection.isOpen, sink.ends.length]).toEqual([true, 1200]);
});

/** Begins a request and sends two blocks in response. Returns the fields of head and trailers. */
function responded(streamId: number, first: Buffer, last: Buffer): string[] {
  const each = new Sink();
  server.send(each);
  server.frame(f.HEADERS, f.END_HEADERS, streamId, first);
  server.frame(f.HEADERS, f.END_HEADERS | f.END_STREAM, streamId, last);
  // The gateway adds a Date if the response has no Date.
  return [each.heads[0]?.fields.replace(/Date: .*\r\n/, "") ?? "", each.ends[0] ?? ""];
}

test("repeated heads and trailers are those of each response, until the table changes", () => {
  const [encoder, huffman] = [new IndexingEncoder(), false];
  const encode = (...fields: [name: string, value: string][]): Buffer =>
    encoder.block(fields.map(([name, value]) => ({ name, value, as: "indexed", huffman })));
  const head = (): Buffer => encode([":status", "200"], ["date", "x"], ["x-a", "1"]);
  const trailers = (): Buffer => encode(["x-sum", "2"]);
  const heard = [1, 3, 5].map((streamId) => responded(streamId, head(), trailers()));
  const [again, end] = [head(), trailers()];
  heard.push(
    responded(7, encode([":status", "200"], ["date", "x"], ["x-b", "3"]), trailers()),
    responded(9, again, end),
  );
  const same = ["date: x\r\nx-a: 1\r\n", "x-sum: 2\r\n"];
  // After one more entry, each index stands for the entry before.
  const shifted = ["x-a: 1\r\nx-sum: 2\r\n", "x-b: 3\r\n"];
  expect(heard).toEqual([same, same, same, ["date: x\r\nx-b: 3\r\n", "x-sum: 2\r\n"], shifted]);
});
