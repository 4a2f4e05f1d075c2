import { beforeEach, expect, test } from "bun:test";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { ClientTunnel } from "./client-tunnel.ts";
import { Sink } from "./testing/client-peers.ts";

let wire: FakeWire;
let sink: Sink;
let gone: number;
let clock: FakeClock;
let tunnel: ClientTunnel;

beforeEach(() => open());

function open(buffers = plentyOfBuffers()): void {
  wire = new FakeWire();
  sink = new Sink();
  gone = 0;
  clock = new FakeClock();
  tunnel = new ClientTunnel(wire, sink, { wheel: new TimerWheel(clock), buffers, writeMs: 1000, onGone: () => gone++ });
  wire.onClose = () => tunnel.onClose();
}

/** Sends a text at the end of a turn of the event loop. */
function send(text: string): void {
  tunnel.data(Buffer.from(text), 0, text.length);
  sendGathered();
}

test.each(["end", "close"] as const)("after %s the upstream gets the bytes sent before, and no more", (how) => {
  wire.takes = [2, 0, 0];
  tunnel.data(Buffer.from("abcd"), 0, 4);
  tunnel[how]();
  expect([wire.text, wire.ended, wire.closed]).toEqual(["ab", false, false]);
  expect(tunnel.data(Buffer.from("ef"), 0, 2)).toBe(true);
  while (wire.takes.length > 0) tunnel.onDrain();
  tunnel.onDrain();
  expect([wire.text, wire.ended, wire.closed]).toEqual(["abcd", true, how === "close"]);
  expect(gone).toBe(how === "close" ? 1 : 0);
});

test("a sender waits while bytes wait for the socket, and goes on when it has taken them", () => {
  let sendable = 0;
  tunnel.onSendable = () => sendable++;
  send("all");
  wire.takes = [1, 1];
  send("some");
  expect(tunnel.data(Buffer.from("!"), 0, 1)).toBe(false);
  tunnel.onDrain();
  expect([wire.text, sendable]).toEqual(["allso", 0]);
  tunnel.onDrain();
  expect([wire.text, sendable]).toEqual(["allsome!", 1]);
});

test("an end is sent once", () => {
  let ends = 0;
  wire.shutdown = () => ends++;
  tunnel.end();
  tunnel.end();
  expect(ends).toBe(1);
});

test("a connection that closes after this side's end has ended; one that closes before it has failed", () => {
  tunnel.end();
  wire.close();
  expect([sink.ends, sink.errors]).toEqual([[""], []]);
});

test("a connection that closes while this side still sends is a failure, and frees the memory of what waits", () => {
  const pool = new BufferPool({ bufferSize: 16_384, bufferCount: 4, reserve: 0 });
  open(pool);
  wire.takes = [1, 0];
  send("abc");
  expect(pool.used).toBeGreaterThan(0);
  wire.close();
  expect([sink.ends, sink.errors.map(({ code }) => code)]).toEqual([[], ["upstream-failed"]]);
  expect(pool.used).toBe(0);
});

test("an upstream that reads slowly keeps the tunnel, and one that stops reading breaks it", () => {
  wire.takes = [0, 1, 1, 1, 0, 0];
  send("abcdef");
  for (let i = 0; i < 3; i++) {
    clock.advance(900);
    tunnel.onDrain();
  }
  expect([wire.text, wire.closed]).toEqual(["abc", false]);
  // This drain makes no progress.
  clock.advance(900);
  tunnel.onDrain();
  expect(wire.closed).toBe(false);
  clock.advance(200);
  expect([wire.cut, gone, sink.errors.map(({ code }) => code)]).toEqual([true, 1, ["upstream-timeout"]]);
});

test("a tunnel whose upstream has read everything has no time limit", () => {
  wire.takes = [1];
  send("abc");
  tunnel.onDrain();
  clock.advance(100_000);
  expect([wire.text, wire.closed]).toEqual(["abc", false]);
  tunnel.close();
  expect([tunnel.due, gone]).toEqual([Number.POSITIVE_INFINITY, 1]);
});

test("a tunnel without memory for data that waits fails as overload, at once", () => {
  const pool = new BufferPool({ bufferSize: 16_384, bufferCount: 1, reserve: 0 });
  open(pool);
  wire.takes = [0];
  expect(tunnel.data(Buffer.alloc(100_000), 0, 100_000)).toBe(false);
  clock.advance(100);
  expect([sink.errors.map(({ code }) => code), wire.cut, pool.used]).toEqual([["overloaded"], true, 0]);
});

test("a sink that is full pauses the upstream until the tunnel is resumed", () => {
  let calls: string[] = [];
  wire.pause = () => calls.push("pause");
  wire.resume = () => calls.push("resume");
  sink.room = false;
  tunnel.onData(Buffer.from("ab"));
  tunnel.onData(Buffer.from("cd"));
  expect([sink.body, calls]).toEqual(["abcd", ["pause"]]);
  tunnel.resume();
  tunnel.resume();
  expect(calls).toEqual(["pause", "resume"]);
  tunnel.pause();
  tunnel.destroy();
  calls = [];
  tunnel.resume();
  tunnel.pause();
  expect(calls).toEqual([]);
});

test("parts of reads in the same turn are sent together", () => {
  wire.takes = [10, 10];
  tunnel.data(Buffer.from("abcd"), 1, 3);
  tunnel.data(Buffer.from("abcd"), 3, 4);
  expect(wire.takes.length).toBe(2);
  expect([wire.text, wire.takes.length]).toEqual(["bcd", 1]);
});

test("the upstream's end reaches the sink once, and this side may still send", () => {
  tunnel.receive(Buffer.from("xxlast"), 2);
  tunnel.onEnd();
  tunnel.receive(Buffer.from("no"), 0);
  expect([sink.body, sink.ends, wire.ended]).toEqual(["last", [""], false]);
  send("reply");
  tunnel.end();
  wire.close();
  wire.close();
  tunnel.onClose();
  expect([wire.text, sink.ends, sink.errors, gone]).toEqual(["reply", [""], [], 1]);
});

test.each(["close", "destroy"] as const)("after %s, the sink receives nothing", (how) => {
  wire.takes = [0];
  tunnel.data(Buffer.from("abc"), 0, 3);
  tunnel[how]();
  tunnel.onData(Buffer.from("late"));
  tunnel.onEnd();
  wire.close();
  clock.advance(5000);
  expect([sink.body, sink.ends, sink.errors, gone, wire.cut]).toEqual(["", [], [], 1, how === "destroy"]);
  tunnel.destroy();
  tunnel.end();
  tunnel.close();
  expect([tunnel.data(Buffer.from("no"), 0, 2), gone]).toEqual([true, 1]);
});
