/** Calls of filters to real upstreams, without a gateway. */
import { loadValue } from "../../../src/gateway/config/load.ts";
import { type Exchange } from "../../../src/gateway/exchange/exchange.ts";
import { type CallGroup, type Pairs } from "../../../src/gateway/filters/calls/call.ts";
import { UpstreamCalls } from "../../../src/gateway/filters/calls/call-group.ts";
import { callTarget } from "../../../src/gateway/filters/calls/call-targets.ts";
import { Upstreams } from "../../../src/gateway/upstream/upstreams.ts";
import { onlySlot, Telemetry } from "../../../src/gateway/telemetry/telemetry.ts";
import { ServerStates } from "../../../src/gateway/upstream/outlier-detection.ts";
import { BufferPool } from "../../../src/lib/memory/buffer-pool.ts";
import { plentyOfBuffers } from "../../../src/lib/testing/plenty.ts";
import { TimerWheel } from "../../../src/lib/time/timer-wheel.ts";

/** Memory for bodies, in bytes. */
const MEMORY_BYTES = 8 * 1024 * 1024;

export interface CallRig {
  readonly calls: UpstreamCalls;
  /** The calls of a filter without a request. */
  readonly group: CallGroup;
  /** The calls for one request. */
  stream(): CallGroup;
  /** Bytes of bodies that calls hold in memory. */
  readonly held: number;
  readonly errors: unknown[];
  stop(): void;
}

/** Upstreams by name, with port and protocol. */
export function startCallRig(ports: Readonly<Record<string, readonly [port: number, protocol: string]>>): CallRig {
  const entries = Object.entries(ports);
  const { config } = loadValue({
    upstreams: entries.map(([name, [port, protocol]]) => ({
      name,
      protocol,
      servers: [{ address: "127.0.0.1", port }],
    })),
  });
  if (config === undefined) throw new Error("Cannot make calls: the configuration is refused");
  const slot = onlySlot();
  const wheel = new TimerWheel();
  const errors: unknown[] = [];
  const members = Object.fromEntries(
    entries.map(([name, [port]], i) => {
      const endpoint = { address: "127.0.0.1", port };
      return [name, [{ endpoint, weight: 1, maxFails: 1000, failTimeoutMs: 1000, backup: false, slot: i }]];
    }),
  );
  const onError = (error: unknown): void => void errors.push(error);
  const states = new ServerStates(slot.zone, slot.row);
  const deps = {
    wheel,
    buffers: plentyOfBuffers(),
    telemetry: new Telemetry(slot),
    states,
    members,
    onError,
    log() {},
  };
  const upstreams = new Upstreams(config, deps, undefined);
  const memory = new BufferPool({ bufferSize: MEMORY_BYTES, bufferCount: 1, reserve: 0 });
  const calls = new UpstreamCalls({
    target: (name) => (name in ports ? callTarget(upstreams.get(name), { wheel, serviceName: "turnpike" }) : undefined),
    memory,
    onError,
  });
  const filter = calls.filter();
  return {
    calls,
    group: filter.own,
    stream: () => filter.stream(CLIENT),
    get held() {
      return memory.used;
    },
    errors,
    stop() {
      filter.close();
      upstreams.close(undefined);
      wheel.close();
    },
  };
}

/** The part of a client's request that calls read. */
const CLIENT = {
  id: "the-request",
  protocol: "HTTP/2.0",
  peerAddress: "192.0.2.1",
  clientAddress: "192.0.2.1",
  session: undefined,
} as Exchange;

/** The fields of a GET request. */
export function get(path: string, ...more: Pairs): Pairs {
  return [[":method", "GET"], [":path", path], [":authority", "auth.example"], ...more];
}

export function post(path: string, ...more: Pairs): Pairs {
  return [[":method", "POST"], [":path", path], [":authority", "auth.example"], ...more];
}
