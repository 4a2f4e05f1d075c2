import { expect, test } from "bun:test";
import { Sink } from "./testing/server-peers.ts";
import { TunnelBytes, type TunnelSource } from "./tunnel-bytes.ts";

class Source implements TunnelSource {
  held = false;
  unread: Buffer | undefined;
  holdReading(hold: boolean): void {
    this.held = hold;
  }
  keepUnread(bytes: Buffer): void {
    this.unread = bytes;
  }
  takeUnread(): Buffer | undefined {
    this.held = false;
    return this.unread;
  }
}

test("after its 101 a tunnel reads nothing until it has a reader, which also gets earlier bytes", () => {
  const source = new Source();
  const tunnel = new TunnelBytes(source);
  tunnel.receive(Buffer.from("early"));
  tunnel.open();
  expect([source.held, tunnel.received]).toEqual([true, 0]);
  const sink = new Sink();
  tunnel.readTo(sink);
  expect([source.held, sink.text, tunnel.received, sink.ended]).toEqual([false, "early", 5, false]);
  sink.onData = () => false;
  tunnel.receive(Buffer.from("more"));
  expect([source.held, sink.text, tunnel.received]).toEqual([true, "earlymore", 9]);
  tunnel.resume();
  expect(source.held).toBe(false);
});

test("the end of a tunnel reaches its reader at any time, and the reader no longer controls reading", () => {
  for (const isLate of [false, true]) {
    const source = new Source();
    const tunnel = new TunnelBytes(source);
    const sink = new Sink();
    tunnel.open();
    if (!isLate) tunnel.readTo(sink);
    tunnel.receiveEnd();
    if (isLate) tunnel.readTo(sink);
    expect(sink.ended).toBe(true);
    tunnel.pause();
    expect(source.held).toBe(false);
    // Paused for another reason.
    source.held = true;
    tunnel.resume();
    expect(source.held).toBe(true);
    sink.ended = false;
    tunnel.receiveEnd();
    expect(sink.ended).toBe(false);
  }
});

test("a reader before the 101 gets an empty body, and a tunnel has one reader", () => {
  const tunnel = new TunnelBytes(new Source());
  const early = new Sink();
  tunnel.readTo(early);
  expect(early.ended).toBe(true);
  tunnel.open();
  tunnel.readTo(new Sink());
  expect(() => tunnel.readTo(new Sink())).toThrow("Cannot read a tunnel");
});
