/** Requests of the gateway itself to the upstream of a route. */
import { afterEach, beforeEach, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { RawOrigin } from "../../../test/support/raw-origin.ts";
import { FakeClock } from "../../lib/testing/fake-clock.ts";
import { patient } from "../../lib/testing/patience.ts";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { loadValue } from "../config/load.ts";
import { onlySlot, Telemetry } from "../telemetry/telemetry.ts";
import { ServerStates } from "../upstream/outlier-detection.ts";
import { Upstream } from "../upstream/upstream.ts";
import { provideUpstreams, type Upstreams } from "../upstream/upstreams.ts";
import { type OwnCall, type OwnReply } from "./own-call.ts";
import { provideTargets } from "./provide-targets.ts";

setDefaultTimeout(patient(30_000));

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const CALL_MS = 10_000;
const MAX_REPLY_BYTES = 16_384;

let origin: RawOrigin;
let clock: FakeClock;
let wheel: TimerWheel;
let upstreams: Upstreams;

beforeEach(async () => {
  origin = await RawOrigin.start();
  clock = new FakeClock();
  wheel = new TimerWheel(clock);
});
afterEach(async () => {
  upstreams.close(undefined);
  wheel.close();
  await origin.stop();
});

/** The calls of a route that changes, repeats, describes and splits the requests of its clients. */
function callOf(port = origin.port): OwnCall {
  const server = { address: "127.0.0.1", port };
  const route = {
    rewrite: { prefix: "/rewritten" },
    retry: { statuses: [503], any_method: true },
    forward_client_address: true,
    traffic_split: [{ upstream: "empty", weight: 1 }],
  };
  const { config, problems } = loadValue({
    upstreams: [
      { name: "u", servers: [server, server] },
      { name: "empty", servers: [server] },
    ],
    routes: [{ path_prefix: "/goods", upstream: "u", ...route }],
  });
  const [sold] = config?.routes ?? [];
  if (config === undefined || sold === undefined) throw new Error(JSON.stringify(problems));
  const slot = onlySlot();
  const states = new ServerStates(slot.zone, slot.row);
  const member = { endpoint: server, weight: 1, maxFails: 9, failTimeoutMs: 1000, backup: false };
  const members = { u: [{ ...member, slot: 0 }], empty: [] };
  const common = { config, wheel, buffers: plentyOfBuffers(), telemetry: new Telemetry(slot), onError() {}, log() {} };
  upstreams = provideUpstreams({ ...common, states, members }, undefined);
  const parts = { ...common, upstreams, bodies: plentyOfBuffers() };
  return provideTargets(parts as unknown as Parameters<typeof provideTargets>[0]).callOf(sold); // No other part is read.
}

function respondWith(body: string, status = "200 OK"): void {
  origin.response = (_request, connection) => {
    connection.send("HTTP/1.1 103 Early Hints\r\n\r\n");
    connection.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  };
}

test("a call posts JSON to its own path, names no client, and returns the status and the JSON of the response", async () => {
  const call = callOf();
  respondWith('{"units":["3","ä"]}'.replace("ä", "\\u00e4"));
  expect(await call("/goods/usage", { job: "ä" })).toEqual({ status: 200, json: { units: ["3", "ä"] } });
  expect(origin.summaries).toEqual([`POST /goods/usage ${Buffer.from('{"job":"ä"}').toString("latin1")}`]);
  expect(origin.bytes).toContain("\r\nContent-Type: application/json\r\n");
  expect(origin.bytes.toLowerCase()).not.toMatch(/forwarded-for|\r\nte:|expect:/);
});

test.each<[status: string, body: string, reply: OwnReply]>([
  ["404 Not Found", '"no"', { status: 404, json: "no" }],
  ["503 Busy", "", { status: 503, json: undefined }],
  ["200 OK", "{", { status: 200, json: undefined }],
  ["200 OK", JSON.stringify("x".repeat(MAX_REPLY_BYTES - 2)), { status: 200, json: "x".repeat(MAX_REPLY_BYTES - 2) }],
])("a response %s is returned as it is, and asked for once", async (status, body, reply) => {
  const call = callOf();
  respondWith(body, status);
  expect(await call("/", {})).toEqual(reply);
  expect(origin.requests.length).toBe(1);
  expect(clock.tick).toBeUndefined(); // No deadline is left.
});

test("a response that is cut off or too large counts as none", async () => {
  const call = callOf();
  respondWith("x".repeat(MAX_REPLY_BYTES + 1));
  expect(await call("/", {})).toBeUndefined();
  origin.response = (_request, connection) => connection.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}");
  expect(await call("/", {})).toBeUndefined();
});

test("a second call goes out at once on the connection of the first, without other traffic", async () => {
  const call = callOf();
  expect(await call("/1", {})).toMatchObject({ status: 200 });
  expect(await call("/2", {})).toMatchObject({ status: 200 });
  expect([origin.summaries, origin.connections.length]).toEqual([["POST /1 {}", "POST /2 {}"], 1]);
});

test("a call that reaches no server, or that the gateway cannot make, has no response", async () => {
  await origin.stop();
  const call = callOf();
  expect(await call("/", {})).toBeUndefined();
  origin = await RawOrigin.start();
  using _ = spyOn(Upstream.prototype, "pick").mockImplementation(() => {
    throw new Error("broken");
  });
  expect(await call("/", {})).toBeUndefined();
});

test("a call that its upstream leaves without a response ends after its time, with its connection", async () => {
  const call = callOf();
  origin.response = () => {};
  const replies: unknown[] = [];
  void call("/", {}).then((reply) => replies.push(reply));
  await origin.until("the call", () => origin.requests[0]);
  const [connection] = origin.connections;
  clock.advance(CALL_MS - 1);
  await new Promise(setImmediate);
  expect(replies).toEqual([]);
  clock.advance(200);
  await new Promise(setImmediate);
  expect(replies).toEqual([undefined]);
  await origin.until("the end of the connection", () => connection?.closed || undefined);
});
