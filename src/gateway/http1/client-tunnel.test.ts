import { beforeEach, expect, test } from "bun:test";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { ClientTunnel } from "./client-tunnel.ts";
import { Sink } from "./testing/client-peers.ts";

let wire: FakeWire;
let sink: Sink;
let gone: number;
let tunnel: ClientTunnel;

beforeEach(() => {
  wire = new FakeWire();
  sink = new Sink();
  gone = 0;
  const wheel = new TimerWheel(new FakeClock());
  tunnel = new ClientTunnel(wire, sink, { wheel, buffers: plentyOfBuffers(), writeMs: 1000, onGone: () => gone++ });
  wire.onClose = () => tunnel.onClose();
});

function send(text: string): boolean {
  const taken = tunnel.data(Buffer.from(text), 0, text.length);
  tunnel.onDrain();
  return taken;
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
  expect(tunnel.data(Buffer.from("all"), 0, 3)).toBe(true);
  wire.takes = [1, 1];
  expect(tunnel.data(Buffer.from("some"), 0, 4)).toBe(false);
  tunnel.onDrain();
  expect([wire.text, sendable]).toEqual(["allso", 0]);
  tunnel.onDrain();
  expect([wire.text, sendable]).toEqual(["allsome", 1]);
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

test("a connection that closes while this side still sends is a failure", () => {
  send("abc");
  wire.close();
  expect([sink.ends, sink.errors.map(({ code }) => code)]).toEqual([[], ["upstream-failed"]]);
});
