/** The common behaviour of both ends of a connection, tested at the gateway's end towards clients. */
import { describe, expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { type BodySink, type Exchange, type ResponseHead } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { GET, Host, POST, ScriptedClient, SETTINGS } from "./testing/scripted-client.ts";

const OK = { status: 200, reason: "OK", fields: "", bodyLength: -1 } satisfies ResponseHead;
/** A sink that takes a body and has no room for more of it. */
const FULL: BodySink = { data: () => false, end() {}, abort() {} };

function open(client: ScriptedClient, flags: number, fields = GET, streamId = 1): Exchange {
  client.head(streamId, flags, fields);
  const exchange = client.host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("Cannot go on: no exchange was made");
  return exchange;
}

/** A client that may send DATA frames of 60,000 bytes. */
function withLongFrames(): ScriptedClient {
  const host = new Host();
  host.current = { ...SETTINGS, http2: { ...SETTINGS.http2, maxFrameSize: 65_536 } };
  return new ScriptedClient(host).begin();
}

/** The code and the reason in the last GOAWAY. */
function ending(client: ScriptedClient): readonly [number, string] | undefined {
  const goaway = client.frames().findLast(({ type }) => type === f.GOAWAY);
  return goaway && [goaway.payload.readUInt32BE(4), goaway.payload.toString("latin1", 8)];
}

describe("a connection error is", () => {
  test.each<[string, number, string, (client: ScriptedClient) => void]>([
    [
      "RST_STREAM of 3 bytes",
      f.FRAME_SIZE_ERROR,
      "RST_STREAM of an invalid length",
      (c) => c.frame(f.RST_STREAM, 0, 1, Buffer.alloc(3)),
    ],
    ["PING of 7 bytes", f.FRAME_SIZE_ERROR, "PING of an invalid length", (c) => c.frame(f.PING, 0, 0, Buffer.alloc(7))],
    [
      "GOAWAY of 7 bytes",
      f.FRAME_SIZE_ERROR,
      "GOAWAY of an invalid length",
      (c) => c.frame(f.GOAWAY, 0, 0, Buffer.alloc(7)),
    ],
    ["SETTINGS on a stream", f.PROTOCOL_ERROR, "SETTINGS on a stream", (c) => c.frame(f.SETTINGS, 0, 1)],
    ["DATA on stream 0", f.PROTOCOL_ERROR, "DATA on stream 0", (c) => c.data(0, 0, "x")],
    [
      "a request on a stream with an even number",
      f.PROTOCOL_ERROR,
      "a client's stream has an even number",
      (c) => c.head(2, f.END_STREAM, GET),
    ],
    [
      "an acknowledgement with a payload",
      f.FRAME_SIZE_ERROR,
      "an acknowledgement of SETTINGS with a payload",
      (c) => c.frame(f.SETTINGS, f.ACK, 0, Buffer.alloc(6)),
    ],
    [
      "a stream's window that SETTINGS make overflow",
      f.FLOW_CONTROL_ERROR,
      "a stream's window overflows",
      (c) => {
        c.numbers(f.WINDOW_UPDATE, 1, f.MAX_WINDOW - f.DEFAULT_WINDOW);
        c.settings([[4, f.DEFAULT_WINDOW + 1]]);
      },
    ],
    [
      "a flood of resets",
      f.ENHANCE_YOUR_CALM,
      "too many streams are reset",
      (c) => {
        // With this the credit ends with a reset, and not with the frame that causes it.
        c.frame(f.PING, 0, 0, Buffer.alloc(8));
        for (let id = 3; c.connection.isOpen; id += 2) {
          c.head(id, f.END_STREAM, GET);
          c.numbers(f.RST_STREAM, id, f.CANCEL);
        }
      },
    ],
  ])("%s", (_what, code, reason, play) => {
    const client = new ScriptedClient().begin();
    open(client, 0, POST);
    play(client);
    expect(ending(client)).toEqual([code, reason]);
  });

  test("an acknowledgement in place of the first SETTINGS", () => {
    const client = new ScriptedClient();
    client.bytes(f.PREFACE);
    client.frame(f.SETTINGS, f.ACK, 0);
    expect(ending(client)).toEqual([f.PROTOCOL_ERROR, "the first frame is not SETTINGS"]);
  });

  test("a byte beyond the connection's window, which its streams may fill", () => {
    const client = withLongFrames();
    for (let i = 0; i < 9; i++) open(client, 0, POST, 2 * i + 1).body.readTo(FULL);
    for (let i = 0; i < 8; i++) client.data(2 * i + 1, 0, Buffer.alloc(f.DEFAULT_WINDOW));
    expect(client.heard()).toEqual([]);
    client.data(17, 0, "x");
    expect(ending(client)).toEqual([f.FLOW_CONTROL_ERROR, "more data than the connection's window allows"]);
  });

  test("a connection window that grows beyond the maximum, to the byte", () => {
    const client = new ScriptedClient().begin();
    client.numbers(f.WINDOW_UPDATE, 0, f.MAX_WINDOW - f.DEFAULT_WINDOW);
    expect(client.heard()).toEqual([]);
    client.numbers(f.WINDOW_UPDATE, 0, 1);
    expect(ending(client)).toEqual([f.FLOW_CONTROL_ERROR, "the connection's window overflows"]);
  });
});

test("a stream's window may have the maximum size, and not a byte more", () => {
  const client = new ScriptedClient().begin();
  open(client, f.END_STREAM);
  client.numbers(f.WINDOW_UPDATE, 1, f.MAX_WINDOW - f.DEFAULT_WINDOW);
  expect(client.heard()).toEqual([]);
  client.numbers(f.WINDOW_UPDATE, 1, 1);
  expect(client.heard()).toEqual(["RST_STREAM 1 3"]);
});

test("a stream that begins after a smaller window was acknowledged has that window, to the byte", () => {
  const host = new Host();
  host.current = { ...SETTINGS, http2: { ...SETTINGS.http2, initialWindowSize: 10_000 } };
  const client = new ScriptedClient(host).begin();
  for (const streamId of [1, 3]) open(client, 0, POST, streamId).body.readTo(FULL);
  client.data(1, 0, Buffer.alloc(10_000));
  expect(client.heard()).toEqual([]);
  client.data(3, 0, Buffer.alloc(10_001));
  expect(client.heard()).toEqual(["RST_STREAM 3 3"]);
});

test("SETTINGS that make windows a byte larger allow one more byte", () => {
  const client = new ScriptedClient().begin([[4, 2]]);
  const { response } = open(client, f.END_STREAM);
  response.start(OK);
  response.data(Buffer.from("abc"));
  client.heard();
  client.settings([[4, 3]]);
  expect(client.heard()).toEqual(["SETTINGS 1", 'DATA 1 "c"']);
});

test("a connection that makes way for another one says so, and closes at once", () => {
  const client = new ScriptedClient().begin();
  client.connection.makeWay();
  expect([client.heard(), client.wire.closed, client.wire.cut]).toEqual([["GOAWAY 0 0"], true, false]);
});

test("a connection that closes sends its FIN when the responses that are awaited have arrived", () => {
  const client = new ScriptedClient().begin();
  const { response } = open(client, f.END_STREAM);
  response.start({ ...OK, bodyLength: 0 });
  response.end("");
  const arrived: boolean[] = [];
  client.connection.awaitArrival((taken) => arrived.push(taken));
  client.connection.close(f.NO_ERROR);
  expect([client.wire.ended, arrived]).toEqual([false, []]);
  client.host.clock.advance(100);
  expect([client.wire.ended, arrived]).toEqual([true, [true]]);
});

test("a PRIORITY of a closed stream that depends on itself is ignored", () => {
  const client = new ScriptedClient().begin();
  const { response } = open(client, f.END_STREAM);
  response.start({ ...OK, bodyLength: 0 });
  response.end("");
  client.heard();
  client.frame(f.PRIORITY, 0, 1, Buffer.from([0, 0, 0, 1, 0]));
  expect(client.heard()).toEqual([]);
});

test("data for a stream that was reset is given back to the connection", () => {
  const client = withLongFrames();
  open(client, 0, POST).response.abort(new TurnpikeError("internal", ""));
  client.heard();
  for (let i = 0; i < 5; i++) client.data(1, 0, Buffer.alloc(60_000));
  expect(client.heard()).toEqual(["WINDOW_UPDATE 0 300000"]);
});

test("a pad length without padding is given back as well", () => {
  const client = new ScriptedClient().begin();
  open(client, 0, POST).body.readTo({ ...FULL, data: () => true });
  for (let i = 0; i < 16_384; i++) client.frame(f.DATA, f.PADDED, 1, Buffer.from([0, 0x61]));
  expect(client.heard()).toEqual(["WINDOW_UPDATE 1 32768"]);
});

test("nothing is given back on a closed connection", () => {
  const client = withLongFrames();
  for (let i = 0; i < 5; i++) {
    open(client, 0, POST, 2 * i + 1).body.readTo(FULL);
    client.data(2 * i + 1, 0, Buffer.alloc(60_000));
  }
  client.numbers(f.WINDOW_UPDATE, 0, 0);
  expect(client.heard()).toEqual(["GOAWAY 9 1"]);
});

test.each([
  ["an empty response", 10, 0, true],
  ["a byte of a response", 2, 1, false],
  ["2047 bytes of a response", 2, 2047, false],
  ["2048 bytes of a response", 3, 2048, false],
  ["10,000 bytes of a response", 6, 10_000, false],
])("%s gives back %d of the credit", (_what, credit, length, ends) => {
  const client = new ScriptedClient().begin();
  const { response } = open(client, f.END_STREAM);
  const ping = (): void => client.frame(f.PING, 0, 0, Buffer.alloc(8));
  for (let i = 0; i < 9998; i++) ping();
  response.start(OK);
  response.data(Buffer.alloc(length));
  if (ends) response.end("");
  sendGathered();
  for (let i = 0; i < credit; i++) ping();
  expect(client.wire.ended).toBe(false);
  ping();
  expect(client.wire.ended).toBe(true);
});

test("a sender whose last piece the socket holds back continues when the socket has drained", () => {
  const client = new ScriptedClient().begin([[4, f.MAX_WINDOW]]);
  client.numbers(f.WINDOW_UPDATE, 0, 1_000_000);
  const exchange = open(client, f.END_STREAM);
  exchange.onDrain = () => exchange.response.end("");
  exchange.response.start(OK);
  client.wire.takes = [0];
  // More than one write gathers: the socket is full when the last frame is sent.
  expect(exchange.response.data(Buffer.alloc(8 * f.DEFAULT_MAX_FRAME_SIZE))).toBe(false);
  client.connection.onDrain();
  expect(client.heard().slice(-2)).toEqual(["DATA 1 16384", 'DATA 1 "" end']);
});

test("a caller that waits for the arrival of a response learns the result, even if the response breaks off", () => {
  const client = new ScriptedClient().begin();
  const told: (readonly [number, boolean])[] = [];
  for (const streamId of [1, 3, 5]) {
    const exchange = open(client, f.END_STREAM, GET, streamId);
    exchange.onTaken = (taken) => told.push([streamId, taken]);
    exchange.response.start({ ...OK, bodyLength: 0 });
    if (streamId === 1) exchange.response.end("");
    if (streamId === 3) client.numbers(f.RST_STREAM, streamId, f.CANCEL);
    if (streamId === 5) exchange.response.abort(new TurnpikeError("internal", ""));
  }
  sendGathered();
  expect(told).toEqual([
    [3, false],
    [5, false],
  ]);
  client.host.clock.advance(1000);
  expect(told.slice(2)).toEqual([[1, true]]);
});

test.each([
  [false, true],
  [true, false],
])(
  "a response that has just arrived, on a connection that closes by a reset: %p, counts as taken: %p",
  (isReset, taken) => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, f.END_STREAM);
    const told: boolean[] = [];
    exchange.onTaken = (how) => told.push(how);
    exchange.response.start({ ...OK, bodyLength: 0 });
    exchange.response.end("");
    sendGathered();
    client.host.clock.advance(30);
    expect(told).toEqual([]);
    if (isReset) client.connection.onClose(true);
    else client.connection.onClose();
    expect(told).toEqual([taken]);
  },
);

test.each([
  ["is not taken if the client resets its stream as cancelled", f.CANCEL, 30, [false]],
  ["is taken if the client resets its stream without an error", f.NO_ERROR, 30, [true]],
  ["is taken if the client resets its stream later", f.CANCEL, 200, [true]],
])("a response that has just arrived %s", (_what, code, afterMs, expected) => {
  const client = new ScriptedClient().begin();
  const told: boolean[] = [];
  const exchange = open(client, f.END_STREAM);
  exchange.onTaken = (taken) => told.push(taken);
  exchange.response.start({ ...OK, bodyLength: 0 });
  exchange.response.end("");
  sendGathered();
  client.host.clock.advance(afterMs);
  client.numbers(f.RST_STREAM, 1, code);
  client.host.clock.advance(1000);
  client.numbers(f.RST_STREAM, 1, code);
  expect([told, client.connection.isOpen]).toEqual([expected, true]);
});

test("a client may allow or disable pushes", () => {
  for (const value of [0, 1]) expect(new ScriptedClient().begin([[2, value]]).connection.isOpen).toBe(true);
  const client = new ScriptedClient();
  client.bytes(f.PREFACE);
  client.settings([[2, 2]]);
  expect(ending(client)).toEqual([f.PROTOCOL_ERROR, "SETTINGS_ENABLE_PUSH of 2"]);
});

describe("the timeout of a head", () => {
  test("is not prolonged by the frames of the head", () => {
    const client = new ScriptedClient().begin();
    client.frame(f.HEADERS, f.END_STREAM, 1, client.block(GET));
    for (let i = 0; i < 3; i++) {
      client.host.clock.advance(3000);
      client.frame(f.CONTINUATION, 0, 1);
    }
    expect(client.wire.cut || client.wire.ended).toBe(false);
    client.host.clock.advance(1100);
    expect(client.wire.cut || client.wire.ended).toBe(true);
  });

  test("restarts with each frame within which a packet ends, whatever was completed before it", () => {
    const client = new ScriptedClient().begin();
    open(client, 0, POST).body.readTo({ ...FULL, data: () => true });
    const ping = f.payloadFrame({ type: f.PING, flags: 0, streamId: 0 }, Buffer.alloc(8));
    const data = f.payloadFrame({ type: f.DATA, flags: 0, streamId: 1 }, Buffer.from("x"));
    client.bytes(ping.subarray(0, 12));
    for (let i = 0; i < 20; i++) {
      client.host.clock.advance(1000);
      client.bytes(Buffer.concat([ping.subarray(12), data, ping.subarray(0, 12)]));
    }
    expect(client.wire.cut || client.wire.ended).toBe(false);
  });
});
