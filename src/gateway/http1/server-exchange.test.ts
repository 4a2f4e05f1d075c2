import { beforeEach, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TurnpikeError } from "../../lib/errors.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type Exchange, type HeadChanges, type ResponseHead } from "../exchange/exchange.ts";
import { changedHead } from "../exchange/exchange-state.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { Http1ServerConnection } from "./server-connection.ts";
import { HANDSHAKE, Host, reply } from "./testing/server-peers.ts";

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
  sendGathered();
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
  expect(exchange.response.data(Buffer.from("ok"))).toBe(true);
  exchange.response.end("");
  sendGathered();
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
    sendGathered();
    if (response.keepsNoChunk === true) chunk.fill(0);
    return response.keepsNoChunk === false;
  });
  while (response.keepsNoChunk === false) connection.onDrain();
  response.end("");
  sendGathered();
  expect(kept).toEqual([false, true, true, true, true]);
  expect(
    wire.text
      .split("\r\n")
      .filter((line) => /^z*$/.test(line) && line !== "")
      .map((line) => line.length),
  ).toEqual(sizes);
  expect(wire.text).not.toContain("\0");
});

/** Adds a line with this name behind the fields. */
function adding(name: string): HeadChanges {
  const fieldsOf = (head: ResponseHead): string => `${head.fields}${name}: 1\r\n`;
  return {
    applyToHead: (head) => changedHead(head, { fields: fieldsOf(head) }),
    addTo: (pieces: TextPieces, head) => pieces.add(fieldsOf(head)),
  };
}

test("a final head takes the changes of two policies, those of the first one last", () => {
  for (const [names, lines] of [
    [["A"], "A: 1\r\n"],
    [["A", "B"], "B: 1\r\nA: 1\r\n"],
  ] as const) {
    wire = new FakeWire();
    const exchange = ask();
    for (const name of names) expect(exchange.changeHead?.(adding(name))).toBe(true);
    if (names.length === 2) expect(exchange.changeHead?.(adding("C"))).toBe(false);
    exchange.response.start({ status: 200, reason: "", fields: "X: 1\r\n", bodyLength: 0 });
    sendGathered();
    expect(wire.text).toBe(`HTTP/1.1 200 OK\r\nX: 1\r\n${lines}Content-Length: 0\r\n\r\n`);
  }
});

test("a policy behind the sink of another one cannot change the head without a sink", () => {
  const exchange = ask();
  const { response } = exchange;
  exchange.response = { start: (head) => response.start(head), data: () => true, end() {}, abort() {} };
  expect(exchange.changeHead?.(adding("A"))).toBe(false);
  exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: 0 });
  sendGathered();
  expect(wire.text).toBe("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
});

test("what a connection keeps about its client is there for its next request", () => {
  const host = new Host();
  const connection = new Http1ServerConnection(wire, host);
  const clientLines = { authority: "h", host: "", serviceName: "", tellsClient: true, lines: "X: 1\r\n" };
  for (const known of [undefined, clientLines]) {
    connection.onData(Buffer.from("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    const exchange = host.exchanges.at(-1);
    if (exchange === undefined) throw new Error("no exchange");
    expect(exchange.clientLines).toBe(known);
    exchange.clientLines = clientLines;
    reply(exchange);
  }
});

test.each([
  ["GET / HTTP/1.1", 103, "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"],
  // RFC 9110 §15.2: HTTP/1.0 has no interim responses.
  ["GET / HTTP/1.0", 103, ""],
  ["GET / HTTP/1.1", 101, ""],
])("the head of %p with the interim status %p is sent as %p, and the final one follows", (start, status, text) => {
  const exchange = ask(start);
  exchange.response.start({ status, reason: "", fields: "A: b\r\n", bodyLength: -1 });
  sendGathered();
  expect([wire.text, exchange.started, exchange.status]).toEqual([text, false, 0]);
  reply(exchange);
  sendGathered();
  expect(wire.text.slice(text.length)).toStartWith("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n");
  expect([exchange.started, exchange.status]).toEqual([true, 200]);
});

test("a 426 names the protocol that the client can upgrade to, if the client asked for an upgrade", () => {
  for (const [request, status, isNamed] of [
    [HANDSHAKE, 426, true],
    [HANDSHAKE, 400, false],
    ["GET / HTTP/1.1\r\nHost: h\r\n\r\n", 426, false],
  ] as const) {
    wire = new FakeWire();
    const host = new Host();
    new Http1ServerConnection(wire, host).onData(Buffer.from(request));
    host.exchanges[0]?.response.start({ status, reason: "", fields: "", bodyLength: 0 });
    sendGathered();
    expect(wire.text.includes("Connection: upgrade\r\nUpgrade: websocket\r\n")).toBe(isNamed);
  }
});

test("fields of the gateway and the request id follow the fields of the response", () => {
  const exchange = ask();
  exchange.addedFields = "Added: 1\r\n";
  exchange.sendsRequestId = true;
  exchange.response.start({ status: 204, reason: "", fields: "A: b\r\n", bodyLength: 0 });
  sendGathered();
  expect(wire.text).toBe(`HTTP/1.1 204 No Content\r\nA: b\r\nX-Request-Id: ${exchange.id}\r\nAdded: 1\r\n\r\n`);
});

test.each([9, -1])(
  "a sender of a body of length %p learns if the socket takes no more, with no data too",
  (bodyLength) => {
    const host = new Host();
    const connection = new Http1ServerConnection(wire, host);
    connection.onData(Buffer.from("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    const response = host.exchanges[0]?.response;
    if (response === undefined) throw new Error("no exchange");
    response.start({ status: 200, reason: "", fields: "", bodyLength });
    expect([response.data(Buffer.from("abc")), response.data(Buffer.alloc(0))]).toEqual([true, true]);
    wire.takes = [1];
    sendGathered();
    expect([response.data(Buffer.from("def")), response.data(Buffer.alloc(0))]).toEqual([false, false]);
    connection.onDrain();
    expect([response.data(Buffer.from("ghi")), response.data(Buffer.alloc(0))]).toEqual([true, true]);
    response.end("");
    sendGathered();
    const body = bodyLength === 9 ? "abcdefghi" : "3\r\nabc\r\n3\r\ndef\r\n3\r\nghi\r\n0\r\n\r\n";
    expect(wire.text.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toBe(body);
  },
);

test("an exchange that has ended sends nothing more", () => {
  const exchange = ask();
  reply(exchange);
  sendGathered();
  const { text } = wire;
  const { response } = exchange;
  response.start({ status: 200, reason: "", fields: "", bodyLength: 2 });
  expect(response.data(Buffer.from("no"))).toBe(true);
  expect(response.sendFile?.(0, 0, 1)).toBe(0);
  response.end("");
  response.abort(new TurnpikeError("upstream-failed", "late"));
  sendGathered();
  expect([wire.text, wire.closed, exchange.bytesSent, exchange.truncated]).toEqual([text, false, 2, ""]);
});

test("a file is sent as far as the response has room for it, and only if no chunks frame it", () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-exchange-"));
  writeFileSync(join(folder, "file"), "0123456789");
  const file = openSync(join(folder, "file"), "r");
  // The system sends a file into a file too.
  const into = openSync(join(folder, "into"), "w");
  try {
    Object.assign(wire, { fd: into });
    const { response } = ask();
    response.start({ status: 200, reason: "", fields: "", bodyLength: 6 });
    expect(() => response.sendFile?.(file, 0, 7)).toThrow("exceeds the announced Content-Length");
    expect(response.sendFile?.(file, 1, 4)).toBe(4);
    expect(() => response.sendFile?.(file, 5, 3)).toThrow("exceeds the announced Content-Length");
    expect(response.sendFile?.(file, 5, 2)).toBe(2);
    response.end("");
    expect([readFileSync(join(folder, "into"), "latin1"), wire.text.endsWith("\r\n\r\n")]).toEqual(["123456", true]);
    wire = Object.assign(new FakeWire(), { fd: into });
    const exchange = ask();
    exchange.response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
    expect([exchange.response.sendFile?.(file, 0, 1), exchange.bytesSent]).toEqual([0, 0]);
  } finally {
    closeSync(file);
    closeSync(into);
    rmSync(folder, { recursive: true });
  }
});

test("a response that is cut off closes the connection with a reset, and the log has the reason", () => {
  const exchange = ask();
  const { response } = exchange;
  const told: boolean[] = [];
  exchange.onTaken = (taken) => told.push(taken);
  response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
  response.data(Buffer.from("part"));
  response.abort(new TurnpikeError("upstream-timeout", "slow"));
  expect(told).toEqual([false]);
  expect([wire.text.endsWith("4\r\npart\r\n"), wire.cut, exchange.truncated]).toEqual([true, true, "upstream-timeout"]);
});
