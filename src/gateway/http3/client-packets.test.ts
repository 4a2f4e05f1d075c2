import { afterEach, beforeEach, expect, test } from "bun:test";
import { Host } from "../http2/testing/scripted-client.ts";
import { ClientPackets } from "./client-packets.ts";

let host: Host;
let received: bigint;
let packets: ClientPackets;
let told: string[];
let checks: number;

beforeEach(() => {
  host = new Host();
  received = 10n;
  told = [];
  checks = 0;
  packets = new ClientPackets(host.wheel, () => {
    checks += 1;
    return received;
  });
});

afterEach(() => host.wheel.close());

function respond(name: string, end = packets.mark()): void {
  packets.await(end, (taken) => told.push(`${name} ${taken}`));
}

test("a response is taken when the client sends a packet after it", () => {
  respond("first");
  host.clock.advance(30_000);
  expect(told).toEqual([]);
  received = 11n;
  respond("second");
  expect(told).toEqual(["first true"]);
  received = 12n;
  host.clock.advance(30);
  expect(told).toEqual(["first true", "second true"]);
  packets.closed();
  expect(told).toHaveLength(2);
});

test("a response after whose end the client has sent a packet already is taken at once", () => {
  const end = packets.mark();
  received = 11n;
  respond("one", end);
  expect(told).toEqual(["one true"]);
});

test("the checks become rare, and none is left after the last report", () => {
  respond("one");
  host.clock.advance(10_000);
  expect(checks).toBeWithin(10, 20);
  received = 11n;
  host.clock.advance(1050);
  expect([told, packets.due]).toEqual([["one true"], Number.POSITIVE_INFINITY]);
});

test.each([
  [900, "one true"],
  [1000, "one false"],
])("a response is judged by the time of the connection's end: after %i ms it is %s", (ms, result) => {
  respond("one");
  host.clock.advance(ms);
  packets.closed();
  expect([told, packets.due]).toEqual([[result], Number.POSITIVE_INFINITY]);
});

test("a response whose stream closes after its connection is judged at once", () => {
  const end = packets.mark();
  packets.closed();
  respond("in time", end);
  host.clock.advance(2000);
  respond("too late", end);
  expect(told).toEqual(["in time true", "too late false"]);
});
