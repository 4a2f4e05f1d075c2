import { describe, expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { type BodySink, type Exchange, type ResponseHead } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { GET, Host, POST, ScriptedClient, SETTINGS } from "./testing/scripted-client.ts";

const OK = { status: 200, reason: "OK", fields: "", bodyLength: -1 } satisfies ResponseHead;
const CONNECT = [
  [":method", "CONNECT"],
  [":protocol", "websocket"],
  [":scheme", "https"],
  [":authority", "example.com"],
  [":path", "/"],
  ["sec-websocket-version", "13"],
] as const;

/** A host whose clients may open `maxStreams` streams at a time. */
function withStreams(maxStreams: number): Host {
  const host = new Host();
  host.current = { ...SETTINGS, http2: { ...SETTINGS.http2, maxStreams } };
  return host;
}

/** Sends one request and returns its exchange. */
function open(
  client: ScriptedClient,
  streamId: number,
  flags: number,
  fields: readonly (readonly [string, string])[] = GET,
): Exchange {
  client.head(streamId, flags, fields);
  const exchange = client.host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("Cannot go on: no exchange was made");
  return exchange;
}

/** Reads a body, and records the result. */
function read(exchange: Exchange): { text: string; ends: string[]; errors: string[] } {
  const told = { text: "", ends: [] as string[], errors: [] as string[] };
  const sink: BodySink = {
    data(chunk, start = 0, end = chunk.length) {
      told.text += Buffer.from(chunk.subarray(start, end)).toString();
      return true;
    },
    end: (trailers) => void told.ends.push(trailers),
    abort: ({ code }) => void told.errors.push(code),
  };
  exchange.body.readTo(sink);
  return told;
}

describe("a body", () => {
  test("may be as long as the limit, announced or not, and not a byte longer", () => {
    const host = new Host();
    host.current = { ...SETTINGS, maxBodyBytes: 5 };
    const client = new ScriptedClient(host).begin();
    const announced = read(open(client, 1, 0, [...POST, ["content-length", "5"]]));
    client.data(1, f.END_STREAM, "abcde");
    const unknown = read(open(client, 3, 0, POST));
    client.data(3, 0, "abcde");
    expect([announced, unknown]).toEqual([
      { text: "abcde", ends: [""], errors: [] },
      { text: "abcde", ends: [], errors: [] },
    ]);
    client.data(3, 0, "f");
    expect(unknown.errors).toEqual(["body-too-large"]);
  });

  test("has no limits of time and length after they were lifted", () => {
    const host = new Host();
    host.current = { ...SETTINGS, maxBodyBytes: 5 };
    const client = new ScriptedClient(host).begin();
    const exchange = open(client, 1, 0, POST);
    const told = read(exchange);
    client.data(1, 0, "abc");
    exchange.body.liftLimits?.();
    client.data(1, 0, "defgh");
    host.clock.advance(300_000);
    expect([told.text, told.errors]).toEqual(["abcdefgh", []]);
    client.data(1, f.END_STREAM, "");
    expect(told.ends).toEqual([""]);
  });

  test("that was complete before it is read is read, and ends", () => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 1, 0, POST);
    client.data(1, 0, "abc");
    client.data(1, 0, "def");
    client.head(1, f.END_STREAM, [["x-sum", "1"]]);
    expect(read(exchange)).toEqual({ text: "abcdef", ends: ["x-sum: 1\r\n"], errors: [] });
    expect(() => read(exchange)).toThrow("being read already");
  });

  test("that reaches its timeout ends its stream only", () => {
    const client = new ScriptedClient().begin();
    const late = read(open(client, 1, 0, POST));
    const other = open(client, 3, f.END_STREAM);
    client.host.clock.advance(31_000);
    expect([late.errors, client.wire.ended]).toEqual([["request-timeout"], false]);
    other.response.start({ ...OK, bodyLength: 0 });
    other.response.end("");
    sendGathered();
    expect(client.heard().filter((frame) => frame.startsWith("GOAWAY"))).toEqual([]);
    expect(other.status).toBe(200);
  });

  test("that has ended has no timeout", () => {
    const client = new ScriptedClient().begin();
    const told = read(open(client, 1, 0, POST));
    client.data(1, f.END_STREAM, "abc");
    client.host.clock.advance(50_000);
    expect([told.ends, told.errors, client.host.exchanges[0]?.gone]).toEqual([[""], [], false]);
  });
});

test("the exchanges of a connection share its wire, its session and the lines that are kept for its client", () => {
  const client = new ScriptedClient().begin();
  const [first, second] = [open(client, 1, f.END_STREAM), open(client, 3, f.END_STREAM)];
  expect([first.transport === client.wire, first.session === client.connection]).toEqual([true, true]);
  expect([second.session === first.session, second.clientLines]).toEqual([true, undefined]);
  // No function of them is called.
  const lines = {} as NonNullable<Exchange["clientLines"]>;
  first.clientLines = lines;
  expect(second.clientLines).toBe(lines);
});

describe("a response", () => {
  test("has all its added fields, however full the buffer is that connections share", () => {
    const client = new ScriptedClient(withStreams(60)).begin();
    const long = "z".repeat(4000);
    const exchanges = Array.from({ length: 60 }, (_, i) => open(client, 2 * i + 1, f.END_STREAM));
    for (const [i, exchange] of exchanges.entries()) {
      exchange.addedFields = `X-Added: ${long}${i}\r\n`;
      exchange.response.start({ ...OK, bodyLength: 0 });
    }
    const heads = client.heard().filter((frame) => frame.startsWith("HEADERS"));
    expect(heads).toEqual(
      exchanges.map((_, i) => `HEADERS ${2 * i + 1} :status: 200, content-length: 0, x-added: ${long}${i} end`),
    );
  });

  test.each(["", "a-clients-own-id"])("has the id of its request, made or given as %p", (given) => {
    const client = new ScriptedClient().begin();
    const fields = given === "" ? GET : [...GET, ["x-request-id", given] as const];
    const exchange = open(client, 1, f.END_STREAM, fields);
    exchange.sendsRequestId = true;
    exchange.response.start({ ...OK, bodyLength: 0 });
    expect(client.heard()[0]).toBe(`HEADERS 1 :status: 200, content-length: 0, x-request-id: ${exchange.id} end`);
    expect(given === "" ? exchange.id.length > 20 : exchange.id === given).toBe(true);
  });

  test("that ends before its length resets the stream, and one that exceeds its length is a defect", () => {
    const client = new ScriptedClient().begin();
    const { response } = open(client, 1, f.END_STREAM);
    response.start({ ...OK, bodyLength: 5 });
    response.data(Buffer.from("abc"));
    response.end("");
    sendGathered();
    expect(client.heard().at(-1)).toBe("RST_STREAM 1 2");
    const long = open(client, 3, f.END_STREAM).response;
    long.start({ ...OK, bodyLength: 2 });
    expect(() => long.data(Buffer.from("abc"))).toThrow("exceeds the announced Content-Length");
  });

  test("whose whole length was sent ends with its last byte, once", () => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 1, f.END_STREAM);
    let finished = 0;
    exchange.onFinish = () => finished++;
    exchange.response.start({ ...OK, bodyLength: 3 });
    expect(exchange.response.data(Buffer.from("xabcx"), 1, 4)).toBe(true);
    exchange.response.end("");
    exchange.response.end("");
    exchange.response.start(OK);
    sendGathered();
    expect(client.heard().slice(1)).toEqual(['DATA 1 "abc" end']);
    expect([finished, exchange.bytesSent]).toEqual([1, expect.any(Number)]);
  });

  test.each([
    [204, "GET"],
    [304, "GET"],
    [200, "HEAD"],
  ])("with status %d to %s has no body, whatever data is sent", (status, method) => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 1, f.END_STREAM, [[":method", method], ...GET.slice(1)]);
    exchange.response.start({ ...OK, status, bodyLength: 3 });
    expect(exchange.response.data(Buffer.from("abc"))).toBe(true);
    exchange.response.end("");
    sendGathered();
    expect(client.heard()).toHaveLength(1);
    expect([exchange.status, exchange.started]).toEqual([status, true]);
  });
});

describe("a tunnel", () => {
  test.each([
    [200, false],
    [299, false],
    [300, true],
    [403, true],
  ])("is refused by status %d, which passes: %p", (status, passes) => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 1, 0, CONNECT);
    exchange.response.start({ ...OK, status, bodyLength: 0 });
    exchange.response.end("");
    sendGathered();
    expect(exchange.status === status).toBe(passes);
  });

  test("is refused with the request's identifier once, and with the fields that are added to all responses", () => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 1, 0, CONNECT);
    let cancels = 0;
    exchange.onCancel = () => cancels++;
    exchange.sendsRequestId = true;
    exchange.addedFields = "X-Added: 1\r\n";
    exchange.response.start({ ...OK, status: 200, bodyLength: 0 });
    const [head, body] = client.heard();
    expect(head?.match(/x-request-id: [^,]*/g)).toEqual([`x-request-id: ${exchange.id}`]);
    expect(head).toContain(":status: 501");
    expect(head).toContain("x-added: 1");
    expect(body).toEndWith(" end");
    expect(cancels).toBe(1);
  });

  test("is open after 101, sends 200, and ends with either side", () => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 1, 0, CONNECT);
    exchange.response.start({ ...OK, status: 101 });
    const told = read(exchange);
    sendGathered();
    expect(client.frames().filter(({ type }) => type === f.HEADERS)).toHaveLength(1);
    expect(exchange.started).toBe(true);
    client.data(1, 0, "to");
    exchange.response.data(Buffer.from("fro"));
    sendGathered();
    expect(told.text).toBe("to");
    expect(client.heard()).toEqual(['DATA 1 "fro"']);
    client.data(1, f.END_STREAM, "");
    expect(told.ends).toEqual([""]);
    exchange.response.end("");
    sendGathered();
    expect(client.heard()).toEqual(['DATA 1 "" end']);
  });
});

test("a 101 is dropped for a request that did not ask for a tunnel", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, f.END_STREAM);
  exchange.response.start({ ...OK, status: 101 });
  sendGathered();
  expect([client.heard(), exchange.started]).toEqual([[], false]);
});

test("a connection is idle from the end of its last stream", () => {
  const client = new ScriptedClient().begin();
  const { connection } = client;
  expect(connection.idleSince).toBeLessThan(Number.POSITIVE_INFINITY);
  const exchange = open(client, 1, f.END_STREAM);
  expect(connection.idleSince).toBe(Number.POSITIVE_INFINITY);
  client.host.clock.advance(5000);
  exchange.response.start({ ...OK, bodyLength: 0 });
  exchange.response.end("");
  sendGathered();
  expect(connection.idleSince).toBe(client.host.wheel.now());
});

test("an exchange whose response broke off gets no more calls", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 1, 0, POST);
  read(exchange);
  exchange.response.abort(new TurnpikeError("upstream-failed", "no"));
  exchange.response.start(OK);
  expect(exchange.response.data(Buffer.from("x"))).toBe(true);
  exchange.response.end("");
  sendGathered();
  expect(client.heard()).toEqual(["RST_STREAM 1 2"]);
});

test("a request that cannot become an exchange gets a response, and is logged", () => {
  const client = new ScriptedClient().begin();
  client.head(1, f.END_STREAM, [...GET.slice(0, 3), [":path", "/%zz"]]);
  sendGathered();
  const { exchanges, refusals } = client.host;
  expect([exchanges.length, refusals.length]).toEqual([0, 1]);
  const [refused] = refusals;
  expect(refused).toMatchObject({ status: 400, protocol: "HTTP/2.0", bytesReceived: 0, head: { method: "GET" } });
  const [, body] = client.frames();
  expect(refused?.bytesSent).toBe(body?.payload.length ?? -1);
});

test("the response to a request that cannot become an exchange has a Content-Length if it has a body or is for HEAD", () => {
  for (const [method, window, says, frames] of [
    ["GET", 65_535, true, ["HEADERS", "DATA"]],
    ["HEAD", 65_535, true, ["HEADERS"]],
    // The body does not fit into the window, and is left out.
    ["GET", 10, false, ["HEADERS"]],
  ] as const) {
    const client = new ScriptedClient().begin([[4, window]]);
    client.head(1, f.END_STREAM, [[":method", method], ...GET.slice(1, 3), [":path", "/%zz"]]);
    const heard = client.heard();
    expect(heard.map((frame) => frame.split(" ")[0] ?? "")).toEqual([...frames]);
    expect(heard[0]?.includes("content-length: ")).toBe(says);
    expect(heard.at(-1)).toEndWith(" end");
  }
});

test.each([
  ["too short", 5, Buffer.alloc(4), f.FRAME_SIZE_ERROR],
  ["too short, of a stream that is over", 1, Buffer.alloc(4), f.FRAME_SIZE_ERROR],
  ["of a stream by itself", 5, Buffer.from([0, 0, 0, 5, 0]), f.PROTOCOL_ERROR],
])("a PRIORITY that is %s is a connection error", (_what, streamId, payload, code) => {
  const client = new ScriptedClient().begin();
  const { response } = open(client, 1, f.END_STREAM);
  response.start({ ...OK, bodyLength: 0 });
  response.end("");
  sendGathered();
  client.heard();
  client.frame(f.PRIORITY, 0, 7, Buffer.from([0, 0, 0, 1, 0]));
  expect(client.heard()).toEqual([]);
  client.frame(f.PRIORITY, 0, streamId, payload);
  expect(client.heard()).toEqual([`GOAWAY 1 ${code}`]);
});

test("keeps no chunk that its client's window has room for, and others until they are sent", () => {
  const client = new ScriptedClient().begin();
  const { response } = open(client, 1, f.END_STREAM);
  response.start(OK);
  const kept = [10, 90_000].map((size) => {
    response.data(Buffer.alloc(size, "a"));
    return response.keepsNoChunk;
  });
  client.numbers(f.WINDOW_UPDATE, 0, 100_000);
  client.numbers(f.WINDOW_UPDATE, 1, 100_000);
  expect([...kept, response.keepsNoChunk]).toEqual([true, false, true]);
});

test("a complete response that waits for its client's window reaches its timeout", () => {
  for (const bodyLength of [-1, 3]) {
    const client = new ScriptedClient().begin([[4, 1]]);
    const { response } = open(client, 1, f.END_STREAM);
    response.start({ ...OK, bodyLength });
    response.data(Buffer.from("abc"));
    response.end("");
    client.host.clock.advance(19_000);
    expect(client.heard().at(-1)).toBe('DATA 1 "a"');
    client.host.clock.advance(2000);
    expect(client.heard()).toEqual(["RST_STREAM 1 8"]);
  }
});
