import { beforeEach, expect, test } from "bun:test";
import { Sink } from "../http1/testing/client-peers.ts";
import * as f from "./frame.ts";
import { OK, POST, ScriptedServer } from "./testing/scripted-server.ts";

let server: ScriptedServer;

beforeEach(() => {
  server = new ScriptedServer().begin();
  // Bytes that arrive in the same event in which a request begins count like bytes that arrive later.
  server.owner.clock.advance(20);
});

function pings(): number {
  return server.frames().filter(({ type }) => type === f.PING).length;
}

test("after a request is cancelled, the server gets one PING", () => {
  for (let i = 0; i < 3; i++) {
    const stream = server.send(new Sink());
    server.owner.clock.advance(20);
    stream.givenUp();
    stream.destroy();
  }
  expect(pings()).toBe(1);
  expect(server.owner.retirements).toBe(0);
});

test("a server that has sent anything since the request began gets no PING", () => {
  const stream = server.send(new Sink());
  server.owner.clock.advance(20);
  server.head(1, 0, OK);
  stream.givenUp();
  expect(pings()).toBe(0);
});

test("a server that does not respond to a PING within 5 s gets no more requests", () => {
  const first = server.send(new Sink());
  server.owner.clock.advance(20);
  first.givenUp();
  const second = server.send(new Sink());
  server.owner.clock.advance(4999);
  second.givenUp();
  expect([server.owner.retirements, server.connection.isRetired]).toEqual([0, false]);
  server.owner.clock.advance(1);
  second.givenUp();
  expect([server.owner.retirements, server.connection.isRetired]).toEqual([1, true]);
});

test("a server that responds to the PING gets another one the next time", () => {
  for (let i = 0; i < 2; i++) {
    const stream = server.send(new Sink());
    server.owner.clock.advance(20);
    stream.givenUp();
    stream.destroy();
    expect(pings()).toBe(1);
    server.frame(f.PING, f.ACK, 0, Buffer.alloc(8));
    server.owner.clock.advance(6000);
  }
  expect(server.owner.retirements).toBe(0);
});

test("a limited silence counts while the client still has data to send", () => {
  const [limited, free] = [server.send(new Sink(), POST), server.send(new Sink(), POST)];
  const timeouts: string[] = [];
  limited.timeKeeper = { timedOut: () => timeouts.push("limited") };
  free.timeKeeper = { timedOut: () => timeouts.push("free") };
  limited.silenceMs = 1000;
  limited.waitAtMost(5000, Number.POSITIVE_INFINITY);
  free.waitAtMost(5000, Number.POSITIVE_INFINITY);
  for (let i = 0; i < 5; i++) {
    server.owner.clock.advance(900);
    limited.data(Buffer.from("x"));
  }
  server.head(limited.streamId, 0, OK);
  server.owner.clock.advance(900);
  server.data(limited.streamId, 0, "y");
  server.owner.clock.advance(900);
  expect(timeouts).toEqual([]);
  server.owner.clock.advance(200);
  expect(timeouts).toEqual(["limited"]);
});

test("silence does not count while the client accepts no data", () => {
  const sink = new Sink();
  sink.room = false;
  const stream = server.send(sink, POST);
  let timeouts = 0;
  stream.timeKeeper = { timedOut: () => timeouts++ };
  stream.silenceMs = 1000;
  stream.waitAtMost(5000, Number.POSITIVE_INFINITY);
  server.head(1, 0, OK);
  server.data(1, 0, "x");
  server.owner.clock.advance(10_000);
  expect(timeouts).toBe(0);
  stream.resume();
  server.owner.clock.advance(1100);
  expect(timeouts).toBe(1);
});

test("a long-lived stream sends a PING if nothing has arrived recently", () => {
  const stream = server.send(new Sink(), POST);
  stream.silenceMs = 1000;
  server.head(1, 0, OK);
  server.owner.clock.advance(400);
  stream.givenUp();
  expect(pings()).toBe(0);
  server.owner.clock.advance(200);
  stream.givenUp();
  expect(pings()).toBe(1);
});
