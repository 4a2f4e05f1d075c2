import { afterEach, beforeEach, expect, test } from "bun:test";
import { type IncomingMessage } from "node:http";
import { type Socket } from "node:net";
import { type WatchedTimers, watchTimers } from "../../../lib/testing/timers.ts";
import { Connection } from "./connection.ts";

/** Times that no other timer uses. */
const PATIENCE = { headMs: 40_001, idleMs: 40_002, bodyMs: 40_003, writeMs: 40_004 };
const LINGER_MS = 1000;
const TIMES = [...Object.values(PATIENCE), LINGER_MS];

const GET = { headers: {} } as IncomingMessage; // a connection reads no more of it
const EMPTY = { headers: { "content-length": "0" } } as IncomingMessage;
const POST = { headers: { "content-length": "7" } } as IncomingMessage;
const CHUNKED = { headers: { "transfer-encoding": "chunked" } } as unknown as IncomingMessage;

let timers: WatchedTimers;
let isCut = false;
const hasten = new Set<number>();

beforeEach(() => {
  hasten.clear();
  timers = watchTimers((ms) => (hasten.has(ms) ? 0 : ms));
});
afterEach(() => timers[Symbol.dispose]());

function open(addresses: { remoteAddress?: string; localAddress?: string } = {}): Connection {
  isCut = false;
  // A connection uses only these members.
  return new Connection({ ...addresses, destroy: () => void (isCut = true) } as unknown as Socket, true, PATIENCE);
}

/** The times of the running timers. */
const limits = (): number[] => TIMES.filter((ms) => timers.pending(ms) > 0);

test("a connection knows its addresses, which a closed socket does not have", () => {
  const connection = open({ remoteAddress: "192.0.2.1", localAddress: "192.0.2.2" });
  expect(connection).toMatchObject({ address: "192.0.2.1", localAddress: "192.0.2.2", isSecure: true });
  expect(open()).toMatchObject({ address: "", localAddress: "", trust: undefined });
});

test.each(TIMES)("a wait of more than %d ms ends with the connection", async (ms) => {
  hasten.add(ms);
  const connection = open();
  if (ms === PATIENCE.bodyMs) connection.requestBegun(POST);
  if (ms === PATIENCE.writeMs) connection.writing();
  if (ms === PATIENCE.idleMs || ms === LINGER_MS) {
    connection.requestBegun(GET);
    connection.requestEnded(ms === LINGER_MS);
  }
  expect(isCut).toBe(false);
  await Bun.sleep(5);
  expect([isCut, limits()]).toEqual([true, []]);
});

test("one wait at a time is limited: for a head, a body, a client that reads, and the next request", () => {
  const connection = open();
  expect([limits(), connection.isIdle]).toEqual([[PATIENCE.headMs], true]);
  expect(connection.requestBegun(POST)).toBe(true);
  expect([limits(), connection.isIdle]).toEqual([[PATIENCE.bodyMs], false]);
  connection.waited();
  expect(limits()).toEqual([]);
  connection.writing();
  expect(limits()).toEqual([PATIENCE.writeMs]);
  connection.writing();
  expect(timers.pending(PATIENCE.writeMs)).toBe(1);
  connection.waited();
  expect(limits()).toEqual([]);
  connection.requestEnded(false);
  expect([limits(), connection.isIdle]).toEqual([[PATIENCE.idleMs], true]);
  for (const bodiless of [GET, EMPTY]) {
    connection.requestBegun(bodiless);
    expect(limits()).toEqual([]);
    connection.requestEnded(false);
  }
  connection.requestBegun(CHUNKED);
  expect(limits()).toEqual([PATIENCE.bodyMs]);
  // The client still sends a body that no one reads.
  connection.requestEnded(true);
  expect(limits()).toEqual([LINGER_MS]);
  expect(isCut).toBe(false);
});

test("a response before the last one ends no wait but its own", () => {
  const connection = open();
  connection.requestBegun(GET);
  connection.requestBegun(GET);
  connection.writing();
  connection.requestEnded(false);
  expect([limits(), connection.isIdle]).toEqual([[], false]);
  connection.requestEnded(false);
  expect([limits(), connection.isIdle]).toEqual([[PATIENCE.idleMs], true]);
});

test("a connection may have sixteen requests under way, and is cut with one more", () => {
  const connection = open();
  for (let requests = 0; requests < 16; requests += 1) expect(connection.requestBegun(GET)).toBe(true);
  expect(isCut).toBe(false);
  expect(connection.requestBegun(POST)).toBe(false);
  expect([isCut, limits()]).toEqual([true, []]);
});

test("a connection that retires is cut at once if it is idle, and otherwise soon after its last response", () => {
  const idle = open();
  expect(idle.isRetired).toBe(false);
  idle.retire();
  expect([idle.isRetired, isCut, limits()]).toEqual([true, true, []]);
  const busy = open();
  busy.requestBegun(GET);
  busy.requestBegun(GET);
  busy.retire();
  expect([busy.isRetired, isCut]).toEqual([true, false]);
  busy.requestEnded(false);
  expect(limits()).toEqual([]);
  busy.requestEnded(false);
  expect([isCut, limits()]).toEqual([false, [LINGER_MS]]);
});
