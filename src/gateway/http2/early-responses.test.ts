/**
 * A request whose response is complete before the request is (RFC 9113 §8.1). Later frames of the client are checked as
 * before.
 */
import { expect, test } from "bun:test";
import { type Exchange } from "../exchange/exchange.ts";
import { respond } from "../exchange/local-response.ts";
import * as f from "./frame.ts";
import { POST, ScriptedClient } from "./testing/scripted-client.ts";

/** A client whose requests all get their whole response after their heads. */
function impatient(): ScriptedClient {
  const client = new ScriptedClient();
  client.host.onExchange = (exchange) => respond(exchange, 404, "text/plain", Buffer.from("no"));
  return client.begin();
}

/** Sends the head of a request with a body, and discards the response. */
function post(client: ScriptedClient, more: readonly (readonly [string, string])[] = []): void {
  client.head(1, 0, [...POST, ...more]);
  expect(client.heard().at(-1)).toBe('DATA 1 "no" end');
}

const OVERFLOW = f.MAX_WINDOW;

for (const [what, play, heard] of [
  ["a body that is longer than its length", (client) => client.data(1, f.END_STREAM, "body"), "RST_STREAM 1 1"],
  ["a body that is shorter than its length", (client) => client.data(1, f.END_STREAM, ""), "RST_STREAM 1 1"],
  ["a second head in the body", (client) => client.head(1, 0, [["x", "1"]]), "RST_STREAM 1 1"],
  ["a pseudo-header in trailers", (client) => client.head(1, f.END_STREAM, [[":path", "/"]]), "RST_STREAM 1 1"],
  ["a window update of 0", (client) => client.numbers(f.WINDOW_UPDATE, 1, 0), "RST_STREAM 1 1"],
  ["a window that overflows", (client) => client.numbers(f.WINDOW_UPDATE, 1, OVERFLOW), "RST_STREAM 1 3"],
  ["a broken priority", (client) => client.frame(f.PRIORITY, 0, 1, Buffer.alloc(4)), "RST_STREAM 1 6"],
] satisfies readonly (readonly [string, (client: ScriptedClient) => void, string])[]) {
  test(`${what} is a stream error after the response as well`, () => {
    const client = impatient();
    post(client, [["content-length", "1"]]);
    play(client);
    expect(client.heard()).toEqual([heard]);
    expect(client.connection.streams.size).toBe(0);
  });
}

test("a request that ends soon after its response is not reset", () => {
  const client = impatient();
  post(client);
  client.data(1, 0, "bo");
  client.host.clock.advance(200);
  client.data(1, f.END_STREAM, "dy");
  client.host.clock.advance(10_000);
  expect(client.heard()).toEqual([]);
  expect(client.connection.streams.size).toBe(0);
});

test("data that waits for a reader frees its memory with the response, before the request ends", () => {
  const client = new ScriptedClient().begin();
  let exchange: Exchange | undefined;
  client.host.onExchange = (one) => {
    exchange = one;
  };
  client.head(1, 0, POST);
  const { buffers } = client.host;
  const { used } = buffers;
  client.data(1, 0, Buffer.alloc(10_000));
  expect(buffers.used).toBeGreaterThan(used);
  if (exchange === undefined) throw new Error("no request");
  respond(exchange, 404, "text/plain", Buffer.from("no"));
  expect([buffers.used, client.connection.streams.size]).toEqual([used, 1]);
});

test("a request that goes on is reset without an error, and gets no window before that", () => {
  const client = impatient();
  post(client);
  for (let sent = 0; sent < 4; sent++) client.data(1, 0, Buffer.alloc(16_000));
  expect(client.heard().filter((frame) => !frame.startsWith("WINDOW_UPDATE 0"))).toEqual([]);
  client.host.clock.advance(200);
  expect(client.heard()).toEqual([]);
  client.host.clock.advance(100);
  expect(client.heard()).toEqual(["RST_STREAM 1 0"]);
  expect(client.connection.streams.size).toBe(0);
});

test("frames for a stream that both sides have reset are an error, as on any stream that the client has reset", () => {
  for (const late of [
    (client: ScriptedClient) => client.data(1, f.END_STREAM, "late"),
    (client: ScriptedClient) => client.head(1, f.END_STREAM, POST),
  ]) {
    const client = impatient();
    post(client);
    client.host.clock.advance(1000);
    client.numbers(f.RST_STREAM, 1, f.CANCEL);
    expect(client.heard()).toEqual(["RST_STREAM 1 0"]);
    late(client);
    expect(client.heard()).toEqual(["GOAWAY 1 5"]);
  }
});
