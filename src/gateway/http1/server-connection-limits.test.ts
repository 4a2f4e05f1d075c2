/** Limits of a client's connection: in bytes, in time, and for clients that do not read or that leave. */
import { beforeEach, expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { Http1ServerConnection } from "./server-connection.ts";
import { GET, Host, POST, reply, SETTINGS, Sink } from "./testing/server-peers.ts";

let host: Host;
let wire: FakeWire;
let connection: Http1ServerConnection;

beforeEach(() => {
  host = new Host();
  wire = new FakeWire();
  connection = new Http1ServerConnection(wire, host);
  wire.onClose = () => connection.onClose();
});

function arrive(text: string): void {
  connection.onData(Buffer.from(text, "latin1"));
}

/** The latest exchange. */
function last(): Exchange {
  const exchange = host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("no exchange");
  return exchange;
}

/** A head of this many bytes. */
function headOf(length: number): string {
  const rest = "GET / HTTP/1.1\r\nHost: h\r\nA: \r\n\r\n".length;
  return `GET / HTTP/1.1\r\nHost: h\r\nA: ${"b".repeat(length - rest)}\r\n\r\n`;
}

test("a head may be as long as its limit, and one more byte is refused", () => {
  host.onExchange = (exchange) => reply(exchange);
  for (const [extra, isServed] of [
    [0, true],
    [1, false],
  ] as const) {
    // An empty line before the head does not count.
    for (const before of ["", "\r\n"]) {
      const one = new FakeWire();
      const text = before + headOf(SETTINGS.maxHeaderBytes + extra);
      new Http1ServerConnection(one, host).onData(Buffer.from(text, "latin1"));
      expect(one.text).toStartWith(isServed ? "HTTP/1.1 200 " : "HTTP/1.1 431 ");
    }
  }
  expect(host.exchanges).toHaveLength(2);
});

test("while a request is served, reading is paused after the next one, and continues with it", () => {
  arrive(GET);
  expect(wire.paused).toBe(false);
  arrive(GET);
  expect([host.exchanges.length, wire.paused]).toEqual([1, true]);
  reply(last());
  sendGathered();
  expect([host.exchanges.length, wire.paused]).toEqual([2, false]);
  arrive(GET);
  connection.drain();
  reply(last());
  // The gateway must notice the client's FIN.
  expect([host.exchanges.length, wire.paused, wire.ended]).toEqual([2, false, true]);
});

test.each([
  [65_536, "", false],
  [65_537, "", true],
  [5, "Expect: 100-continue\r\n", true],
])("a response before a body of %p bytes with %p closes the connection: %p", (length, extra, closes) => {
  host.onExchange = (exchange) => reply(exchange);
  arrive(`POST /b HTTP/1.1\r\nHost: h\r\n${extra}Content-Length: ${length}\r\n\r\n`);
  expect([wire.text.includes("Connection: close\r\n"), wire.ended]).toEqual([closes, closes]);
  connection.onData(Buffer.alloc(length));
  arrive(GET);
  expect(host.exchanges).toHaveLength(closes ? 1 : 2);
});

test("a request without a body has no timeout of its own, and its connection is idle after its response", () => {
  arrive(GET);
  host.clock.advance(SETTINGS.idleMs * 3);
  expect([wire.closed, connection.idleSince]).toEqual([false, Number.POSITIVE_INFINITY]);
  const now = host.clock.now();
  reply(last());
  expect(Math.abs(connection.idleSince - now)).toBeLessThan(1000);
  host.clock.advance(SETTINGS.idleMs - 1000);
  expect(wire.closed).toBe(false);
  host.clock.advance(2000);
  expect([wire.closed, wire.cut]).toEqual([true, false]);
});

test("a client that leaves during a response is disconnected, and one that leaves between requests is closed", () => {
  arrive(GET);
  connection.onEnd();
  expect([wire.closed, wire.cut, last().gone]).toEqual([true, true, true]);
  const idle = new FakeWire();
  const second = new Http1ServerConnection(idle, host);
  second.onEnd();
  expect([idle.ended, idle.cut]).toEqual([true, false]);
});

test("a client that has ended its side gets no further request served, also if its socket closes later", () => {
  wire.onClose = undefined;
  arrive(GET + GET);
  connection.onEnd();
  expect(wire.cut).toBe(true);
  reply(last());
  expect(host.exchanges).toHaveLength(1);
  connection.onClose();
  expect(host.closedCount).toBe(1);
});

test("the next requests of a client that does not read its response wait until it has read", () => {
  wire.takes = [10];
  arrive(GET);
  reply(last());
  sendGathered();
  arrive(GET);
  expect([host.exchanges.length, wire.paused]).toEqual([1, true]);
  connection.onDrain();
  expect([host.exchanges.length, wire.paused]).toEqual([2, false]);
});

test("a response during a drain, or one that ends by closing, is the last one of the connection", () => {
  host.isDraining = true;
  arrive(GET);
  reply(last());
  expect([wire.text.includes("Connection: close\r\n"), wire.ended]).toEqual([true, true]);
  host.isDraining = false;
  const old = new FakeWire();
  new Http1ServerConnection(old, host).onData(Buffer.from("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  last().response.start({ status: 200, reason: "OK", fields: "", bodyLength: -1 });
  last().response.end("");
  sendGathered();
  expect([old.text, old.ended]).toEqual(["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", true]);
});

test("a body's time runs only while it is read, a pause within a pause changes nothing, and a closed connection has no time limit", () => {
  host.onExchange = (exchange) => exchange.body.readTo(new Sink());
  arrive(POST("12345").slice(0, -2));
  host.clock.advance(20);
  last().body.pause();
  host.clock.advance(500);
  last().body.pause();
  last().body.resume();
  expect(connection.due - host.wheel.now()).toBe(SETTINGS.bodyMs - 20);
  last().body.pause();
  const { body } = last();
  wire.terminate();
  body.resume();
  expect([connection.due, wire.paused]).toEqual([Number.POSITIVE_INFINITY, true]);
});

test("a client that ends its side after a response has received it", () => {
  const told: boolean[] = [];
  arrive(GET);
  last().onTaken = (taken) => told.push(taken);
  reply(last());
  sendGathered();
  expect(told).toEqual([]);
  connection.onEnd();
  expect(told).toEqual([true]);
});

test("a connection serves the next request after the arrival of a response was awaited", () => {
  const told: boolean[] = [];
  arrive(GET);
  last().onTaken = (taken) => told.push(taken);
  reply(last());
  sendGathered();
  host.clock.advance(1000);
  expect([told, wire.ended]).toEqual([[true], false]);
  arrive(GET);
  expect(host.exchanges).toHaveLength(2);
});

test("a client whose response is cut off has not left", () => {
  const events: string[] = [];
  arrive(GET);
  const exchange = last();
  exchange.onGone = () => events.push("gone");
  exchange.onFinish = () => events.push("finished");
  exchange.response.start({ status: 200, reason: "OK", fields: "", bodyLength: 2 });
  exchange.response.abort(new TurnpikeError("upstream-failed", "reset"));
  expect([wire.cut, host.closedCount, exchange.gone, events]).toEqual([true, 1, false, ["finished"]]);
});

test("a connection that waits for the acknowledgement of its last response closes when the client ends its side", () => {
  arrive("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  last().onTaken = () => {};
  reply(last());
  sendGathered();
  expect(wire.ended).toBe(false);
  connection.onEnd();
  expect(wire.ended).toBe(true);
});

test("a client that does not read its response, and whose next requests get no memory, is closed after it has read", () => {
  const poor = Object.assign(new Host(), {
    buffers: new BufferPool({ bufferSize: 16_384, bufferCount: 1, reserve: 0 }),
    onExchange: (exchange: Exchange) => reply(exchange),
  });
  connection = new Http1ServerConnection(wire, poor);
  wire.takes = [10];
  arrive(GET);
  sendGathered();
  arrive(GET);
  expect([poor.exchanges.length, wire.ended]).toEqual([1, false]);
  connection.onDrain();
  expect([wire.text.endsWith("ok"), poor.exchanges.length, wire.ended]).toEqual([true, 1, true]);
});

test("a response before the rest of a chunked body closes the connection, and one before a short body does not", () => {
  arrive("POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe");
  reply(last());
  sendGathered();
  // The rest has no known length.
  expect(wire.ended).toBe(true);
  const next = new FakeWire();
  connection = new Http1ServerConnection(next, host);
  arrive(POST("12345").slice(0, -2));
  reply(last());
  connection.onData(Buffer.from(`45${GET}`));
  expect([host.exchanges.length, next.ended]).toEqual([3, false]);
});

test("a body that breaks while its request is served closes the connection only after the response", () => {
  const sink = new Sink();
  host.onExchange = (exchange) => exchange.body.readTo(sink);
  arrive("POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  expect([sink.errors.map(({ code }) => code), wire.ended]).toEqual([["bad-request"], false]);
  arrive(GET);
  reply(last());
  expect([wire.text.endsWith("\r\n\r\nok"), wire.ended, host.exchanges.length]).toEqual([true, true, 1]);
});

test("the last response of a connection is sent completely to a client that reads slowly", () => {
  wire.takes = [10];
  arrive("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  reply(last());
  expect([wire.text.length, wire.ended, wire.closed]).toEqual([10, false, false]);
  connection.onDrain();
  expect([wire.text.endsWith("\r\n\r\nok"), wire.ended, wire.closed]).toEqual([true, true, false]);
});

test("a drain does not ask a request to end that ends by itself", () => {
  arrive(GET);
  last().onGoAway = () => {
    throw new Error("only a stream without an end is asked to end");
  };
  connection.drain();
  expect(wire.ended).toBe(false);
  reply(last());
  expect(wire.ended).toBe(true);
});

test("a client that leaves before its body has a reader frees the memory of the body", () => {
  arrive(POST("12345").slice(0, -2));
  expect(host.buffers.used).toBeGreaterThan(0);
  wire.terminate();
  expect(host.buffers.used).toBe(0);
});

test("a client whose next requests get no memory receives the response to the current one first", () => {
  const poor = Object.assign(new Host(), {
    buffers: new BufferPool({ bufferSize: 16_384, bufferCount: 1, reserve: 0 }),
  });
  connection = new Http1ServerConnection(wire, poor);
  arrive(GET);
  connection.onData(Buffer.from(new ArrayBuffer(40_000)));
  expect([wire.ended, wire.cut]).toEqual([false, false]);
  const [exchange] = poor.exchanges;
  if (exchange !== undefined) reply(exchange);
  expect([wire.text.endsWith("\r\n\r\nok"), wire.ended, wire.cut]).toEqual([true, true, false]);
});
