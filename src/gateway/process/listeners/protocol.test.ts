import { expect, test } from "bun:test";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { FakeClock } from "../../../lib/testing/fake-clock.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type ServerHost, type ServerSettings } from "../../exchange/server-host.ts";
import { FakeWire } from "../../wire/testing/fake-wire.ts";
import { becomeHttp1, becomeHttp2, FirstBytes, type Successor } from "./protocol.ts";

const SETTINGS: ServerSettings = {
  maxHeaderBytes: 32_768,
  maxHeaderCount: 100,
  maxBodyBytes: 1000,
  idleMs: 1000,
  headerMs: 1000,
  bodyMs: 1000,
  writeMs: 1000,
  http2: { maxStreams: 100, maxHeaderListSize: 32_768, initialWindowSize: 65_535, maxFrameSize: 16_384 },
};

function successorOf(wire: FakeWire): { successor: Successor; became: object[]; wheel: TimerWheel } {
  const wheel = new TimerWheel(new FakeClock());
  const became: object[] = [];
  const host: ServerHost = {
    settings: () => SETTINGS,
    wheel,
    buffers: new BufferPool({ bufferSize: 65_536, bufferCount: 16, reserve: 2 }),
    draining: () => false,
    scheme: "http",
    handle() {},
    refused() {},
    closed() {},
  };
  const become: Successor["become"] = (_, connection) => {
    became.push(connection);
    wire.data = connection;
  };
  return { successor: { host, h2Only: false, become }, became, wheel };
}

test("a client that resets its connection before its address is known is not served", () => {
  for (const becomeIt of [becomeHttp1, becomeHttp2]) {
    const wire = new FakeWire();
    wire.remoteAddress = undefined;
    const { successor, became, wheel } = successorOf(wire);
    becomeIt(new FirstBytes(wire, { wheel, closed() {} }, successor), successor);
    expect([wire.closed, became]).toEqual([true, []]);
    // Behind a proxy, the client's address is known.
    const proxied = new FakeWire();
    proxied.remoteAddress = undefined;
    becomeIt(new FirstBytes(proxied, { wheel, closed() {} }, successor), {
      ...successor,
      host: { ...successor.host, peerAddress: "192.0.2.1" },
    });
    expect([proxied.closed, became.length]).toEqual([false, 1]);
  }
  for (const first of ["GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]) {
    const wire = new FakeWire();
    wire.remoteAddress = undefined;
    const { successor, became, wheel } = successorOf(wire);
    const begun = new FirstBytes(wire, { wheel, closed() {} }, successor);
    wire.data = begun;
    begun.onData(Buffer.from(first));
    expect([wire.closed, wire.text, became]).toEqual([true, "", []]);
  }
});
