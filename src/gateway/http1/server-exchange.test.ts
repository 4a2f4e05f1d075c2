import { beforeEach, expect, test } from "bun:test";
import { type Exchange } from "../exchange/exchange.ts";
import { flushCork } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { Http1ServerConnection } from "./server-connection.ts";
import { Host } from "./testing/server-peers.ts";

let wire: FakeWire;

beforeEach(() => {
  wire = new FakeWire();
});

/** The exchange of a request on a new connection. */
function ask(start = "GET / HTTP/1.1"): Exchange {
  const host = new Host();
  new Http1ServerConnection(wire, host).onData(Buffer.from(`${start}\r\nHost: h\r\nConnection: keep-alive\r\n\r\n`));
  const [exchange] = host.exchanges;
  if (exchange === undefined) throw new Error("no exchange");
  return exchange;
}

test.each([
  [200, "OK", "200 OK"],
  [200, "", "200 OK"],
  [200, "Fine", "200 Fine"],
  [201, "OK", "201 OK"],
  [404, "", "404 Not Found"],
  [599, "", "599 "],
])("%p with the reason %p has the status line %p", (status, reason, line) => {
  ask().response.start({ status, reason, fields: "", bodyLength: 0 });
  flushCork();
  expect(wire.text).toStartWith(`HTTP/1.1 ${line}\r\n`);
});

test.each([
  ["GET / HTTP/1.1", 200, 2, "Content-Length: 2\r\n\r\nok"],
  ["GET / HTTP/1.1", 200, -1, "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
  ["GET / HTTP/1.0", 200, -1, "Connection: close\r\n\r\nok"],
  ["GET / HTTP/1.0", 200, 2, "Content-Length: 2\r\nConnection: keep-alive\r\n\r\nok"],
  ["HEAD / HTTP/1.1", 200, 2, "Content-Length: 2\r\n\r\n"],
  ["HEAD / HTTP/1.1", 200, -1, "\r\n"],
  ["HEAD / HTTP/1.1", 204, 2, "\r\n"],
  ["GET / HTTP/1.1", 304, 2, "Content-Length: 2\r\n\r\n"],
  ["GET / HTTP/1.1", 204, 0, "\r\n"],
])("the response to %p with %p and a length of %p is framed as %p", (start, status, bodyLength, rest) => {
  const exchange = ask(start);
  exchange.response.start({ status, reason: "x", fields: "", bodyLength });
  exchange.response.data(Buffer.from("ok"));
  exchange.response.end("");
  flushCork();
  expect(wire.text).toBe(`HTTP/1.1 ${status} x\r\n${rest}`);
  expect(exchange.bytesSent).toBe(rest.includes("ok") ? 2 : 0);
});

test("a body may not be longer than announced, and a shorter one aborts the connection", () => {
  const { response } = ask();
  response.start({ status: 200, reason: "", fields: "", bodyLength: 2 });
  response.data(Buffer.from("o"));
  expect(() => response.data(Buffer.from("ok"))).toThrow("exceeds the announced Content-Length");
  wire = new FakeWire();
  const short = ask();
  short.response.start({ status: 200, reason: "", fields: "", bodyLength: 2 });
  short.response.data(Buffer.from("o"));
  short.response.end("");
  expect([wire.closed, wire.cut, wire.text.endsWith("\r\n\r\no")]).toEqual([true, true, true]);
});

test("bytes of which the exchange keeps no chunk may change, at a socket that takes few bytes too", () => {
  const host = new Host();
  const connection = new Http1ServerConnection(wire, host);
  connection.onData(Buffer.from("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  const [exchange] = host.exchanges;
  if (exchange === undefined) throw new Error("no exchange");
  const { response } = exchange;
  const sizes = [10, 120_000, 40_000, 10, 120_000];
  response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
  wire.takes = [500, 70_000, 10_000];
  const kept = sizes.map((size) => {
    const chunk = Buffer.alloc(size, "z");
    response.data(chunk);
    flushCork();
    if (response.keepsNoChunk === true) chunk.fill(0);
    return response.keepsNoChunk === false;
  });
  while (response.keepsNoChunk === false) connection.onDrain();
  response.end("");
  flushCork();
  expect(kept).toEqual([false, true, true, true, true]);
  expect(
    wire.text
      .split("\r\n")
      .filter((line) => /^z*$/.test(line) && line !== "")
      .map((line) => line.length),
  ).toEqual(sizes);
  expect(wire.text).not.toContain("\0");
});
