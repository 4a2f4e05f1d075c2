import { afterEach, beforeEach, expect, test } from "bun:test";
import { type CloseOptions, type QuicSession, type QuicStream } from "node:quic";
import { Host } from "../http2/testing/scripted-client.ts";
import { createCounters } from "./figures.ts";
import { AwaitedHeads } from "./request-stream.ts";
import { Http3ServerConnection } from "./server-session.ts";

const NO_ERROR = 0x100n;
const FRAME_UNEXPECTED = 0x105n;
const EXCESSIVE_LOAD = 0x107n;

/** The part of an engine's session that a connection uses. */
class Session {
  readonly stats = { bytesReceived: 0n, pktLost: 0n };
  readonly events: string[] = [];
  destroyed = 0;
  close(options?: CloseOptions): Promise<void> {
    this.events.push(options === undefined ? "GOAWAY" : `closed ${options.code}`);
    return Promise.reject(new Error("closed by the client"));
  }
  destroy(error?: Error, options?: CloseOptions): void {
    expect([error, options?.type]).toEqual([undefined, "application"]);
    this.events.push(`closed ${options?.code}`);
    this.destroyed++;
  }
}

let host: Host;

beforeEach(() => {
  host = new Host();
  host.current = { ...host.current, idleMs: 10_000 };
});

afterEach(() => host.wheel.close());

function create({ maxIdleMs = 30_000, peerAddress = "192.0.2.1" } = {}) {
  const quic = new Session();
  const counters = createCounters();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const connection = new Http3ServerConnection(
    // The part of a session that a connection uses.
    quic as unknown as QuicSession,
    { host, peerAddress, transport: {}, counters, maxIdleMs, onError, heads: new AwaitedHeads() },
  );
  return { quic, counters, errors, connection };
}

/** Opens a request stream that stays without a head. */
function openStream(connection: Http3ServerConnection): { readonly close: () => Promise<void> } {
  const closed = Promise.withResolvers<void>();
  const stream = { closed: closed.promise, destroyed: true };
  // The part of a stream that a connection uses.
  connection.onStream(stream as unknown as QuicStream);
  return {
    async close() {
      closed.resolve();
      await closed.promise;
      await Promise.resolve();
    },
  };
}

test("an idle connection gets GOAWAY after idle_ms, and ends 200 ms later", () => {
  const { quic, connection } = create();
  expect(connection.idleSince).toBe(0);
  host.clock.advance(9980);
  expect(quic.events).toEqual([]);
  host.clock.advance(50);
  expect(quic.events).toEqual(["GOAWAY"]);
  host.clock.advance(150);
  expect(quic.events).toEqual(["GOAWAY"]);
  host.clock.advance(100);
  expect(quic.events).toEqual(["GOAWAY", `closed ${NO_ERROR}`]);
});

test("an idle connection gets GOAWAY after max_idle_timeout_ms, if that is less, although packets arrive", () => {
  const { quic } = create({ maxIdleMs: 5000 });
  for (let i = 1n; i <= 4n; i++) {
    quic.stats.bytesReceived = i;
    host.clock.advance(1245);
  }
  expect(quic.events).toEqual([]);
  host.clock.advance(50);
  expect(quic.events).toEqual(["GOAWAY"]);
});

test("a connection is idle since its last stream ended", async () => {
  const { quic, counters, connection } = create();
  const [one, two] = [openStream(connection), openStream(connection)];
  expect([counters.streamsOpen, counters.streamsTotal, connection.idleSince]).toEqual([2, 2, Number.POSITIVE_INFINITY]);
  host.clock.advance(9000);
  await one.close();
  expect([counters.streamsOpen, connection.idleSince]).toEqual([1, Number.POSITIVE_INFINITY]);
  host.clock.advance(9000);
  await two.close();
  expect([counters.streamsOpen, counters.streamsTotal, connection.idleSince]).toEqual([0, 2, 18_000]);
  host.clock.advance(9980);
  expect(quic.events).toEqual([]);
  host.clock.advance(50);
  expect(quic.events).toEqual(["GOAWAY"]);
});

test("a busy connection that drains ends 200 ms after its last response", async () => {
  const { quic, connection } = create();
  const stream = openStream(connection);
  connection.drain();
  connection.drain();
  host.clock.advance(5000);
  expect(quic.events).toEqual(["GOAWAY"]);
  await stream.close();
  host.clock.advance(150);
  expect(quic.events).toEqual(["GOAWAY"]);
  host.clock.advance(100);
  expect(quic.events).toEqual(["GOAWAY", `closed ${NO_ERROR}`]);
});

test("an idle connection that drains ends 200 ms later, however long its idle time was", () => {
  const { quic, connection } = create();
  host.clock.advance(5000);
  connection.drain();
  host.clock.advance(150);
  expect(quic.events).toEqual(["GOAWAY"]);
  host.clock.advance(100);
  expect(quic.events).toEqual(["GOAWAY", `closed ${NO_ERROR}`]);
});

test("an exact idle time ends a connection without a packet, even with a request open", () => {
  const { quic, connection } = create({ maxIdleMs: 400 });
  openStream(connection);
  for (let i = 1n; i <= 10n; i++) {
    quic.stats.bytesReceived = i;
    host.clock.advance(300);
  }
  expect(quic.events).toEqual([]);
  host.clock.advance(250);
  expect(quic.events).toEqual([`closed ${NO_ERROR}`]);
});

test("an idle time in whole seconds is left to the engine while a request is open", () => {
  const { quic, connection } = create({ maxIdleMs: 2000 });
  openStream(connection);
  host.clock.advance(60_000);
  expect(quic.events).toEqual([]);
});

test("a flood ends its connection, and destroys one that has sent GOAWAY, because a close has no effect there", () => {
  const { quic, connection } = create();
  connection.overwhelmed();
  expect([quic.events, quic.destroyed]).toEqual([[`closed ${EXCESSIVE_LOAD}`], 0]);
  const leaving = create();
  leaving.connection.drain();
  leaving.connection.overwhelmed();
  expect([leaving.quic.events, leaving.quic.destroyed]).toEqual([["GOAWAY", `closed ${EXCESSIVE_LOAD}`], 1]);
});

test("an exact idle time ends a connection from which nothing arrives", () => {
  const { quic } = create({ maxIdleMs: 400 });
  host.clock.advance(350);
  expect(quic.events).toEqual([]);
  host.clock.advance(200);
  expect(quic.events).toEqual([`closed ${NO_ERROR}`]);
});

test("a connection that has ended is reported once, and is left alone", () => {
  const { quic, connection } = create({ maxIdleMs: 400 });
  connection.onEnd();
  connection.onEnd();
  expect(host.closedCount).toBe(1);
  connection.drain();
  connection.cutOff();
  connection.overwhelmed();
  connection.violated();
  connection.streamClosed();
  expect(connection.due).toBe(Number.POSITIVE_INFINITY);
  connection.onDeadline();
  host.clock.advance(60_000);
  expect(quic.events).toEqual([]);
});

test("a connection is closed with the code of the reason", () => {
  for (const [act, code] of [
    [(connection: Http3ServerConnection) => connection.makeWay(), NO_ERROR],
    [(connection: Http3ServerConnection) => connection.cutOff(), NO_ERROR],
    [(connection: Http3ServerConnection) => connection.overwhelmed(), EXCESSIVE_LOAD],
    [(connection: Http3ServerConnection) => connection.violated(), FRAME_UNEXPECTED],
  ] as const) {
    const { quic, connection } = create();
    act(connection);
    expect(quic.events).toEqual([`closed ${code}`]);
  }
});

test("500 more cancelled requests than finished ones are allowed", () => {
  const { quic, connection } = create();
  connection.ended(true);
  for (let i = 0; i < 500; i++) connection.ended(false);
  connection.ended(true);
  connection.ended(false);
  expect(quic.events).toEqual([]);
  connection.ended(false);
  expect(quic.events).toEqual([`closed ${EXCESSIVE_LOAD}`]);
});

test("the bytes of heads are those of a connection without those of its bodies", () => {
  const { quic, connection } = create();
  quic.stats.bytesReceived = 1000n;
  connection.countBody(300);
  connection.countBody(100);
  expect(connection.otherBytes).toBe(600);
});

test("the end of a connection is the end of the wait for its client's packets", () => {
  const { quic, connection } = create();
  const told: boolean[] = [];
  connection.packets.await(connection.packets.mark(), (taken) => told.push(taken));
  quic.stats.bytesReceived = 1n;
  connection.onEnd();
  expect(told).toEqual([true]);
});

test("malformed streams are counted, and errors are passed on", () => {
  const { counters, errors, connection } = create({ peerAddress: "::ffff:192.0.2.7" });
  connection.malformed();
  connection.onError("broken");
  expect([counters.streamsMalformed, errors, connection.peerAddress]).toEqual([1, ["broken"], "192.0.2.7"]);
});
