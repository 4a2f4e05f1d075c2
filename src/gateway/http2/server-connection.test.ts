import { expect, test } from "bun:test";
import fc from "fast-check";
import { TurnpikeError } from "../../lib/errors.ts";
import { type BodySink, type Exchange, type ResponseHead } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { IndexingEncoder } from "./hpack/testing/indexing-encoder.ts";
import { GET, Host, POST, ScriptedClient, SETTINGS } from "./testing/scripted-client.ts";

const OK = { status: 200, reason: "OK", fields: "Content-Type: text/plain\r\n", bodyLength: -1 } satisfies ResponseHead;
const TEXT = "content-type: text/plain";

class Collector implements BodySink {
  text = "";
  trailers: string | undefined;
  error: TurnpikeError | undefined;
  room = true;
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.text += Buffer.from(chunk.subarray(start, end)).toString();
    return this.room;
  }
  end(trailers: string): void {
    this.trailers = trailers;
  }
  abort(error: TurnpikeError): void {
    this.error = error;
  }
}

function reply(exchange: Exchange, text: string): void {
  exchange.response.start({ ...OK, bodyLength: text.length });
  exchange.response.data(Buffer.from(text));
  exchange.response.end("");
  sendGathered();
}

/** Sends one request and returns its exchange. */
function open(client: ScriptedClient, streamId: number, flags: number, fields = GET): Exchange {
  client.head(streamId, flags, fields);
  const exchange = client.host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("Cannot go on: no exchange was made");
  return exchange;
}

test("a connection begins with SETTINGS that contain its limits, and acknowledges the client's SETTINGS", () => {
  const client = new ScriptedClient();
  client.bytes(f.PREFACE);
  client.frame(f.SETTINGS, 0, 0);
  const [settings, window, acknowledgement] = client.frames();
  expect(settings?.payload.toString("hex")).toBe("00030000000a00040000ffff000500004000000600002000000800000001");
  expect([window?.type, acknowledgement?.type, acknowledgement?.flags]).toEqual([f.WINDOW_UPDATE, f.SETTINGS, f.ACK]);
});

test("a request becomes an exchange with a normalised head, and its response is one HEADERS and one DATA", () => {
  const client = new ScriptedClient().begin();
  const fields = [
    ...GET.slice(0, 3),
    [":path", "/a/../b?q=1"],
    ["accept", "x"],
    ["cookie", "a=1"],
    ["cookie", "b=2"],
  ] as const;
  const exchange = open(client, 1, f.END_STREAM, fields);
  expect(exchange.head).toMatchObject({
    method: "GET",
    scheme: "https",
    authority: "example.com",
    path: "/b",
    query: "?q=1",
    fields: "accept: x\r\ncookie: a=1; b=2\r\n",
    bodyLength: 0,
  });
  reply(exchange, "hello");
  expect(client.heard()).toEqual([`HEADERS 1 :status: 200, content-length: 5, ${TEXT}`, 'DATA 1 "hello" end']);
  expect(client.connection.streams.size).toBe(0);
});

test("a response without a body ends with its head, and a response to HEAD announces a length", () => {
  const client = new ScriptedClient().begin();
  open(client, 1, f.END_STREAM, [[":method", "HEAD"], ...GET.slice(1)]).response.start({ ...OK, bodyLength: 9 });
  open(client, 3, f.END_STREAM).response.start({ ...OK, status: 304, bodyLength: -1 });
  for (const exchange of client.host.exchanges) exchange.response.end("");
  sendGathered();
  expect(client.heard()).toEqual([
    `HEADERS 1 :status: 200, content-length: 9, ${TEXT} end`,
    `HEADERS 3 :status: 304, ${TEXT} end`,
  ]);
});

test("interim responses precede the final one, and a 101 is not sent", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, f.END_STREAM);
  exchange.addedFields = "X-Added: 1\r\n";
  exchange.response.start({ status: 103, reason: "", fields: "Link: </a.css>\r\n", bodyLength: 0 });
  exchange.response.start({ status: 101, reason: "", fields: "", bodyLength: 0 });
  reply(exchange, "x");
  expect(client.heard()[0]).toBe("HEADERS 1 :status: 103, link: </a.css>");
  expect(exchange.status).toBe(200);
});

test("the stream with the highest possible number is served", () => {
  const client = new ScriptedClient().begin();
  reply(open(client, 0x7f_ff_ff_ff, f.END_STREAM), "last");
  expect(client.heard().at(-1)).toBe('DATA 2147483647 "last" end');
});

test("trailers pass in both directions", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, 0, POST);
  const body = new Collector();
  exchange.body.readTo(body);
  client.data(1, 0, "abc");
  client.head(1, f.END_STREAM, [["x-sum", "6"]]);
  expect([body.text, body.trailers]).toEqual(["abc", "x-sum: 6\r\n"]);
  exchange.response.start(OK);
  exchange.response.data(Buffer.from("def"));
  exchange.response.end("Grpc-Status: 0\r\n");
  sendGathered();
  expect(client.heard().slice(1)).toEqual(['DATA 1 "def"', "HEADERS 1 grpc-status: 0 end"]);
});

test("data waits for the client's windows, and the sender is called when there is room", () => {
  const client = new ScriptedClient().begin([[4, 10]]);
  const exchange = open(client, 1, f.END_STREAM);
  let drained = 0;
  exchange.onDrain = () => drained++;
  exchange.response.start(OK);
  expect(exchange.response.data(Buffer.from("0123456789abcdef"))).toBe(false);
  sendGathered();
  expect(client.heard().slice(1)).toEqual(['DATA 1 "0123456789"']);
  client.numbers(f.WINDOW_UPDATE, 1, 3);
  expect([client.heard(), drained]).toEqual([['DATA 1 "abc"'], 0]);
  client.numbers(f.WINDOW_UPDATE, 1, 100);
  expect([client.heard(), drained]).toEqual([['DATA 1 "def"'], 1]);
  exchange.response.end("");
  sendGathered();
  expect(client.heard()).toEqual(['DATA 1 "" end']);
});

test("a window that the client's SETTINGS make negative must become positive before data is sent", () => {
  const client = new ScriptedClient().begin([[4, 10]]);
  const exchange = open(client, 1, f.END_STREAM);
  exchange.response.start(OK);
  exchange.response.data(Buffer.from("01234"));
  sendGathered();
  client.frames();
  client.frame(f.SETTINGS, 0, 0, Buffer.from("000400000003", "hex"));
  exchange.response.data(Buffer.from("ab"));
  client.numbers(f.WINDOW_UPDATE, 1, 2);
  expect(client.heard()).toEqual(["SETTINGS 1"]);
  client.numbers(f.WINDOW_UPDATE, 1, 1);
  expect(client.heard()).toEqual(['DATA 1 "a"']);
});

test("the connection's window limits all streams, and they take turns when it opens", () => {
  const client = new ScriptedClient().begin([[4, 1_000_000]]);
  const [first, second] = [open(client, 1, f.END_STREAM), open(client, 3, f.END_STREAM)];
  for (const exchange of [first, second]) {
    exchange.response.start(OK);
    exchange.response.data(Buffer.alloc(80_000));
  }
  sendGathered();
  const sent = client.frames().filter(({ type }) => type === f.DATA);
  expect(sent.reduce((sum, { payload }) => sum + payload.length, 0)).toBe(65_535);
  client.numbers(f.WINDOW_UPDATE, 0, 60_000);
  expect(client.frames().map(({ streamId }) => streamId)).toEqual([1, 3, 3, 3]);
});

test("a body for which there is no room is not requested until there is room", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, 0, POST);
  const body = new Collector();
  body.room = false;
  exchange.body.readTo(body);
  for (let i = 0; i < 3; i++) client.data(1, 0, Buffer.alloc(16_384, 0x61));
  expect(client.heard()).toEqual([]);
  exchange.body.resume();
  sendGathered();
  expect(client.heard()).toEqual(["WINDOW_UPDATE 1 49152"]);
});

test("pauses in a body do not restart its timeout", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, 0, POST);
  const body = new Collector();
  exchange.body.readTo(body);
  for (let i = 0; i < 3; i++) {
    client.host.clock.advance(9000);
    exchange.body.pause();
    client.host.clock.advance(60_000);
    exchange.body.resume();
  }
  // 27 of 30 s are over. The pauses do not count.
  client.host.clock.advance(2000);
  expect(body.error).toBeUndefined();
  client.host.clock.advance(2000);
  expect(body.error?.code).toBe("request-timeout");
});

test("a client may use the larger window until it has acknowledged a smaller one, and then only the rest of that", () => {
  const host = new Host();
  host.current = { ...SETTINGS, http2: { ...SETTINGS.http2, initialWindowSize: 10_000 } };
  const client = new ScriptedClient(host);
  client.bytes(f.PREFACE);
  client.settings([]);
  const exchanges = [1, 3].map((streamId) => open(client, streamId, 0, POST));
  for (const exchange of exchanges) exchange.body.readTo(Object.assign(new Collector(), { room: false }));
  client.data(1, 0, Buffer.alloc(4000));
  client.data(3, 0, Buffer.alloc(4000));
  client.frame(f.SETTINGS, f.ACK, 0);
  client.heard();
  client.data(1, 0, Buffer.alloc(6000));
  expect(client.heard()).toEqual([]);
  client.data(3, 0, Buffer.alloc(6001));
  expect(client.heard()).toEqual(["RST_STREAM 3 3"]);
  // The window grows by half of its new size at a time.
  exchanges[0]?.body.resume();
  sendGathered();
  expect(client.heard()).toEqual(["WINDOW_UPDATE 1 10000"]);
});

test("data beyond the window is a stream error", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, 0, POST);
  exchange.body.readTo(Object.assign(new Collector(), { room: false }));
  for (let i = 0; i < 4; i++) client.data(1, 0, Buffer.alloc(16_384));
  client.data(1, 0, Buffer.alloc(2));
  expect(client.heard()).toEqual(["RST_STREAM 1 3"]);
  expect(exchange.gone).toBe(true);
});

test("padding counts against the windows and is given back", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, 0, POST);
  const body = new Collector();
  exchange.body.readTo(body);
  const padded = Buffer.concat([Buffer.from([100]), Buffer.from("ab"), Buffer.alloc(100)]);
  for (let i = 0; i < 400; i++) client.frame(f.DATA, f.PADDED, 1, padded);
  expect(body.text.length).toBe(800);
  expect(client.heard()).toEqual(["WINDOW_UPDATE 1 32857"]);
});

test("a body that is too large is refused by its length, or when it reaches the limit", () => {
  const host = new Host();
  host.current = { ...SETTINGS, maxBodyBytes: 5 };
  const client = new ScriptedClient(host).begin();
  const announced = open(client, 1, 0, [...POST, ["content-length", "6"]]);
  expect([announced.body.error?.code, host.refusals]).toEqual(["body-too-large", []]);
  reply(announced, "no");
  // The client gets no window for data that is not read.
  client.data(1, 0, "abcde");
  host.clock.advance(1000);
  expect(client.heard().slice(1)).toEqual(['DATA 1 "no" end', "RST_STREAM 1 0"]);
  const exchange = open(client, 3, 0, POST);
  const body = new Collector();
  exchange.body.readTo(body);
  client.data(3, 0, "abcdefgh");
  expect(body.error?.code).toBe("body-too-large");
  reply(exchange, "no");
  host.clock.advance(1000);
  expect(client.heard().slice(1)).toEqual(['DATA 3 "no" end', "RST_STREAM 3 0"]);
});

test("content-length and data must agree", () => {
  const client = new ScriptedClient().begin();
  for (const [streamId, text] of [
    [1, "abcd"],
    [3, "ab"],
  ] as const) {
    open(client, streamId, 0, [...POST, ["content-length", "3"]]).body.readTo(new Collector());
    client.data(streamId, f.END_STREAM, text);
  }
  expect(client.heard()).toEqual(["RST_STREAM 1 1", "RST_STREAM 3 1"]);
  expect(client.host.exchanges.map(({ gone }) => gone)).toEqual([true, true]);
});

test("when a client resets its stream or leaves, both the exchange and the reader of its body are notified", () => {
  const client = new ScriptedClient().begin();
  const heard: string[] = [];
  const bodies = [new Collector(), new Collector()];
  for (const [i, body] of bodies.entries()) {
    const exchange = open(client, 2 * i + 1, 0, POST);
    exchange.onCancel = () => heard.push(`cancel ${i}`);
    exchange.onFinish = () => heard.push(`finish ${i}`);
    exchange.body.readTo(body);
  }
  client.numbers(f.RST_STREAM, 1, f.CANCEL);
  expect(heard).toEqual(["cancel 0", "finish 0"]);
  client.wire.terminate();
  expect(heard).toEqual(["cancel 0", "finish 0", "cancel 1", "finish 1"]);
  expect(bodies.map(({ error }) => error?.code)).toEqual(["bad-request", "bad-request"]);
  expect(client.host.closedCount).toBe(1);
});

test("a response that breaks off resets its stream and no other", () => {
  const client = new ScriptedClient().begin();
  const [broken, sound] = [open(client, 1, f.END_STREAM), open(client, 3, f.END_STREAM)];
  broken.response.start(OK);
  broken.response.abort(new Error("broken") as TurnpikeError);
  reply(sound, "x");
  expect(client.heard()).toContain("RST_STREAM 1 2");
  expect(client.wire.ended).toBe(false);
});

test("a head longer than the client's frame size is sent with CONTINUATION", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, f.END_STREAM);
  exchange.response.start({ ...OK, fields: `X-Long: ${"a".repeat(40_000)}\r\n`, bodyLength: 0 });
  exchange.response.end("");
  sendGathered();
  const frames = client.frames();
  expect(frames.map(({ type, flags, payload }) => [type, flags, payload.length <= 16_384])).toEqual([
    [f.HEADERS, f.END_STREAM, true],
    [f.CONTINUATION, 0, true],
    [f.CONTINUATION, f.END_HEADERS, true],
  ]);
});

test("timeouts end a head, a body, an idle connection, and a response that is not read", () => {
  const late = new ScriptedClient();
  late.bytes(f.PREFACE.subarray(0, 10));
  late.host.clock.advance(11_000);
  expect(late.wire.ended).toBe(true);

  const client = new ScriptedClient().begin([[4, 1]]);
  const exchange = open(client, 1, 0, POST);
  const body = new Collector();
  exchange.body.readTo(body);
  client.host.clock.advance(31_000);
  expect(body.error?.code).toBe("request-timeout");
  exchange.response.start(OK);
  exchange.response.data(Buffer.from("abc"));
  client.host.clock.advance(21_000);
  expect(client.heard().at(-1)).toBe("RST_STREAM 1 8");
  client.host.clock.advance(58_000);
  expect(client.heard()).toEqual([]);
  client.host.clock.advance(2000);
  expect(client.heard()).toEqual(["GOAWAY 1 0"]);
  expect(client.wire.ended).toBe(true);
});

test.each(["that arrive whole", "that each end within the next one"])(
  "an idle connection ends on time, despite PINGs %s",
  (how) => {
    const client = new ScriptedClient().begin();
    reply(open(client, 1, f.END_STREAM), "1");
    const ping = Buffer.from([0, 0, 8, f.PING, 0, 0, 0, 0, 0, ...Buffer.alloc(8)]);
    const cut = how === "that arrive whole" ? 0 : 5;
    client.bytes(ping.subarray(0, cut));
    for (let seconds = 0; seconds < 55; seconds += 5) {
      client.host.clock.advance(5000);
      client.bytes(Buffer.concat([ping.subarray(cut), ping.subarray(0, cut)]));
    }
    expect(client.wire.ended).toBe(false);
    client.host.clock.advance(6000);
    client.bytes(ping.subarray(cut));
    client.host.clock.advance(100);
    expect(client.wire.ended).toBe(true);
    expect(client.heard().at(-1)).toBe("GOAWAY 1 0");
  },
);

test("an idle connection ends on time, even if a PING ends and another one begins at that moment", () => {
  const client = new ScriptedClient().begin();
  const ping = Buffer.from([0, 0, 8, f.PING, 0, 0, 0, 0, 0, ...Buffer.alloc(8)]);
  client.bytes(ping.subarray(0, 5));
  const goOn = () => client.bytes(Buffer.concat([ping.subarray(5), ping.subarray(0, 5)]));
  for (let seconds = 0; seconds < 60; seconds += 5) {
    client.host.clock.advance(5000);
    expect(client.wire.ended).toBe(false);
    goOn();
  }
  client.host.clock.advance(100);
  expect(client.wire.ended).toBe(true);
});

test("PINGs that end within each other do not end a connection that has a request", () => {
  const client = new ScriptedClient().begin();
  open(client, 1, f.END_STREAM);
  const ping = Buffer.from([0, 0, 8, f.PING, 0, 0, 0, 0, 0, ...Buffer.alloc(8)]);
  client.bytes(ping.subarray(0, 5));
  for (let seconds = 0; seconds < 70; seconds += 5) {
    client.host.clock.advance(5000);
    client.bytes(Buffer.concat([ping.subarray(5), ping.subarray(0, 5)]));
  }
  client.host.clock.advance(100);
  expect(client.wire.ended).toBe(false);
});

test("a connection that is cut off has sent the data that was written", () => {
  const client = new ScriptedClient().begin();
  open(client, 1, f.END_STREAM).response.start({ ...OK, bodyLength: 0 });
  client.connection.cutOff();
  expect(client.heard()[0]).toStartWith("HEADERS 1 :status: 200");
});

test("frames after an error in the same read are not served", () => {
  const client = new ScriptedClient().begin();
  const error = f.numbersFrame({ type: f.WINDOW_UPDATE, flags: 0, streamId: 0 }, [0]);
  const request = f.payloadFrame(
    { type: f.HEADERS, flags: f.END_STREAM | f.END_HEADERS, streamId: 1 },
    client.block(GET),
  );
  client.bytes(Buffer.concat([error, request]));
  expect(client.host.exchanges).toEqual([]);
});

test("a window that opens byte by byte does not prolong the timeout, and one that opens slowly does", () => {
  const steps: readonly (readonly [bytes: number, seconds: number, ends: boolean])[] = [
    [1, 30, true],
    [4096, 120, false],
  ];
  for (const [bytes, most, ends] of steps) {
    const client = new ScriptedClient().begin([[4, 0]]);
    const exchange = open(client, 1, f.END_STREAM);
    exchange.response.start(OK);
    exchange.response.data(Buffer.alloc(200_000));
    sendGathered();
    for (let seconds = 0; seconds < most; seconds += 5) {
      client.host.clock.advance(5000);
      client.numbers(f.WINDOW_UPDATE, 0, bytes);
      client.numbers(f.WINDOW_UPDATE, 1, bytes);
    }
    expect([bytes, client.heard().includes("RST_STREAM 1 8")]).toEqual([bytes, ends]);
  }
});

test("data that arrives while the client's window is shut does not prolong the timeout", () => {
  const client = new ScriptedClient().begin([[4, 0]]);
  const exchange = open(client, 1, f.END_STREAM);
  exchange.response.start(OK);
  for (let seconds = 0; seconds < 30; seconds += 5) {
    exchange.response.data(Buffer.from("event"));
    sendGathered();
    client.host.clock.advance(5000);
  }
  expect(client.heard()).toContain("RST_STREAM 1 8");
});

test("a slow upstream does not use up the client's time to read", () => {
  const client = new ScriptedClient().begin([[4, 0]]);
  const exchange = open(client, 1, f.END_STREAM);
  exchange.response.start(OK);
  for (let event = 0; event < 40; event++) {
    exchange.response.data(Buffer.from("event"));
    sendGathered();
    client.host.clock.advance(1000);
    client.numbers(f.WINDOW_UPDATE, 1, 5);
    client.host.clock.advance(60_000);
  }
  expect(client.heard()).not.toContain("RST_STREAM 1 8");
});

test("a head that begins within the idle timeout has its own timeout", () => {
  const client = new ScriptedClient().begin();
  const head = f.PING;
  client.host.clock.advance(59_000);
  client.bytes(Buffer.from([0, 0, 8, head, 0]));
  client.host.clock.advance(9000);
  expect(client.wire.ended).toBe(false);
  client.host.clock.advance(2000);
  expect(client.wire.ended || client.wire.closed).toBe(true);
});

test("a closed connection lingers while its client still gives windows back, and then closes without a reset", () => {
  const client = new ScriptedClient().begin();
  reply(open(client, 1, f.END_STREAM), "1");
  client.host.clock.advance(60_100);
  expect([client.wire.ended, client.wire.closed]).toEqual([true, false]);
  for (let seconds = 0; seconds < 19; seconds++) {
    client.host.clock.advance(1000);
    client.numbers(f.WINDOW_UPDATE, 0, 1000);
  }
  expect(client.wire.closed).toBe(false);
  for (let seconds = 0; seconds < 4; seconds++) {
    client.host.clock.advance(1000);
    client.numbers(f.WINDOW_UPDATE, 0, 1000);
  }
  expect([client.wire.closed, client.wire.cut]).toEqual([true, false]);
});

test("the gateway does not wait for a client that caused an error", () => {
  const client = new ScriptedClient().begin();
  client.numbers(f.WINDOW_UPDATE, 0, 0);
  for (let seconds = 0; seconds < 3; seconds++) {
    client.host.clock.advance(1000);
    client.numbers(f.WINDOW_UPDATE, 0, 1000);
  }
  expect(client.wire.closed).toBe(true);
});

test("an unfinished field section reaches its timeout even if other streams are open", () => {
  const client = new ScriptedClient().begin();
  open(client, 1, f.END_STREAM);
  client.frame(f.HEADERS, f.END_STREAM, 3, client.block(GET));
  client.host.clock.advance(11_000);
  expect(client.wire.closed || client.wire.ended).toBe(true);
});

test("during a drain, requests that are on their way are accepted, and then the open ones end", () => {
  const client = new ScriptedClient().begin();
  const first = open(client, 1, f.END_STREAM);
  client.connection.drain();
  expect(client.heard()).toEqual(["GOAWAY 2147483647 0", "PING 0"]);
  const second = open(client, 3, f.END_STREAM);
  client.frame(f.PING, f.ACK, 0, Buffer.alloc(8));
  expect(client.heard()).toEqual(["GOAWAY 3 0"]);
  client.head(5, f.END_STREAM, GET);
  expect(client.host.exchanges.length).toBe(2);
  reply(first, "1");
  expect(client.wire.ended).toBe(false);
  reply(second, "2");
  expect(client.heard().at(-1)).toBe("GOAWAY 5 0");
  expect(client.wire.ended).toBe(true);
});

test("streams beyond the limit are refused and can be retried", () => {
  const client = new ScriptedClient().begin();
  for (let i = 0; i < 11; i++) client.head(2 * i + 1, f.END_STREAM, GET);
  expect(client.heard()).toEqual(["RST_STREAM 21 7"]);
});

test("a flood of frames that move no data ends the connection", () => {
  const floods: ((client: ScriptedClient, i: number) => void)[] = [
    (client) => client.frame(f.PING, 0, 0, Buffer.alloc(8)),
    (client) => client.frame(f.SETTINGS, 0, 0),
    (client) => client.frame(f.PRIORITY, 0, 1, Buffer.alloc(5)),
    (client) => client.frame(0x77, 0, 0),
    (client) => client.data(1, 0, ""),
    (client) => client.numbers(f.WINDOW_UPDATE, 1, 1),
    // Trailers for a stream that this side has reset.
    (client, i) => {
      if (i === 0) client.host.exchanges[0]?.response.abort(new TurnpikeError("internal", ""));
      client.head(1, f.END_STREAM, [["x", "y"]]);
    },
    (client, i) => {
      client.head(2 * i + 3, f.END_STREAM, GET);
      client.numbers(f.RST_STREAM, 2 * i + 3, f.CANCEL);
    },
  ];
  for (const [n, flood] of floods.entries()) {
    const client = new ScriptedClient().begin();
    client.head(1, 0, POST);
    for (let i = 0; i < 10_100 && !client.wire.ended; i++) flood(client, i);
    expect([n, client.heard().at(-1)?.replace(/ \d+ /, " ")]).toEqual([n, "GOAWAY 11"]);
  }
});

test("the gateway stops reading from a client that sends requests but reads no responses", () => {
  const client = new ScriptedClient().begin([[4, 1_000_000]]);
  client.wire.takes = Array.from({ length: 10_000 }, () => 0);
  client.host.onExchange = (exchange) => {
    exchange.response.start({ ...OK, fields: `X-Long: ${"a".repeat(5000)}\r\n`, bodyLength: 0 });
    exchange.response.end("");
  };
  for (let i = 0; i < 100; i++) client.head(2 * i + 1, f.END_STREAM, GET);
  expect(client.wire.paused).toBe(true);
  // The client reads one byte, which is not all that waits for it.
  client.wire.takes = [1, 0];
  client.connection.onDrain();
  expect(client.wire.paused).toBe(true);
  client.wire.takes = [];
  client.connection.onDrain();
  expect(client.wire.paused).toBe(false);
  expect(client.frames().length).toBe(100);
});

test("the gateway reads on until more than 262,144 bytes wait for the client, to the byte", () => {
  const client = new ScriptedClient().begin([[4, 1_000_000]]);
  const { out } = client.connection;
  client.wire.takes = Array.from({ length: 10_000 }, () => 0);
  client.host.onExchange = (exchange) => {
    exchange.response.start({ ...OK, fields: `X-Long: ${"a".repeat(5000)}\r\n`, bodyLength: 0 });
    exchange.response.end("");
  };
  for (let id = 1; out.backlogBytes < 250_000; id += 2) client.head(id, f.END_STREAM, GET);
  const rest = 262_144 - out.backlogBytes;
  // Acknowledgements of SETTINGS have 9 bytes, and those of PING 17.
  let settings = 0;
  while ((rest - 9 * settings) % 17 !== 0) settings++;
  for (let i = 0; i < settings; i++) client.settings([]);
  for (let i = 0; i < (rest - 9 * settings) / 17; i++) client.frame(f.PING, 0, 0, Buffer.alloc(8));
  expect([out.backlogBytes, client.wire.paused]).toEqual([262_144, false]);
  client.settings([]);
  expect([out.backlogBytes, client.wire.paused]).toEqual([262_153, true]);
});

test("a connection that ends for an error of its client is cut when the client sends on, and one that closes is not", () => {
  for (const [send, isCut] of [
    [(client: ScriptedClient) => client.data(0, 0, "x"), true],
    [(client: ScriptedClient) => client.connection.close(f.NO_ERROR), false],
  ] as const) {
    const client = new ScriptedClient().begin();
    send(client);
    expect([client.wire.ended, client.wire.closed]).toEqual([true, false]);
    client.host.clock.advance(2100);
    expect([client.wire.closed, client.wire.cut]).toEqual([true, isCut]);
  }
});

test("with any windows and sockets, responses arrive complete and in order", () => {
  const scenario = fc.record({
    window: fc.integer({ min: 0, max: 200 }),
    chunks: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 }),
    takes: fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 }),
    updates: fc.array(fc.tuple(fc.constantFrom(1, 3, 0), fc.integer({ min: 1, max: 150 })), { maxLength: 30 }),
    known: fc.boolean(),
  });
  fc.assert(
    fc.property(scenario, ({ window, chunks, takes, updates, known }) => {
      const client = new ScriptedClient().begin([[4, window]]);
      client.wire.takes = takes;
      const length = chunks.reduce((sum, size) => sum + size, 0);
      const bodies = [1, 3].map((streamId) => {
        const body = Buffer.from(Array.from({ length }, (_, i) => (i * streamId) % 251));
        const { response } = open(client, streamId, f.END_STREAM);
        response.start({ ...OK, bodyLength: known ? length : -1 });
        let at = 0;
        for (const size of chunks) {
          response.data(body.subarray(at, at + size));
          at += size;
        }
        response.end("");
        sendGathered();
        return body;
      });
      for (const [streamId, by] of updates) {
        client.numbers(f.WINDOW_UPDATE, streamId, by);
        client.connection.onDrain();
      }
      client.wire.takes = [];
      for (const streamId of [1, 3]) client.numbers(f.WINDOW_UPDATE, streamId, 10_000);
      client.connection.onDrain();
      const data = client.frames().filter(({ type }) => type === f.DATA);
      for (const [i, body] of bodies.entries()) {
        const own = data.filter(({ streamId }) => streamId === 2 * i + 1);
        expect(Buffer.concat(own.map(({ payload }) => payload)).equals(body)).toBe(true);
        expect(own.map(({ flags }) => flags & f.END_STREAM).join("")).toMatch(/^0*1$/);
      }
      expect(client.connection.streams.size).toBe(0);
    }),
  );
});

test("a repeated head makes a separate request, even if policies have changed the first one", () => {
  const client = new ScriptedClient().begin();
  const fields = [...GET, ["accept", "x"], ["x-request-id", "0123456789"]] as const;
  const first = open(client, 1, f.END_STREAM, fields);
  first.head.path = "/changed";
  first.head.fields += "x-added: 1\r\n";
  const second = open(client, 3, f.END_STREAM, fields);
  expect(second.head).toMatchObject({ path: "/", fields: "accept: x\r\n", bodyLength: 0 });
  expect([first.id, second.id]).toEqual(["0123456789", "0123456789"]);
  // With a body to follow, it is a different request.
  expect(open(client, 5, 0, fields).head.bodyLength).toBe(-1);
  expect(open(client, 7, f.END_STREAM, fields).head.bodyLength).toBe(0);
});

const kind = (name: string): "without" | "indexed" => (name === ":authority" ? "without" : "indexed");

test("the same block is decoded again after the table has changed", () => {
  const client = new ScriptedClient().begin();
  const [encoder, huffman] = [new IndexingEncoder(), false];
  const fields = [...GET, ["x-a", "1"]] as const;
  const head = fields.map(([name, value]) => ({ name, value, as: kind(name), huffman }) as const);
  const blocks = [encoder.block(head), encoder.block(head), encoder.block(head)];
  const other = encoder.block([...head, { name: "x-b", value: "2", as: "incremental", huffman }]);
  const paths = [...blocks, other, blocks[2] ?? other].map((block, i) => {
    client.frame(f.HEADERS, f.END_HEADERS | f.END_STREAM, 2 * i + 1, block);
    return client.host.exchanges.at(-1)?.head.fields;
  });
  // After one more entry, the index of x-a stands for x-b.
  expect(paths).toEqual(["x-a: 1\r\n", "x-a: 1\r\n", "x-a: 1\r\n", "x-a: 1\r\nx-b: 2\r\n", "x-b: 2\r\n"]);
});
