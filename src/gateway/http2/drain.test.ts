/** A client's connection that is closed in order (RFC 9113 §6.8). */
import { expect, test } from "bun:test";
import * as f from "./frame.ts";
import { GET, ScriptedClient, SETTINGS } from "./testing/scripted-client.ts";

const ANNOUNCED = ["GOAWAY 2147483647 0", "PING 0"];

function pong(client: ScriptedClient): void {
  client.frame(f.PING, f.ACK, 0, Buffer.alloc(8));
}

test("a drain is announced once, and not on a closed connection", () => {
  const client = new ScriptedClient().begin();
  client.connection.drain();
  client.connection.drain();
  expect(client.heard()).toEqual(ANNOUNCED);
  const over = new ScriptedClient().begin();
  over.numbers(f.WINDOW_UPDATE, 0, 0);
  over.heard();
  over.connection.drain();
  expect(over.heard()).toEqual([]);
});

test("a drained connection without streams waits as long for its client's response as for a head", () => {
  const client = new ScriptedClient().begin();
  client.host.clock.advance(SETTINGS.idleMs - 1000);
  client.connection.drain();
  client.host.clock.advance(SETTINGS.headerMs - 100);
  expect(client.wire.ended).toBe(false);
  client.host.clock.advance(200);
  expect(client.wire.ended).toBe(true);
});

test("a drained connection with a stream waits for the stream", () => {
  const client = new ScriptedClient().begin();
  client.head(1, f.END_STREAM, GET);
  client.connection.drain();
  client.host.clock.advance(5 * SETTINGS.headerMs);
  expect([client.wire.ended, client.wire.cut]).toEqual([false, false]);
});

test("a drained connection without streams closes when its client has received the announcement", () => {
  const client = new ScriptedClient().begin();
  client.connection.drain();
  expect(client.wire.ended).toBe(false);
  pong(client);
  expect(client.wire.ended).toBe(true);
  expect(client.heard()).toEqual([...ANNOUNCED, "GOAWAY 0 0", "GOAWAY 0 0"]);
});

test("an unrequested response to a PING has no effect, and a second one changes nothing", () => {
  const client = new ScriptedClient().begin();
  pong(client);
  expect(client.heard()).toEqual([]);
  client.head(1, f.END_STREAM, GET);
  client.connection.drain();
  pong(client);
  expect(client.heard()).toEqual([...ANNOUNCED, "GOAWAY 1 0"]);
  pong(client);
  expect(client.heard()).toEqual([]);
});

test("a client that leaves closes a connection without streams at once, and any other after its last response", () => {
  const idle = new ScriptedClient().begin();
  idle.numbers(f.GOAWAY, 0, 0, f.NO_ERROR);
  expect([idle.wire.ended, idle.heard()]).toEqual([true, ["GOAWAY 0 0"]]);
  const busy = new ScriptedClient().begin();
  busy.head(1, f.END_STREAM, GET);
  busy.numbers(f.GOAWAY, 0, 0, f.NO_ERROR);
  expect(busy.wire.ended).toBe(false);
  const response = busy.host.exchanges[0]?.response;
  response?.start({ status: 200, reason: "", fields: "", bodyLength: 0 });
  response?.end("");
  expect(busy.heard().at(-1)).toBe("GOAWAY 1 0");
  expect(busy.wire.ended).toBe(true);
});
