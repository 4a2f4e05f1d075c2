/** The real pipeline over every protocol, with the policies of a test. */
import { loadValue } from "../../../src/gateway/config/load.ts";
import { respondWithError } from "../../../src/gateway/exchange/local-response.ts";
import { startEndpoint } from "../../../src/gateway/http3/testing/endpoint.ts";
import { Observer } from "../../../src/gateway/pipeline/observer.ts";
import { type Pipeline, serve } from "../../../src/gateway/pipeline/pipeline.ts";
import { type Policy } from "../../../src/gateway/policy/policy.ts";
import { GatewayListener } from "../../../src/gateway/process/listeners/gateway-listener.ts";
import { AddressShares } from "../../../src/gateway/process/connections/address-shares.ts";
import { ConnectionLimiter } from "../../../src/gateway/process/connections/connection-limiter.ts";
import { SharedConnectionCounter } from "../../../src/gateway/process/connections/shared-connection-counter.ts";
import { Upstreams } from "../../../src/gateway/upstream/upstreams.ts";
import { type ForwardTarget } from "../../../src/gateway/proxy/target.ts";
import { RouteTable } from "../../../src/gateway/routing/table.ts";
import { type ServerSettings } from "../../../src/gateway/exchange/server-host.ts";
import { onlySlot, Telemetry } from "../../../src/gateway/telemetry/telemetry.ts";
import { ServerStates } from "../../../src/gateway/upstream/outlier-detection.ts";
import { BufferPool } from "../../../src/lib/memory/buffer-pool.ts";
import { TimerWheel } from "../../../src/lib/time/timer-wheel.ts";
import { LOCALHOST } from "../../support/certificates.ts";
import { type RawOrigin } from "../../support/raw-origin.ts";
import { Clients } from "../protocols.ts";

const SETTINGS: ServerSettings = {
  maxHeaderBytes: 32_768,
  maxHeaderCount: 128,
  maxBodyBytes: 33_554_432,
  idleMs: 60_000,
  headerMs: 10_000,
  bodyMs: 30_000,
  writeMs: 30_000,
  http2: { maxStreams: 128, maxHeaderListSize: 8192, initialWindowSize: 1_048_576, maxFrameSize: 16_384 },
};

export interface ChainRig {
  readonly clients: Clients;
  /** HTTP/1.1, and HTTP/2 with prior knowledge, without TLS. */
  readonly plainPort: number;
  /** The policies of the route, from the next request on. */
  policies: readonly Policy[];
  /** Thrown values that are not responses. */
  readonly errors: unknown[];
  /** The memory for data that waits for slow clients, over HTTP/1.1 and HTTP/2 and over HTTP/3. */
  readonly buffers: readonly BufferPool[];
  stop(): Promise<void>;
}

/** One route, `/`, to `origin`. */
export async function startChainRig(origin: RawOrigin): Promise<ChainRig> {
  const slot = onlySlot();
  const telemetry = new Telemetry(slot);
  const wheel = new TimerWheel();
  const buffers = new BufferPool({ bufferSize: 65_536, bufferCount: 4096, reserve: 2 });
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const server = { address: "127.0.0.1", port: origin.port };
  const { config } = loadValue({ upstreams: [{ name: "origin", servers: [server] }] });
  if (config === undefined) throw new Error("Cannot start a chain: the configuration is refused");
  const member = { endpoint: server, weight: 1, maxFails: 1000, failTimeoutMs: 1000, backup: false, slot: 0 };
  const states = new ServerStates(slot.zone, slot.row);
  const members = { origin: [member] };
  const upstreams = new Upstreams(config, { wheel, buffers, telemetry, states, members, onError, log() {} }, undefined);
  const target: ForwardTarget = {
    wheel,
    upstream: upstreams.get("origin"),
    split: undefined,
    variants: undefined,
    mirror: undefined,
    gather: undefined,
    responses: undefined,
    rewrite: undefined,
    connectTimeoutMs: 5000,
    sendTimeoutMs: 30_000,
    readTimeoutMs: 60_000,
    totalTimeoutMs: 120_000,
    maxBodyBytes: 33_554_432,
    maxResponseBytes: 33_554_432,
    retry: {
      maxRetries: 0,
      connectAnyMethod: false,
      anyMethod: false,
      statuses: new Set([502, 503, 504]),
      tryTimeoutMs: Number.POSITIVE_INFINITY,
      backoffMs: 0,
      maxBackoffMs: 0,
      random: Math.random,
    },
    tellsClient: true,
    host: undefined,
    extraFields: "",
    extraNames: [],
    serviceName: "service",
    respondWithError,
  };
  const observer = new Observer({ metrics: telemetry.http });
  const pipelineFor = (policies: readonly Policy[]): Pipeline => ({
    routes: RouteTable.of([
      {
        pathPrefix: "/",
        host: undefined,
        isGuarded: false,
        policies,
        target,
        handler: undefined,
        observer,
      },
    ]),
    limitsBodies: false,
    isAllowedHost: undefined,
    observer,
    state: { ready: () => true, metrics: () => ({ text: "", contentType: "" }), challenge: () => undefined },
    catalogue: undefined,
    buffers,
    clientAddress: undefined,
    unrouted: [],
    staticFiles: undefined,
    respondWithError,
    onError,
  });
  const material = { fallback: LOCALHOST, named: [], clientCa: "", clientCertRequired: true };
  const rig = { policies: [] as readonly Policy[], errors };
  const handle: Parameters<typeof startEndpoint>[0] = (exchange) => serve(pipelineFor(rig.policies), exchange);
  const plan = {
    address: "127.0.0.1",
    port: 0,
    useTls: true,
    h2cOnly: false,
    proxyProtocol: false,
    deferAccept: false,
    readsHello: false,
  };
  const places = new ConnectionLimiter({
    connectionCounter: new SharedConnectionCounter(slot),
    shares: new AddressShares(slot, new BigInt64Array(1)),
    wheel,
    limits: () => ({ max: 1000, maxPerAddress: 1000, isProxy: undefined }),
    yielded() {},
  });
  const shared: Parameters<typeof GatewayListener.bind>[2] = {
    settings: () => SETTINGS,
    wheel,
    buffers,
    draining: () => false,
    handle,
    refused() {},
    limiter: places,
    counts: telemetry.counts,
    handleReserved: handle,
    handleMisdirected: handle,
    onError,
    challengePair: () => undefined,
  };
  const listener = await GatewayListener.bind(plan, material, shared);
  const plain = await GatewayListener.bind({ ...plan, useTls: false }, undefined, shared);
  const endpoint = await startEndpoint(handle, { material });
  const clients = new Clients(listener.endpoint.port, endpoint.port);
  const slow = [buffers, endpoint.buffers];
  const stop = async (): Promise<void> => {
    await clients.close();
    await listener.close(0);
    await plain.close(0);
    await endpoint.close();
    upstreams.close(undefined);
    wheel.close();
  };
  return Object.assign(rig, { clients, plainPort: plain.endpoint.port, buffers: slow, stop });
}
