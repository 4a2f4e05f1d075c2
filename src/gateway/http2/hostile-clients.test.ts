import { expect, test } from "bun:test";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type BodySink, type Exchange, type ResponseHead } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { GET, Host, POST, ScriptedClient, SETTINGS } from "./testing/scripted-client.ts";

const OK = { status: 200, reason: "OK", fields: "", bodyLength: -1 } satisfies ResponseHead;

class Collector implements BodySink {
  length = 0;
  ended = false;
  error: TurnpikeError | undefined;
  room = true;
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.length += end - start;
    return this.room;
  }
  end(): void {
    this.ended = true;
  }
  abort(error: TurnpikeError): void {
    this.error = error;
  }
}

function open(client: ScriptedClient, streamId: number, flags: number = f.END_STREAM, fields = GET): Exchange {
  client.head(streamId, flags, fields);
  const exchange = client.host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("Cannot go on: no exchange was made");
  return exchange;
}

/** Starts a response and sends its data, but does not end it. */
function begin(exchange: Exchange, length: number): boolean {
  exchange.response.start(OK);
  return exchange.response.data(Buffer.alloc(length));
}

/** The frames that end the connection of a flooding `client`; empty if the connection continues. */
function flooded(client: ScriptedClient, send: (i: number) => void): string {
  for (let i = 0; i < 12_000 && !client.wire.ended; i++) send(i);
  return client.wire.ended ? (client.heard().at(-1) ?? "").replace(/ \d+ /, " ") : "";
}

test("a client that used the larger window before it knew of the smaller one continues after that data was taken", () => {
  const host = new Host();
  host.current = { ...SETTINGS, http2: { ...SETTINGS.http2, initialWindowSize: 1000 } };
  const client = new ScriptedClient(host);
  client.bytes(f.PREFACE);
  client.settings([]);
  const body = new Collector();
  open(client, 1, 0, POST).body.readTo(body);
  let window = f.DEFAULT_WINDOW;
  for (const length of [16_384, 16_384, 16_384, 10_000]) {
    client.data(1, 0, Buffer.alloc(length));
    window -= length;
  }
  client.frame(f.SETTINGS, f.ACK, 0);
  window += 1000 - f.DEFAULT_WINDOW;
  for (const { type, streamId, payload } of client.frames()) {
    if (type === f.WINDOW_UPDATE && streamId === 1) window += payload.readUInt32BE(0);
  }
  expect(body.length).toBe(59_152);
  expect(window).toBe(1000);
});

test("an error response stays within the client's windows", () => {
  const refused = [...POST, ["expect", "something"]] as const;
  const narrow = new ScriptedClient().begin([[4, 10]]);
  narrow.head(1, 0, refused);
  expect(narrow.frames().map(({ type, flags }) => [type, flags & f.END_STREAM])).toEqual([
    [f.HEADERS, f.END_STREAM],
    [f.RST_STREAM, 0],
  ]);
  const used = new ScriptedClient().begin([[4, 1_000_000]]);
  begin(open(used, 1), 65_530);
  used.head(3, 0, refused);
  const sent = used.frames().filter(({ type }) => type === f.DATA);
  expect(sent.reduce((sum, { payload }) => sum + payload.length, 0)).toBeLessThanOrEqual(f.DEFAULT_WINDOW);
});

test("a sender that was paused is resumed, even if it sent the last bytes of a known length or no bytes", () => {
  const client = new ScriptedClient().begin([[4, 1_000_000]]);
  const blocker = open(client, 1);
  client.wire.takes = [0];
  begin(blocker, 1000);
  sendGathered();
  for (const [i, lengths] of [[10], [0, 10], [4, 6]].entries()) {
    const exchange = open(client, 2 * i + 3);
    exchange.response.start({ ...OK, bodyLength: 10 });
    // Like a download: sends the next piece, or the end, once there is room.
    const left = [...lengths];
    const run = (): void => {
      for (;;) {
        const length = left.shift();
        if (length === undefined) {
          exchange.response.end("");
          return;
        }
        if (!exchange.response.data(Buffer.alloc(length))) return;
      }
    };
    exchange.onDrain = run;
    run();
  }
  client.connection.onDrain();
  const ended = client.frames().filter(({ type, flags }) => type === f.DATA && (flags & f.END_STREAM) !== 0);
  expect(ended.map(({ streamId }) => streamId).toSorted((a, b) => a - b)).toEqual([3, 5, 7]);
  expect(client.connection.streams.size).toBe(1);
});

test("a response that waits for the socket and then for the client's window reaches its timeout", () => {
  const client = new ScriptedClient().begin([[4, 100]]);
  const exchange = open(client, 1);
  exchange.response.start(OK);
  client.wire.takes = [0];
  sendGathered();
  exchange.response.data(Buffer.alloc(1000));
  exchange.response.end("");
  client.connection.onDrain();
  expect(client.heard().at(-1)).toBe("DATA 1 100");
  client.host.clock.advance(21_000);
  expect(client.heard()).toEqual(["RST_STREAM 1 8"]);
});

test("a response whose window is taken away by SETTINGS while it waits reaches its timeout", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1);
  exchange.response.start(OK);
  client.wire.takes = [0];
  sendGathered();
  exchange.response.data(Buffer.alloc(1000));
  client.frame(f.SETTINGS, 0, 0, Buffer.from("000400000000", "hex"));
  client.connection.onDrain();
  client.frames();
  client.host.clock.advance(21_000);
  expect(client.heard()).toEqual(["RST_STREAM 1 8"]);
});

test("a response that waits for a window that other responses have used up reaches its timeout", () => {
  const client = new ScriptedClient().begin([[4, 1_000_000]]);
  const [first, second] = [open(client, 1), open(client, 3)];
  second.response.start(OK);
  client.wire.takes = [0];
  sendGathered();
  second.response.data(Buffer.alloc(1000));
  second.response.end("");
  // The first response has its turn first: the socket drains, and it takes the whole window.
  first.response.start(OK);
  client.connection.sendWindow = 0;
  client.connection.onDrain();
  client.frames();
  client.host.clock.advance(21_000);
  expect(client.heard()).toEqual(["RST_STREAM 3 8"]);
});

test("streams that are reset while they wait for a window are released", () => {
  const client = new ScriptedClient().begin([[4, 1_000_000]]);
  begin(open(client, 1), 70_000);
  const refs = new Set<WeakRef<Exchange>>();
  for (let i = 0; i < 500; i++) {
    const streamId = 2 * i + 3;
    const exchange = open(client, streamId);
    begin(exchange, 10);
    refs.add(new WeakRef(exchange));
    client.numbers(f.RST_STREAM, streamId, f.CANCEL);
    client.host.exchanges.length = 0;
  }
  Bun.gc(true);
  expect([...refs].filter((ref) => ref.deref() !== undefined).length).toBeLessThan(100);
});

test("a body that was complete when its stream was reset is not read as an empty body afterwards", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, 0, POST);
  client.data(1, f.END_STREAM, "abc");
  client.numbers(f.RST_STREAM, 1, f.CANCEL);
  const body = new Collector();
  exchange.body.readTo(body);
  expect([body.ended, body.error?.code]).toEqual([false, "bad-request"]);
});

test("streams that the client makes this side reset cost as much as those that it resets itself", () => {
  const errors: readonly ((client: ScriptedClient, streamId: number) => void)[] = [
    (client, id) => client.numbers(f.WINDOW_UPDATE, id, 0),
    (client, id) => client.numbers(f.WINDOW_UPDATE, id, f.MAX_WINDOW),
    (client, id) => client.head(id, 0, [["x", "1"]]),
    (client, id) => client.head(id, f.END_STREAM, [[":path", "/"]]),
    (client, id) => client.frame(f.PRIORITY, 0, id, Buffer.alloc(4)),
  ];
  for (const [n, error] of errors.entries()) {
    const client = new ScriptedClient().begin();
    const outcome = flooded(client, (i) => {
      client.head(2 * i + 1, 0, POST);
      error(client, 2 * i + 1);
    });
    expect([n, outcome, client.host.exchanges.length]).toEqual([n, "GOAWAY 11", expect.any(Number)]);
    expect(client.host.exchanges.length).toBeLessThan(1100);
  }
  const client = new ScriptedClient().begin();
  const outcome = flooded(client, (i) => {
    client.head(2 * i + 1, 0, [...POST, ["content-length", "1"]]);
    client.data(2 * i + 1, 0, "ab");
  });
  expect([outcome, client.host.exchanges.length < 1200]).toEqual(["GOAWAY 11", true]);
});

test("frames of padding alone are a flood, and bodies with one byte per frame do not pay for resets", () => {
  const padded = new ScriptedClient().begin();
  open(padded, 1, 0, POST).body.readTo(new Collector());
  expect(flooded(padded, () => padded.frame(f.DATA, f.PADDED, 1, Buffer.from([1, 0])))).toBe("GOAWAY 11");
  const dribbling = new ScriptedClient().begin();
  const outcome = flooded(dribbling, (i) => {
    open(dribbling, 2 * i + 1, 0, POST).body.readTo(new Collector());
    for (let n = 0; n < 12; n++) dribbling.data(2 * i + 1, 0, "a");
    dribbling.numbers(f.RST_STREAM, 2 * i + 1, f.CANCEL);
  });
  expect([outcome, dribbling.host.exchanges.length < 1200]).toEqual(["GOAWAY 11", true]);
});

test("nothing is read after the frame that ends a connection", () => {
  const client = new ScriptedClient().begin();
  open(client, 1);
  client.numbers(f.GOAWAY, 0, 0, f.NO_ERROR);
  client.bytes(
    Buffer.concat([
      f.payloadFrame({ type: f.DATA, flags: 0, streamId: 1 }, Buffer.from("late")),
      f.payloadFrame({ type: f.HEADERS, flags: f.END_STREAM | f.END_HEADERS, streamId: 3 }, client.block(GET)),
    ]),
  );
  expect(client.heard()).toEqual(["RST_STREAM 1 5", "GOAWAY 1 0"]);
  expect(client.host.exchanges.length).toBe(1);
});

test("a request after the last GOAWAY is refused, and its body does not harm other requests", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1);
  client.connection.drain();
  client.frame(f.PING, f.ACK, 0, Buffer.alloc(8));
  client.frames();
  client.head(3, 0, POST);
  client.data(3, f.END_STREAM, "late");
  expect(client.heard()).toEqual(["RST_STREAM 3 7"]);
  exchange.response.start({ ...OK, bodyLength: 0 });
  exchange.response.end("");
  expect(client.heard()).toEqual(["HEADERS 1 :status: 200, content-length: 0 end", "GOAWAY 3 0"]);
});

test("a drained connection whose client does not respond is closed soon after its last stream", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1);
  client.connection.drain();
  exchange.response.start({ ...OK, bodyLength: 0 });
  exchange.response.end("");
  sendGathered();
  client.host.clock.advance(SETTINGS.headerMs + 100);
  expect(client.wire.ended).toBe(true);
});

test("the end of a stream does not prolong the timeout of a head that has begun", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1);
  client.frame(f.HEADERS, f.END_STREAM, 3, client.block(GET));
  client.host.clock.advance(9000);
  exchange.response.start({ ...OK, bodyLength: 0 });
  exchange.response.end("");
  sendGathered();
  client.host.clock.advance(1100);
  expect(client.wire.closed || client.wire.ended).toBe(true);
});

test("a client that closes its side receives the data sent to it, unless it leaves a request unfinished", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1);
  client.wire.takes = [0, 0];
  exchange.response.start({ ...OK, bodyLength: 0 });
  exchange.response.end("");
  sendGathered();
  client.connection.onEnd();
  expect(client.wire.closed).toBe(false);
  client.wire.takes = [];
  client.connection.onDrain();
  expect(client.heard()).toEqual(["HEADERS 1 :status: 200, content-length: 0 end", "GOAWAY 1 0"]);
  expect([client.wire.ended, client.wire.closed]).toEqual([true, true]);
  const leaver = new ScriptedClient().begin();
  const left = open(leaver, 1);
  leaver.connection.onEnd();
  expect([left.gone, leaver.wire.ended, leaver.wire.closed]).toEqual([true, false, true]);
});

test("an exchange that has sent only interim responses has no status yet", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1);
  exchange.response.start({ status: 103, reason: "", fields: "", bodyLength: 0 });
  expect(exchange.status).toBe(0);
});

test("a sender that throws when it is resumed does not stop the other senders", () => {
  const client = new ScriptedClient().begin();
  const [blocker, broken, sound] = [open(client, 1), open(client, 3), open(client, 5)];
  client.wire.takes = [0];
  begin(blocker, 10);
  sendGathered();
  let drained = 0;
  broken.onDrain = () => {
    throw new Error("broken");
  };
  sound.onDrain = () => drained++;
  expect([begin(broken, 10), begin(sound, 10)]).toEqual([false, false]);
  expect(() => client.connection.onDrain()).toThrow("broken");
  client.connection.onDrain();
  expect(drained).toBe(1);
});

test("a client that gives back the window of a long download in small pieces does not cause a flood error", () => {
  const client = new ScriptedClient().begin([[4, f.MAX_WINDOW]]);
  const exchange = open(client, 1);
  exchange.response.start(OK);
  const chunk = Buffer.alloc(16_384);
  for (let i = 0; i < 4000; i++) {
    exchange.response.data(chunk);
    sendGathered();
    // Like Go's client, whose reader takes 4 KiB at a time.
    for (let n = 0; n < 4; n++) {
      client.numbers(f.WINDOW_UPDATE, 0, 4096);
      client.numbers(f.WINDOW_UPDATE, 1, 4096);
    }
  }
  expect(client.wire.ended).toBe(false);
});

test("a client whose packets each end within another frame has the whole timeout for each frame", () => {
  const client = new ScriptedClient().begin();
  client.host.onExchange = (exchange) => {
    exchange.response.start({ ...OK, bodyLength: 0 });
    exchange.response.end("");
  };
  const half = (streamId: number): readonly [Buffer, Buffer] => {
    const payload = client.block(GET);
    const frame = f.payloadFrame({ type: f.HEADERS, flags: f.END_STREAM | f.END_HEADERS, streamId }, payload);
    return [frame.subarray(0, 20), frame.subarray(20)];
  };
  let rest: Buffer = Buffer.alloc(0);
  for (let i = 0; i < 30; i++) {
    const [first, second] = half(2 * i + 1);
    client.bytes(Buffer.concat([rest, first]));
    rest = second;
    client.host.clock.advance(1000);
  }
  expect([client.wire.ended, client.wire.closed, client.host.exchanges.length]).toEqual([false, false, 29]);
  client.host.clock.advance(9100);
  expect(client.wire.ended).toBe(true);
});

test("data buffered for a client counts against the worker's buffers, and never exceeds them", () => {
  const host = new Host();
  const client = new ScriptedClient(host).begin([[4, 1]]);
  for (let i = 0; i < 4; i++) {
    const exchange = open(client, 2 * i + 1);
    if (i % 2 === 0) begin(exchange, 100_000);
    else {
      exchange.response.start({ ...OK, bodyLength: 100_000 });
      exchange.response.data(Buffer.alloc(100_000));
      exchange.response.end("");
    }
  }
  expect(host.buffers.used).toBeGreaterThanOrEqual(400_000);
  for (let i = 0; i < 4; i++) client.numbers(f.RST_STREAM, 2 * i + 1, f.CANCEL);
  expect(host.buffers.used).toBe(0);
  host.buffers.limits = { bufferSize: 65_536, bufferCount: 2, reserve: 0 };
  let cancelled = 0;
  for (const streamId of [9, 11]) {
    const exchange = open(client, streamId);
    exchange.onCancel = () => cancelled++;
    begin(exchange, 100_000);
  }
  expect(client.heard().at(-1)).toBe("RST_STREAM 11 2");
  expect([cancelled, client.connection.streams.size]).toEqual([1, 1]);
});

test("a body that is not read yet takes only the memory of its bytes, however small its frames, and fails without memory", () => {
  const host = new Host();
  const client = new ScriptedClient(host).begin();
  const exchange = open(client, 1, 0, POST);
  for (let i = 0; i < 20_000; i++) client.data(1, 0, "a");
  expect(host.buffers.used).toBe(65_536);
  const body = new Collector();
  exchange.body.readTo(body);
  expect([body.length, host.buffers.used]).toEqual([20_000, 0]);
  host.buffers.limits = { bufferSize: 65_536, bufferCount: 0, reserve: 0 };
  const refused = open(client, 3, 0, POST);
  client.data(3, 0, "abc");
  const unread = new Collector();
  refused.body.readTo(unread);
  expect([unread.length, unread.error?.code]).toEqual([0, "overloaded"]);
});

test("all streams of a connection learn that it is closed, even if one of them throws", () => {
  const client = new ScriptedClient().begin();
  const heard: number[] = [];
  for (const streamId of [1, 3, 5]) {
    open(client, streamId).onCancel = () => {
      heard.push(streamId);
      if (streamId === 1) throw new Error("broken");
    };
  }
  expect(() => client.wire.terminate()).toThrow("broken");
  expect(heard).toEqual([1, 3, 5]);
  expect(client.host.closedCount).toBe(1);
});

test("small responses that are not read share one of the worker's buffers", () => {
  const host = new Host();
  const client = new ScriptedClient(host).begin([[4, 0]]);
  for (let i = 0; i < 10; i++) {
    const { response } = open(client, 2 * i + 1);
    response.start({ ...OK, bodyLength: 100 });
    response.data(Buffer.alloc(1_000_000, 0x61), 500, 600);
    response.end("");
  }
  sendGathered();
  client.frames();
  expect(host.buffers.used).toBe(65_536);
  client.frame(f.SETTINGS, 0, 0, Buffer.from("0004000000ff", "hex"));
  const sent = client.frames().filter(({ type }) => type === f.DATA);
  expect(sent.map(({ flags, payload }) => [flags, payload.toString()])).toEqual(
    sent.map(() => [f.END_STREAM, "a".repeat(100)]),
  );
  expect([sent.length, client.connection.streams.size]).toEqual([10, 0]);
});
