import { expect, test } from "bun:test";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { SERVER_COLUMN, serverColumn } from "../telemetry/metrics/layout.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { ServerStates } from "./outlier-detection.ts";
import { ServerPool } from "./server-pool.ts";
import { UpstreamServer } from "./server.ts";

const SETTINGS = {
  maxConnections: 1,
  maxIdle: 1,
  idleTimeoutMs: 1000,
  connectTimeoutMs: 1000,
  clientPart: 1,
  protocol: "http1",
  dial: { allowPrivate: true, tls: undefined },
} as const;

/** A server that two failures in a row take out of rotation, its state, and its counters by name. */
function serverOf() {
  const slot = onlySlot();
  const states = new ServerStates(slot.zone, slot.row);
  const metrics = new Telemetry(slot).serverMetrics(0, "origin");
  const endpoint = { address: "127.0.0.1", port: 1 };
  const member = { endpoint, weight: 2, maxFails: 2, failTimeoutMs: 60_000, backup: false, slot: 0 };
  const deps = { wheel: new TimerWheel(), buffers: plentyOfBuffers(), metrics, onError() {} };
  const server = new UpstreamServer(member, new ServerPool(endpoint, SETTINGS, deps), { metrics, states });
  const counters = slot.zone.counters(slot.row).subarray(serverColumn(0));
  const counted = (name: "requests" | "failures" | "retries"): number | undefined => counters[SERVER_COLUMN[name]];
  /** Responses from 1xx to 5xx. */
  const responses = (): number[] => [...counters.subarray(SERVER_COLUMN.responses, SERVER_COLUMN.responses + 5)];
  return { server, states, counted, responses };
}

test("requests in flight and requests that are retried are counted", () => {
  const { server, counted } = serverOf();
  expect([server.key, server.weight, server.inFlight]).toEqual(["127.0.0.1:1", 2, 0]);
  server.began(false);
  server.began(true);
  expect([server.inFlight, counted("requests"), counted("retries")]).toEqual([2, 2, 1]);
  server.ended();
  expect([server.inFlight, counted("requests")]).toEqual([1, 2]);
});

test("responses are counted by the class of their status", () => {
  const { server, responses } = serverOf();
  for (const status of [200, 299, 300, 404, 503]) server.responded(status);
  expect(responses()).toEqual([0, 2, 1, 1, 1]);
});

test.each([
  [200, true],
  [500, true],
  [501, true],
  [502, false],
  [503, false],
  [504, false],
  [505, true],
])("between two failures, a complete response of %i resets the failures in a row: %p", (status, resets) => {
  const { server, counted } = serverOf();
  server.failed("broken");
  server.served(status);
  server.failed("broken");
  expect([server.inRotation, counted("failures")]).toEqual([resets, 2]);
});

test("a server is in rotation while its probes succeed, and unless the balancer passes it over", () => {
  const { server, states } = serverOf();
  expect([server.inRotation, server.active]).toEqual([true, { up: undefined, reason: 0 }]);
  states.setActive(0, false, 2);
  expect([server.inRotation, server.active]).toEqual([false, { up: false, reason: 2 }]);
  states.setActive(0, true);
  server.passedOver = true;
  expect([server.inRotation, server.active]).toEqual([false, { up: true, reason: 0 }]);
});
