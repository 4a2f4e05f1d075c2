import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { connectTcp, GivenUpError } from "../wire/connect-tcp.ts";
import { type Connecting, DEAF, listen, type Listener } from "../wire/tcp.ts";
import { FakeWire } from "../wire/testing/fake-wire.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { connectFirst, connectFound } from "./first-of.ts";

let listener: Listener;
let tried: string[];
let aborted: string[];

beforeEach(() => {
  tried = [];
  aborted = [];
  listener = listen({ address: "127.0.0.1", port: 0, reusePort: false, accept: () => DEAF, onError: rethrow });
});
afterEach(() => listener.stop());

function rethrow(error: unknown): never {
  throw error;
}

/** Connections to 127.0.0.0/8 are accepted only at 127.0.0.1. A connection to "nowhere" never ends. */
function connect(addresses: readonly string[]): { connecting: Connecting; accepted: string[] } {
  const accepted: string[] = [];
  const connecting = connectFirst(
    addresses,
    (address, accept) => {
      tried.push(address);
      if (address !== "nowhere") {
        return connectTcp({ address, port: listener.port }, (wire) => accept(wire, address), rethrow);
      }
      const done = Promise.withResolvers<void>();
      return {
        done: done.promise,
        abort() {
          aborted.push(address);
          done.reject(new Error("given up"));
        },
      };
    },
    (wire, address) => {
      accepted.push(address);
      wire.terminate();
      return DEAF;
    },
  );
  return { connecting, accepted };
}

test("after an address refuses, the next one is tried, and after one accepts, no other is", async () => {
  const { connecting, accepted } = connect(["127.0.0.2", "127.0.0.1", "127.0.0.3"]);
  await connecting.done;
  expect([tried, accepted]).toEqual([["127.0.0.2", "127.0.0.1"], ["127.0.0.1"]]);
});

test("an address that does not respond is given up when another one has accepted", async () => {
  const { connecting, accepted } = connect(["nowhere", "127.0.0.1"]);
  await connecting.done;
  expect([accepted, aborted]).toEqual([["127.0.0.1"], ["nowhere"]]);
});

test("if the last address refuses while another one does not respond, that one is waited for", async () => {
  const opened: unknown[] = [];
  const ends = { slow: Promise.withResolvers<void>(), refuses: Promise.withResolvers<void>() };
  const connecting = connectFirst(
    ["slow", "refuses"],
    (address) => {
      opened.push(address);
      // The addresses are the keys.
      return { done: ends[address as keyof typeof ends].promise, abort() {} };
    },
    () => DEAF,
  );
  await until(() => opened.length === 2);
  ends.refuses.reject(new Error("refused"));
  await new Promise(setImmediate);
  ends.slow.resolve();
  await connecting.done;
  expect(opened).toEqual(["slow", "refuses"]);
});

test("an address that is tried after a refusal has its whole head start", async () => {
  jest.useFakeTimers();
  const opened: string[] = [];
  const refuses = Promise.withResolvers<void>();
  const connecting = connectFirst(
    ["refuses", "slow", "last"],
    (address) => {
      opened.push(address);
      return { done: address === "refuses" ? refuses.promise : new Promise(() => {}), abort() {} };
    },
    () => DEAF,
  );
  jest.advanceTimersByTime(200);
  refuses.reject(new Error("refused"));
  await refuses.promise.catch(() => {});
  jest.advanceTimersByTime(249);
  expect(opened).toEqual(["refuses", "slow"]);
  jest.advanceTimersByTime(1);
  expect(opened).toEqual(["refuses", "slow", "last"]);
  connecting.abort();
  jest.useRealTimers();
});

test("if all addresses refuse, the last reason is reported", async () => {
  const { connecting } = connect(["127.0.0.2", "127.0.0.3"]);
  expect(connecting.done).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("an abort after a connection was made does not end it", async () => {
  let aborts = 0;
  const connecting = connectFirst(
    ["127.0.0.1"],
    (address, accept) => {
      const attempt = connectTcp({ address, port: listener.port }, (wire) => accept(wire, ""), rethrow);
      return { done: attempt.done, abort: () => void (aborts += 1) };
    },
    () => DEAF,
  );
  await connecting.done;
  connecting.abort();
  expect(aborts).toBe(0);
});

test("after an abort, no other address is tried", async () => {
  const { connecting, accepted } = connect(["nowhere", "127.0.0.1"]);
  connecting.abort();
  expect(connecting.done).rejects.toThrow("given up");
  expect([tried, accepted, aborted]).toEqual([["nowhere"], [], ["nowhere"]]);
});

test("a connection that opens after another one was accepted is closed", async () => {
  const opened: ((wire: Wire, protocol: string) => WireHandler)[] = [];
  const wires = [new FakeWire(), new FakeWire()];
  const accepted: unknown[] = [];
  const connecting = connectFirst(
    ["slow", "fast"],
    (_address, accept) => {
      opened.push(accept);
      return { done: new Promise(() => {}), abort() {} };
    },
    (wire) => {
      accepted.push(wire);
      return { ...DEAF };
    },
  );
  await until(() => opened.length === 2);
  const [slow, fast] = opened;
  const [late, first] = wires;
  if (late === undefined || first === undefined) throw new Error("there are two wires");
  expect(fast?.(first, "")).not.toBe(DEAF);
  expect(slow?.(late, "")).toBe(DEAF);
  expect([accepted.length, first.closed, late.cut]).toEqual([1, false, true]);
  connecting.abort();
});

/** A look-up, and a connection to its result that opens when `opened` is resolved. */
function found() {
  const events: string[] = [];
  const addresses = Promise.withResolvers<readonly string[]>();
  const opened = Promise.withResolvers<void>();
  const connecting = connectFound(
    addresses.promise,
    (address) => {
      events.push(`open ${address}`);
      return { done: opened.promise, abort: () => void events.push("abort") };
    },
    () => DEAF,
  );
  return { events, addresses, opened, connecting };
}

test("addresses that are looked up are connected to, and a look-up that fails is the reason", async () => {
  const { events, addresses, opened, connecting } = found();
  addresses.resolve(["192.0.2.1"]);
  opened.resolve();
  await connecting.done;
  expect(events).toEqual(["open 192.0.2.1"]);
  const failing = found();
  failing.addresses.reject(new Error("not found"));
  expect(failing.connecting.done).rejects.toThrow("not found");
});

test("a connection that is given up during the look-up is not opened, and one that is being opened is aborted", async () => {
  const early = found();
  early.connecting.abort();
  early.addresses.resolve(["192.0.2.1"]);
  expect(early.connecting.done).rejects.toThrow(GivenUpError);
  await new Promise(setImmediate);
  expect(early.events).toEqual([]);
  const late = found();
  late.addresses.resolve(["192.0.2.1"]);
  await new Promise(setImmediate);
  late.connecting.abort();
  expect(late.connecting.done).rejects.toThrow(GivenUpError);
  expect(late.events).toEqual(["open 192.0.2.1", "abort"]);
});
