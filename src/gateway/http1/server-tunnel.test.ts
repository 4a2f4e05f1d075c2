/** The connection of a client whose request for WebSocket is accepted with a 101. */
import { beforeEach, expect, test } from "bun:test";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { Http1ServerConnection } from "./server-connection.ts";
import { GET, HANDSHAKE, Host, reply, Sink } from "./testing/server-peers.ts";

const SWITCHED = { status: 101, reason: "", fields: "Sec-WebSocket-Accept: x\r\n", bodyLength: -1 } as const;

let host: Host;
let wire: FakeWire;
let connection: Http1ServerConnection;

beforeEach(() => open(new Host()));

function open(newHost: Host): void {
  host = newHost;
  wire = new FakeWire();
  connection = new Http1ServerConnection(wire, host);
  wire.onClose = () => connection.onClose();
}

function arrive(text: string): void {
  connection.onData(Buffer.from(text, "latin1"));
  sendGathered();
}

/** Sends a handshake, and returns its exchange. */
function ask(): Exchange {
  arrive(HANDSHAKE);
  const exchange = host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("no exchange");
  return exchange;
}

test("after the 101, raw bytes pass in both directions, and the client's end reaches the reader", () => {
  const exchange = ask();
  exchange.addedFields = "Added: 1\r\n";
  exchange.sendsRequestId = true;
  exchange.response.start(SWITCHED);
  exchange.response.start({ ...SWITCHED, status: 200 });
  sendGathered();
  const head =
    `HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nX-Request-Id: ${exchange.id}\r\nAdded: 1\r\n` +
    "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n";
  expect([wire.text, exchange.started, exchange.status, wire.paused]).toEqual([head, true, 101, true]);
  const sink = new Sink();
  exchange.body.readTo(sink);
  expect(wire.paused).toBe(false);
  arrive("to the upstream");
  // Sent at once, and not at the end of the event.
  expect(exchange.response.data(Buffer.from("to the client"))).toBe(true);
  expect([wire.text, sink.text]).toEqual([`${head}to the client`, "to the upstream"]);
  expect([exchange.bytesReceived, exchange.bytesSent]).toEqual([15, 13]);
  connection.onEnd();
  expect([sink.ended, wire.closed, wire.ended]).toEqual([true, false, false]);
  exchange.response.end("");
  sendGathered();
  expect([wire.text, wire.ended, host.exchanges.length]).toEqual([`${head}to the client`, true, 1]);
});

test("bytes that a client sends before the 101 wait for the reader, and those after it too", () => {
  const exchange = ask();
  arrive("early ");
  expect([wire.paused, exchange.bytesReceived]).toEqual([true, 0]);
  exchange.response.start(SWITCHED);
  arrive("later ");
  const sink = new Sink();
  sink.onData = () => false;
  exchange.body.readTo(sink);
  expect([sink.text, wire.paused]).toEqual(["early later ", true]);
  exchange.body.resume();
  expect(wire.paused).toBe(false);
  arrive("last");
  expect([sink.text, wire.paused]).toEqual(["early later last", true]);
});

test("a tunnel's data that arrives in the read of its request waits for the 101", () => {
  arrive(`${HANDSHAKE}early`);
  const [exchange] = host.exchanges;
  exchange?.response.start(SWITCHED);
  const sink = new Sink();
  exchange?.body.readTo(sink);
  expect(sink.text).toBe("early");
});

test("a client that reads slowly pauses the tunnel's sender until it has read", () => {
  const exchange = ask();
  exchange.response.start(SWITCHED);
  sendGathered();
  let drains = 0;
  exchange.onDrain = () => drains++;
  wire.takes = [1, 1];
  exchange.response.data(Buffer.from("data"));
  sendGathered();
  expect(exchange.response.data(Buffer.from("!"))).toBe(false);
  connection.onDrain();
  expect(drains).toBe(0);
  connection.onDrain();
  expect([drains, wire.text.endsWith("data!")]).toEqual([1, true]);
});

test("a tunnel has no time limit, and serves no other request after its end", () => {
  const exchange = ask();
  exchange.response.start(SWITCHED);
  exchange.body.readTo(new Sink());
  host.clock.advance(1_000_000);
  expect([wire.closed, connection.idleSince]).toEqual([false, Number.POSITIVE_INFINITY]);
  exchange.response.end("");
  sendGathered();
  expect([wire.ended, wire.closed]).toEqual([true, false]);
  arrive(GET);
  expect(host.exchanges).toHaveLength(1);
  host.clock.advance(2100);
  expect([wire.closed, wire.cut, host.closedCount]).toEqual([true, false, 1]);
});

test("a tunnel learns of a drain, also one that begins during the drain, after its head was sent", async () => {
  const told: string[] = [];
  for (const isBefore of [false, true]) {
    open(new Host());
    const exchange = ask();
    exchange.onGoAway = () => {
      sendGathered();
      told.push(wire.text.slice(0, 12));
    };
    host.isDraining = isBefore;
    exchange.response.start(SWITCHED);
    if (!isBefore) connection.drain();
    await Promise.resolve();
    await Promise.resolve();
    expect([wire.ended, wire.closed]).toEqual([false, false]);
  }
  expect(told).toEqual(["HTTP/1.1 101", "HTTP/1.1 101"]);
});

test("a client that resets its tunnel stops the upstream's side", () => {
  const exchange = ask();
  const events: string[] = [];
  exchange.onGone = () => events.push("gone");
  exchange.onFinish = () => events.push("finished");
  exchange.response.start(SWITCHED);
  exchange.body.readTo(new Sink());
  wire.terminate();
  expect([events, exchange.gone, host.closedCount]).toEqual([["gone", "finished"], true, 1]);
  // The head of a tunnel is a whole response.
  expect(exchange.truncated).toBe("");
});

test("a client whose early data gets no memory is disconnected at once", () => {
  open(Object.assign(new Host(), { buffers: new BufferPool({ bufferSize: 16_384, bufferCount: 1, reserve: 0 }) }));
  const exchange = ask();
  connection.onData(Buffer.from(new ArrayBuffer(40_000)));
  expect([wire.closed, wire.cut, exchange.gone]).toEqual([true, true, true]);
});

test("a request for a tunnel that gets another response leaves the connection to the next request", () => {
  const poor = Object.assign(new Host(), {
    buffers: new BufferPool({ bufferSize: 16_384, bufferCount: 1, reserve: 0 }),
  });
  open(poor);
  poor.onExchange = (exchange) => {
    const sink = new Sink();
    exchange.body.readTo(sink);
    expect(sink.ended).toBe(true);
    reply(exchange);
  };
  wire.takes = [10];
  arrive(HANDSHAKE);
  // Its client has not read the response, and gets no memory for more requests: this is not the data of a tunnel.
  connection.onData(Buffer.concat([Buffer.from(GET), Buffer.from(new ArrayBuffer(40_000))]));
  expect([wire.closed, host.exchanges.length]).toEqual([false, 1]);
  connection.onDrain();
  expect([wire.text.endsWith("\r\n\r\nok"), wire.ended, wire.cut]).toEqual([true, true, false]);
});
