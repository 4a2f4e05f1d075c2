/** The CPU cost of a filter for the Turnpike ABI in the request path, and the memory of a parked request. */
import { respondWithError } from "../../src/gateway/exchange/local-response.ts";
import { type Exchange, type RequestHead, type ResponseSink } from "../../src/gateway/exchange/exchange.ts";
import { UpstreamCalls } from "../../src/gateway/filters/calls/call-group.ts";
import { type ControlLink } from "../../src/gateway/filters/runtime/filter.ts";
import { type FilterModule } from "../../src/gateway/filters/module/module-cache.ts";
import { OwnFilter } from "../../src/gateway/filters/own-filter.ts";
import { Quota } from "../../src/gateway/filters/runtime/quota.ts";
import { WorkerShared } from "../../src/gateway/filters/runtime/worker-shared.ts";
import { type FilterRuntime, type FilterSettings, MAX_INSTANCES } from "../../src/gateway/filters/runtime/runtime.ts";
import { visibleHead } from "../../src/gateway/filters/visible-head.ts";
import { onlySlot, Telemetry } from "../../src/gateway/telemetry/telemetry.ts";
import { plentyOfBuffers } from "../../src/lib/testing/plenty.ts";
import { TimerWheel } from "../../src/lib/time/timer-wheel.ts";

const HEAD = {
  method: "GET",
  scheme: "http",
  authority: "www.example.com",
  path: "/articles/2026/11/a-title-of-some-length",
  query: "?utm_source=feed",
  fields:
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\nAccept: text/html\r\n" +
    "Accept-Language: en-US,en;q=0.9\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nX-Api-Key: 0123456789abcdef\r\n" +
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\nReferer: https://www.example.com/\r\n",
  payment: "",
  bodyLength: 0,
  expectContinue: false,
  via: "",
  forwardedFor: "",
  isGrpc: false,
  upgrade: "",
} satisfies RequestHead;

const NOWHERE: ResponseSink = { start() {}, data: () => true, end() {}, abort() {} };

function exchange(): Exchange {
  return {
    id: "bench",
    protocol: "HTTP/1.1",
    head: { ...HEAD },
    body: { readTo: (sink) => sink.end(""), pause() {}, resume() {} },
    peerAddress: "127.0.0.1",
    clientAddress: "127.0.0.1",
    response: NOWHERE,
    addedFields: "",
    consumer: "",
    payer: "",
    isAuthorized: true,
    beganAt: 0,
    started: false,
    status: 0,
    bytesReceived: 0,
    bytesSent: 0,
    onDrain: undefined,
    onCancel: undefined,
    gone: false,
    onGone: undefined,
    onFinish: undefined,
    onTaken: undefined,
  };
}

/** A sandbox that never replies. */
const SILENT: ControlLink = { isReady: true, call: () => () => {}, close() {} };

function runtime(capacity: number): FilterRuntime {
  const { counts, filters } = new Telemetry(onlySlot());
  return {
    wheel: new TimerWheel(),
    clock: () => performance.now(),
    bodies: plentyOfBuffers(),
    parks: new Quota(capacity, (change) => counts.add("parkActive", change)),
    instances: new Quota(MAX_INSTANCES, (change) => counts.add("poolInstances", change)),
    control: () => SILENT,
    hostCallDeadlineMs: () => 3_600_000,
    log: () => {},
    onError: () => {},
    respondWithError,
    metrics: (filter, route) => filters.filter(filter, route),
    gauges: { pinnedChanged: (change) => counts.add("poolPinned", change) },
    calls: new UpstreamCalls({ target: () => undefined, memory: plentyOfBuffers(), onError() {} }),
    shared: new WorkerShared(),
    defined: { cell: () => ({ add() {}, record() {} }) },
  };
}

function settings(instances: number): FilterSettings {
  return {
    name: "bench",
    route: "/",
    upstream: "",
    instances,
    fuel: 5_000_000,
    responseFailClosed: false,
    config: "",
    vmConfig: "",
    rootId: "",
    vmId: "",
    maxBodyBytes: 1_000_000,
    ...visibleHead({ type: "none" }),
  };
}

/** CPU nanoseconds per request: pool, view, invocation and metrics. The cost of an exchange is not included. */
export function requestNanoseconds(module: FilterModule, count: number, rounds: number): number[] {
  const filter = new OwnFilter(module, settings(1), runtime(64));
  const exchanges = Array.from({ length: 1000 }, () => exchange());
  const run = (): void => {
    for (let i = 0; i < count; i++) {
      const asked = exchanges[i % exchanges.length];
      if (asked === undefined) continue;
      asked.response = NOWHERE;
      const decision = filter.request(asked);
      if (decision instanceof Promise || decision.kind !== "continue")
        throw new Error("Cannot measure: it does not allow");
      // Instances that wait for a response are returned to the pool when it ends.
      if (asked.response !== NOWHERE) finish(asked);
    }
  };
  run();
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return ((user + system) * 1000) / count;
  });
  filter.close();
  return times;
}

function finish(asked: Exchange): void {
  asked.response.start({ status: 200, reason: "OK", fields: "Content-Type: text/html\r\n", bodyLength: 0 });
  asked.response.end("");
  const { onFinish } = asked;
  asked.onFinish = undefined;
  onFinish?.(asked);
}

/** The cost of `count` parked requests: KiB of each, and the CPU milliseconds for parking them. */
export async function parkedMemory(module: FilterModule, count: number): Promise<{ kib: number; ms: number }> {
  const filter = new OwnFilter(module, settings(count), runtime(count));
  await Bun.sleep(100);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  const asked = Array.from({ length: count }, () => exchange());
  for (const one of asked) void filter.request(one);
  const { user, system } = process.cpuUsage(cpu);
  Bun.gc(true);
  await Bun.sleep(100);
  const kib = (process.memoryUsage.rss() - before) / 1024 / count;
  if (filter.instances.pinned !== count) throw new Error("Cannot measure: not all requests are parked");
  for (const one of asked) one.onFinish?.(one);
  filter.close();
  return { kib, ms: (user + system) / 1000 };
}
