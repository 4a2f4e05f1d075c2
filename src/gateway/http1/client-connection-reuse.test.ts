/**
 * The state that an upstream connection carries from one request to the next, and that it keeps when it is paused or
 * closed.
 */
import { beforeEach, expect, test } from "bun:test";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { webSocketAccept } from "../../lib/http/websocket-handshake.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { ClientConnection } from "./client-connection.ts";
import { OK, Owner, Sink } from "./testing/client-peers.ts";

let owner: Owner;
let wire: FakeWire;
let connection: ClientConnection;
let sink: Sink;

function open(): void {
  owner = new Owner();
  wire = new FakeWire();
  connection = new ClientConnection(owner);
  wire.onClose = () => connection.onClose();
  connection.attach(wire);
  sink = new Sink();
}

beforeEach(open);

function ask(method = "GET", bodyLength = 0): void {
  connection.request(method, `${method} / HTTP/1.1\r\nHost: h\r\n`, bodyLength, sink);
  sendGathered();
}

function arrive(text: string): void {
  connection.onData(Buffer.from(text, "latin1"));
}

test("the limit of interim responses applies to each request", () => {
  for (let turn = 1; turn <= 2; turn++) {
    ask();
    for (let i = 0; i < 32; i++) arrive("HTTP/1.1 103 Early Hints\r\n\r\n");
    arrive(OK(""));
    expect([sink.errors.length, owner.freed, connection.requests]).toEqual([0, turn, turn]);
  }
});

test("a 204 announces no body, and a 304 announces that of a GET", () => {
  for (const [status, length] of [
    [204, 0],
    [304, 5],
  ]) {
    open();
    ask();
    arrive(`HTTP/1.1 ${status} x\r\nContent-Length: 5\r\n\r\n`);
    expect(sink.heads[0]?.bodyLength).toBe(length);
  }
});

test("a response with Connection: close closes the connection", () => {
  ask();
  arrive(OK("hello").slice(0, -1));
  connection.closeWhenDone();
  arrive("o");
  expect([sink.ends.length, owner.freed, wire.closed]).toEqual([1, 0, true]);
});

test("a share is released once, before the connection may be used again, and when the connection is given up", () => {
  for (const finish of [() => arrive(OK("hello")), () => connection.destroy()]) {
    open();
    let given = 0;
    let before = -1;
    owner.onReleased = () => (before = given);
    ask();
    connection.share = { give: () => given++ };
    finish();
    connection.destroy();
    expect([given, before]).toEqual([1, owner.freed === 1 ? 1 : -1]);
  }
});

test("callbacks of one request are not called during the next one", () => {
  let told = 0;
  ask();
  connection.onSendable = () => told++;
  connection.timeKeeper = { timedOut: () => told++ };
  connection.waitAtMost(1000, owner.wheel.now() + 1000);
  arrive(OK("a"));
  expect(connection.heard).toBe(true);
  ask();
  expect(connection.heard).toBe(false);
  connection.onDrain();
  connection.waitAtMost(1000, owner.wheel.now() + 1000);
  owner.clock.advance(5000);
  expect([told, wire.closed]).toEqual([0, false]);
});

test("a 101 with the proof for an earlier request's key is refused", () => {
  const key = "dGhlIHNhbXBsZSBub25jZQ==";
  connection.begin("GET", 0, sink).add("GET / HTTP/1.1\r\nHost: h\r\n");
  connection.endHead("GET", 0, key);
  arrive(OK("no"));
  ask();
  arrive(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${webSocketAccept(key)}\r\n\r\n`,
  );
  expect([sink.statuses, sink.errors.map(({ code }) => code), wire.closed]).toEqual([[200], ["upstream-failed"], true]);
  expect(() => connection.takeTunnel({ data: () => true, end() {}, abort() {} }, 1000)).toThrow("there was no 101");
});

test("a complete head of 64 KiB is passed on, and a larger one is refused, however it is split", () => {
  const begun = "HTTP/1.1 200 OK\r\nDate: x\r\nContent-Length: 0\r\nA: ";
  for (const cuts of [[], [10], [65_000]]) {
    for (const extra of [0, 1]) {
      open();
      ask();
      const head = Buffer.from(`${begun}${"b".repeat(65_536 + extra - begun.length)}\r\n\r\n`);
      let at = 0;
      for (const end of [...cuts, head.length]) {
        connection.onData(head.subarray(at, end));
        at = end;
      }
      expect([sink.heads.length, sink.errors.length, owner.freed]).toEqual(extra === 0 ? [1, 0, 1] : [0, 1, 0]);
    }
  }
});

test("an unfinished head of 64 KiB is refused", () => {
  ask();
  const begun = "HTTP/1.1 200 OK\r\nA: ";
  arrive(begun + "b".repeat(65_536 - begun.length));
  expect(sink.errors).toEqual([]);
  arrive("b");
  expect(sink.errors.map(({ message }) => message)).toEqual(["the upstream's response head is too large"]);
});

test("malformed trailers abort the response", () => {
  ask();
  arrive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n");
  expect([sink.ends, sink.errors.map(({ message }) => message)]).toEqual([[], ["malformed trailers"]]);
});

test("a request body without memory fails as overload, not as a failure of the upstream", () => {
  const pool = new BufferPool({ bufferSize: 16_384, bufferCount: 1, reserve: 0 });
  connection = new ClientConnection({ wheel: owner.wheel, buffers: pool, released() {}, closed() {} });
  connection.attach(wire);
  connection.waitAtMost(1000, owner.wheel.now() + 100_000);
  ask("POST", 300_000);
  wire.takes = [0];
  connection.data(Buffer.alloc(100_000));
  owner.clock.advance(300);
  expect([sink.errors.map(({ code }) => code), wire.closed, pool.used]).toEqual([["overloaded"], true, 0]);
});

test("resuming restarts the idle time only if the connection was paused", () => {
  let timeouts = 0;
  ask();
  connection.timeKeeper = { timedOut: () => timeouts++ };
  connection.waitAtMost(1000, owner.wheel.now() + 100_000);
  owner.clock.advance(900);
  connection.resume();
  owner.clock.advance(200);
  expect(timeouts).toBe(1);
});

test("a response whose sink is full at its end leaves the connection reading, and without a deadline", () => {
  ask();
  connection.waitAtMost(1000, owner.wheel.now() + 100_000);
  sink.room = false;
  arrive(OK("hello"));
  expect([connection.due, wire.paused, owner.freed]).toEqual([Number.POSITIVE_INFINITY, false, 1]);
});

test("a sender waits until the socket has taken everything, and is not called after the connection has closed", () => {
  let told = 0;
  ask("POST", 300_000);
  connection.onSendable = () => told++;
  wire.takes = [0, 10, 10];
  connection.data(Buffer.alloc(200_000));
  connection.onDrain();
  connection.onDrain();
  expect(told).toBe(0);
  connection.onDrain();
  expect(told).toBe(1);
  wire.takes = [0];
  connection.data(Buffer.alloc(100_000));
  connection.destroy();
  connection.onDrain();
  expect([told, connection.due]).toEqual([1, Number.POSITIVE_INFINITY]);
});

test("a drain of the socket restarts the time of a silent upstream only if it took bytes", () => {
  let timeouts = 0;
  ask("POST", 300_000);
  connection.timeKeeper = { timedOut: () => timeouts++ };
  connection.waitAtMost(1000, owner.wheel.now() + 100_000);
  wire.takes = [0, 0];
  connection.data(Buffer.alloc(200_000));
  owner.clock.advance(900);
  connection.onDrain();
  owner.clock.advance(200);
  expect(timeouts).toBe(1);
});

test("a closed connection cannot be paused or resumed, and keeps no deadline and no memory", () => {
  ask("POST", 200_000);
  wire.takes = [0];
  connection.data(Buffer.alloc(200_000));
  expect(owner.buffers.used).toBeGreaterThan(0);
  connection.pause();
  connection.destroy();
  connection.resume();
  expect([wire.paused, owner.buffers.used]).toEqual([true, 0]);
  open();
  connection.destroy();
  connection.pause();
  expect([wire.paused, connection.due]).toEqual([false, Number.POSITIVE_INFINITY]);
});
