import { beforeEach, expect, test } from "bun:test";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { GOING_AWAY } from "../../lib/http/websocket-frames.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import {
  type BodySink,
  type Exchange,
  type RequestHead,
  type ResponseHead,
  type ResponseSink,
} from "../exchange/exchange.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { Http1ServerConnection } from "../http1/server-connection.ts";
import { type ServerHost, type ServerSettings } from "../exchange/server-host.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { handshakeKey, Tunnel } from "./websocket.ts";

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const FIELDS = `Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n`;
const SWITCHING =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n" +
  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
const SETTINGS: ServerSettings = {
  maxHeaderBytes: 4096,
  maxHeaderCount: 50,
  maxBodyBytes: 10,
  idleMs: 60_000,
  headerMs: 10_000,
  bodyMs: 1000,
  writeMs: 30_000,
  http2: { maxStreams: 100, maxHeaderListSize: 8192, initialWindowSize: 65_535, maxFrameSize: 16_384 },
};
const IDLE_MS = 2000;
const WRITE_MS = 700;
const CLOSING_MS = 5000;

let clock: FakeClock;
let near: FakeWire;
let far: FakeWire;
let client: Http1ServerConnection;
let closed: number;
let over: number;
let refuse: ((exchange: Exchange) => void) | undefined;

/** Connections of a client and an upstream, with a tunnel between them after the upstream's 101. */
beforeEach(() => {
  clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const buffers = plentyOfBuffers();
  [near, far] = [new FakeWire(), new FakeWire()];
  closed = 0;
  over = 0;
  refuse = undefined;
  const upstream = new ClientConnection({ wheel, buffers, released() {}, closed: () => closed++ });
  upstream.attach(far);
  far.data = upstream;
  const host: ServerHost = {
    wheel,
    buffers,
    scheme: "http",
    settings: () => SETTINGS,
    draining: () => false,
    handle(exchange) {
      const sink: ResponseSink = {
        start(head: ResponseHead) {
          const options = { wheel, idleMs: IDLE_MS, writeMs: WRITE_MS, onOver: () => over++ };
          const tunnel = new Tunnel(exchange, upstream, options);
          refuse?.(exchange);
          tunnel.open(head);
        },
        data: () => true,
        end() {},
        abort() {},
      };
      upstream.begin("GET", 0, sink).add("GET / HTTP/1.1\r\n");
      upstream.endHead("GET", 0, handshakeKey(exchange.head));
    },
    refused() {},
    closed() {},
  };
  client = new Http1ServerConnection(near, host);
  near.data = client;
  near.onClose = () => near.data.onClose();
  far.onClose = () => far.data.onClose();
});

function fromClient(text: string): void {
  near.data.onData(Buffer.from(text, "latin1"));
  sendGathered();
}

function fromUpstream(text: string): void {
  far.data.onData(Buffer.from(text, "latin1"));
  sendGathered();
}

function open(): void {
  fromClient(`GET / HTTP/1.1\r\nHost: h\r\n${FIELDS}\r\n`);
  fromUpstream(SWITCHING);
}

/** The bytes that were sent after the head. */
function behindHead(wire: FakeWire): string {
  return wire.text.slice(wire.text.indexOf("\r\n\r\n") + 4);
}

test("a handshake has the key of its client, or a new one if the client's protocol has no keys", () => {
  const head = { fields: FIELDS } as RequestHead; // No other members are read.
  expect([handshakeKey(head), head.fields]).toEqual([KEY, FIELDS]);
  const other = { fields: "A: b\r\n" } as RequestHead; // As above.
  const key = handshakeKey(other);
  expect(Buffer.from(key, "base64").length).toBe(16);
  expect(other.fields).toBe(`A: b\r\nSec-WebSocket-Key: ${key}\r\n`);
});

test("bytes that arrive with either head, and those that follow, are passed on without a body limit", () => {
  fromClient(`GET / HTTP/1.1\r\nHost: h\r\n${FIELDS}\r\nfrom the client`);
  expect(behindHead(far)).toBe("");
  fromUpstream(`${SWITCHING}from the upstream`);
  fromClient(", and more than a body may have");
  expect(near.text.startsWith("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: ")).toBe(true);
  expect([behindHead(near), behindHead(far)]).toEqual([
    "from the upstream",
    "from the client, and more than a body may have",
  ]);
});

test("a byte in either direction extends the idle time, and silence closes both sides", () => {
  open();
  for (let i = 0; i < 6; i++) {
    clock.advance(IDLE_MS - 100);
    if (i % 2 === 0) fromClient("x");
    else fromUpstream("x");
  }
  expect([near.ended, far.ended]).toEqual([false, false]);
  clock.advance(IDLE_MS + 100);
  expect([near.ended, far.ended, far.closed, closed, over]).toEqual([true, true, true, 1, 1]);
});

test("silence from the beginning closes both sides at the end of the idle time", () => {
  clock.advance(3000);
  open();
  clock.advance(IDLE_MS - 20);
  expect([near.ended, over]).toEqual([false, 0]);
  clock.advance(40);
  expect([near.ended, far.ended, over]).toEqual([true, true, 1]);
});

test("the time for which a policy pauses the upstream is not idle", () => {
  let opened: Exchange | undefined;
  refuse = (exchange) => {
    opened = exchange;
    const own = exchange.response;
    exchange.response = {
      start: (head) => own.start(head),
      data: () => false,
      end: (trailers) => own.end(trailers),
      abort: (error) => own.abort(error),
    };
  };
  open();
  fromUpstream("x");
  clock.advance(10 * IDLE_MS);
  expect([far.closed, near.ended, over]).toEqual([false, false, 0]);
  opened?.onDrain?.();
  clock.advance(IDLE_MS - 200);
  expect([far.closed, over]).toEqual([false, 0]);
  clock.advance(300);
  expect([far.closed, near.ended, over]).toEqual([true, true, 1]);
});

test("a client that leaves while a policy holds the end back ends nothing a second time", () => {
  refuse = (exchange) => {
    const own = exchange.response;
    exchange.response = { start: (head) => own.start(head), data: () => true, end() {}, abort() {} };
  };
  open();
  far.takes = [2];
  fromClient("hello");
  far.data.onEnd();
  expect([near.ended, far.closed, over]).toEqual([false, false, 1]);
  near.terminate();
  client.drain();
  expect([far.closed, closed, over]).toEqual([false, 0, 1]);
  // The bytes for the upstream are sent first.
  far.data.onDrain();
  expect([behindHead(far), far.closed, closed, over]).toEqual(["hello", true, 1, 1]);
});

test("after the client's end the upstream has a few seconds, which its own bytes do not extend", () => {
  open();
  fromClient("last");
  near.data.onEnd();
  expect([behindHead(far), far.ended, far.closed, near.ended]).toEqual(["last", true, false, false]);
  clock.advance(CLOSING_MS - 100);
  fromUpstream("late");
  expect([behindHead(near), near.ended]).toEqual(["late", false]);
  clock.advance(200);
  expect([near.ended, far.closed, closed, over]).toEqual([true, true, 1, 1]);
});

test("after the upstream's end the client gets the remaining bytes, and bytes of the client are dropped", () => {
  open();
  near.takes = [3];
  fromUpstream("goodbye");
  far.data.onEnd();
  expect([behindHead(near), near.ended, closed, over]).toEqual(["goo", false, 1, 1]);
  near.data.onDrain();
  expect([behindHead(near), near.ended]).toEqual(["goodbye", true]);
  fromClient("nobody hears");
  expect(behindHead(far)).toBe("");
});

test("bytes that wait for an upstream that has ended are still sent to it", () => {
  open();
  far.takes = [2];
  fromClient("hello");
  far.data.onEnd();
  expect([behindHead(far), far.closed]).toEqual(["he", false]);
  far.data.onDrain();
  expect([behindHead(far), far.closed, closed]).toEqual(["hello", true, 1]);
});

test("each side is paused while the other accepts nothing, and an upstream that accepts nothing for too long is disconnected", () => {
  open();
  near.takes = [0];
  // Bytes are written after a whole read was processed: the next read finds that nothing was accepted.
  fromUpstream("to the ");
  fromUpstream("client");
  expect(far.paused).toBe(true);
  near.data.onDrain();
  expect([far.paused, behindHead(near)]).toEqual([false, "to the client"]);
  far.takes = [0];
  fromClient("to the ");
  fromClient("upstream");
  expect(near.paused).toBe(true);
  far.data.onDrain();
  expect([near.paused, behindHead(far)]).toEqual([false, "to the upstream"]);
  far.takes = [0];
  fromClient("once more");
  clock.advance(WRITE_MS + 100);
  expect([near.closed, near.ended, far.closed, closed, over]).toEqual([true, false, true, 1, 1]);
});

test("when one side is aborted, the other is closed too", () => {
  open();
  far.terminate();
  expect([near.closed, near.ended, closed, over]).toEqual([true, false, 1, 1]);
  expect(clock.tick).toBeUndefined();
});

test("a client that is aborted receives no response any more, and keeps no timer", () => {
  open();
  near.terminate();
  expect(clock.tick).toBeUndefined();
  expect([far.closed, closed, over]).toEqual([true, 1, 1]);
  clock.advance(IDLE_MS * 2);
  expect(over).toBe(1);
});

test("a policy that refuses the 101 closes the upstream's connection, and no byte passes", () => {
  let reads = 0;
  refuse = (exchange) => {
    const own = exchange.response;
    exchange.body = { ...exchange.body, readTo: () => void reads++ };
    exchange.response = {
      ...own,
      start() {
        exchange.onCancel?.();
        own.start({ status: 501, reason: "", fields: "", bodyLength: 2 });
        own.data(Buffer.from("no"));
        own.end("");
      },
    };
  };
  open();
  fromUpstream("secret");
  sendGathered();
  expect([near.text.split("\r\n", 1)[0], behindHead(near)]).toEqual(["HTTP/1.1 501 Not Implemented", "no"]);
  expect([near.closed, far.closed, closed, over, reads]).toEqual([false, true, 1, 1, 0]);
});

test("a client whose bytes cannot be kept gets the last bytes of an upstream that has ended", () => {
  let reader: BodySink | undefined;
  refuse = (exchange) => {
    exchange.body = { ...exchange.body, readTo: (sink) => void (reader = sink) };
  };
  open();
  near.takes = [3];
  fromUpstream("goodbye");
  far.data.onEnd();
  reader?.abort(new TurnpikeError("overloaded", "no space is left"));
  near.data.onDrain();
  expect([behindHead(near), near.ended, over]).toEqual(["goodbye", true, 1]);
});

test("a client whose bytes cannot be kept loses its tunnel, and its end after that changes nothing", () => {
  let reader: BodySink | undefined;
  refuse = (exchange) => {
    exchange.body = { ...exchange.body, readTo: (sink) => void (reader = sink) };
  };
  open();
  reader?.data(Buffer.from("kept"));
  expect(behindHead(far)).toBe("kept");
  reader?.abort(new TurnpikeError("overloaded", "no space is left"));
  expect([near.closed, near.ended, far.closed, closed, over]).toEqual([true, false, true, 1, 1]);
  reader?.end("");
  expect([over, clock.tick]).toEqual([1, undefined]);
});

const CLOSE = Buffer.from(GOING_AWAY).toString("latin1");

test("a drain between two frames sends the client one Close frame at once, and passes the client's response on", () => {
  open();
  fromUpstream("\x81\x02hi");
  client.drain();
  client.drain();
  expect(behindHead(near)).toBe(`\x81\x02hi${CLOSE}`);
  fromUpstream("\x81\x04late");
  sendGathered();
  expect(behindHead(near)).toBe(`\x81\x02hi${CLOSE}`);
  // The upstream's last bytes are read and dropped.
  expect(far.paused).toBe(false);
  fromClient("closing");
  expect([behindHead(far), near.ended]).toEqual(["closing", false]);
});

test("a client that goes on after its Close frame has a few seconds", () => {
  open();
  client.drain();
  for (let i = 0; i < 4; i++) {
    clock.advance(CLOSING_MS / 4 - 10);
    fromClient("x");
  }
  expect([near.ended, over]).toEqual([false, 0]);
  clock.advance(60);
  expect([near.ended, far.closed, closed, over]).toEqual([true, true, 1, 1]);
});

test("a drain within a frame sends the Close frame after that frame", () => {
  open();
  fromUpstream("\x81\x05he");
  client.drain();
  expect(behindHead(near)).toBe("\x81\x05he");
  fromUpstream("llo\x81\x01x");
  expect(behindHead(near)).toBe(`\x81\x05hello${CLOSE}`);
  clock.advance(CLOSING_MS + 20);
  expect([near.ended, over]).toEqual([true, 1]);
});

test("a client that leaves while it gets the last bytes before its Close frame ends nothing a second time", () => {
  refuse = (exchange) => {
    const own = exchange.response;
    exchange.response = {
      start: (head) => own.start(head),
      data() {
        exchange.onCancel?.();
        return true;
      },
      end: () => over++,
      abort() {},
    };
  };
  open();
  client.drain();
  fromUpstream("\x81\x02hi");
  expect([far.closed, closed, over]).toEqual([true, 1, 1]);
  clock.advance(CLOSING_MS + IDLE_MS);
  expect([closed, over]).toEqual([1, 1]);
});

test("a drain after the upstream's own Close frame adds none, and one after the end does nothing", () => {
  open();
  fromUpstream("\x88\x02\x03\xe8");
  client.drain();
  sendGathered();
  expect(behindHead(near)).toBe("\x88\x02\x03\xe8");
  far.data.onEnd();
  client.drain();
  expect([behindHead(near), near.ended, over]).toEqual(["\x88\x02\x03\xe8", true, 1]);
});
