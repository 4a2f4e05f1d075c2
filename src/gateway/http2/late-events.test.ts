/** Unusual events of a request: it is held back, completed or cancelled while more of it arrives. */
import { describe, expect, test } from "bun:test";
import { type TurnpikeError } from "../../lib/errors.ts";
import { type BodySink, type Exchange, type ResponseHead } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { type Http2Stream } from "./stream.ts";
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

class Collector implements BodySink {
  text = "";
  ends = 0;
  error: TurnpikeError | undefined;
  room = true;
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.text += Buffer.from(chunk.subarray(start, end)).toString();
    return this.room;
  }
  end(): void {
    this.ends++;
  }
  abort(error: TurnpikeError): void {
    this.error = error;
  }
}

function open(
  client: ScriptedClient,
  flags: number,
  fields: readonly (readonly [string, string])[] = GET,
  streamId = 1,
): Exchange {
  client.head(streamId, flags, fields);
  const exchange = client.host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("Cannot go on: no exchange was made");
  return exchange;
}

function response(exchange: Exchange): void {
  exchange.response.start({ ...OK, bodyLength: 0 });
  exchange.response.end("");
  sendGathered();
}

describe("the timeout of a body", () => {
  test("does not restart for a complete body when its reader continues", () => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 0, POST);
    const body = Object.assign(new Collector(), { room: false });
    exchange.body.readTo(body);
    client.data(1, f.END_STREAM, "abc");
    exchange.body.resume();
    client.host.clock.advance(60_000);
    expect([body.text, body.ends, body.error]).toEqual(["abc", 1, undefined]);
  });

  test("ends with the response, whatever its reader does then", () => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 0, POST);
    exchange.body.readTo(new Collector());
    response(exchange);
    exchange.body.pause();
    client.heard();
    client.host.clock.advance(1000);
    expect(client.heard()).toEqual(["RST_STREAM 1 0"]);
  });

  test("does not apply to a tunnel, held or not", () => {
    const client = new ScriptedClient().begin();
    const exchange = open(client, 0, CONNECT);
    exchange.response.start({ ...OK, status: 101 });
    const told = new Collector();
    exchange.body.readTo(told);
    client.host.clock.advance(120_000);
    exchange.body.pause();
    client.host.clock.advance(10_000);
    exchange.body.resume();
    client.host.clock.advance(120_000);
    client.data(1, 0, "late");
    expect([told.text, told.error]).toEqual(["late", undefined]);
    // The client's time to read is not affected.
    exchange.response.data(Buffer.alloc(70_000));
    client.host.clock.advance(SETTINGS.writeMs + 100);
    expect(client.heard().at(-1)).toBe("RST_STREAM 1 8");
  });

  test("does not use up the client's time to read its response", () => {
    const client = new ScriptedClient().begin([[4, 1]]);
    const exchange = open(client, 0, POST);
    const body = new Collector();
    exchange.body.readTo(body);
    client.host.clock.advance(15_000);
    exchange.response.start(OK);
    exchange.response.data(Buffer.from("abc"));
    client.host.clock.advance(16_000);
    expect([body.error?.code, exchange.gone]).toEqual(["request-timeout", false]);
    client.heard();
    client.host.clock.advance(5000);
    expect(client.heard()).toEqual(["RST_STREAM 1 8"]);
    expect(exchange.gone).toBe(true);
  });

  test("that ends at the same time as the client's time to read leaves the stream reset", () => {
    const client = new ScriptedClient().begin([[4, 1]]);
    const exchange = open(client, 0, POST);
    const body = new Collector();
    exchange.body.readTo(body);
    client.host.clock.advance(SETTINGS.bodyMs - SETTINGS.writeMs);
    exchange.response.start(OK);
    exchange.response.data(Buffer.from("abc"));
    client.heard();
    client.host.clock.advance(SETTINGS.writeMs);
    expect([client.heard(), body.error?.code]).toEqual([["RST_STREAM 1 8"], "bad-request"]);
  });
});

test("a client that resets a request after its response is not reported to the exchange", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 0, POST);
  const body = new Collector();
  exchange.body.readTo(body);
  let cancels = 0;
  exchange.onCancel = () => cancels++;
  exchange.onGone = () => cancels++;
  response(exchange);
  client.numbers(f.RST_STREAM, 1, f.CANCEL);
  expect([cancels, exchange.gone, body.error]).toEqual([0, false, undefined]);
});

test("trailers for a request that has ended are a stream error, and are discarded", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, 0, POST);
  const body = new Collector();
  exchange.body.readTo(body);
  client.data(1, f.END_STREAM, "abc");
  client.head(1, f.END_STREAM, [["x-sum", "1"]]);
  expect([client.heard(), body.ends]).toEqual([["RST_STREAM 1 5"], 1]);
});

test("data beyond a body's length is given back to the connection", () => {
  const host = new Host();
  host.current = { ...SETTINGS, http2: { ...SETTINGS.http2, maxFrameSize: 65_536 } };
  const client = new ScriptedClient(host).begin();
  for (let i = 0; i < 5; i++) {
    open(client, 0, [...POST, ["content-length", "1"]], 2 * i + 1);
    client.data(2 * i + 1, 0, Buffer.alloc(60_000));
  }
  expect(client.heard().filter((frame) => frame.startsWith("WINDOW_UPDATE"))).toEqual(["WINDOW_UPDATE 0 300000"]);
});

test("a window that grows while no data waits for it does not call the sender", () => {
  const client = new ScriptedClient().begin([[4, 10]]);
  const exchange = open(client, f.END_STREAM);
  let drained = 0;
  exchange.onDrain = () => drained++;
  exchange.response.start(OK);
  expect(exchange.response.data(Buffer.from("abc"))).toBe(true);
  client.numbers(f.WINDOW_UPDATE, 1, 100);
  client.settings([[4, 1000]]);
  expect(drained).toBe(0);
});

test("a stream throws, and stays as it is, if its own side makes a move that the states do not have", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client, f.END_STREAM);
  response(exchange);
  const stream = exchange as Exchange & Http2Stream; // That is how this server implements an exchange.
  expect(() => stream.openedByPeer(true)).toThrow(/^Cannot move a stream: event \d in state \d$/);
  expect([stream.isClosed, stream.remoteEnded, stream.localEnded]).toEqual([true, true, true]);
});
