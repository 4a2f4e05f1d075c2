import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { type LoggedRequest, type Exchange } from "../../exchange/exchange.ts";
import { type ServerConnection, type ServerHost, type ServerSettings } from "../../exchange/server-host.ts";
import { type TlsMaterial } from "../../wire/tls.ts";
import { type Http3Endpoint, type Http3Options, startHttp3 } from "../server.ts";

/** An HTTP/3 endpoint: by default on a free port of 127.0.0.1. A test handles its requests. */
export interface TestEndpoint {
  readonly endpoint: Http3Endpoint;
  readonly port: number;
  readonly refused: readonly LoggedRequest[];
  readonly errors: readonly unknown[];
  readonly connections: ReadonlySet<ServerConnection>;
  readonly buffers: BufferPool;
  draining: boolean;
  close(): Promise<void>;
}

export interface TestEndpointOptions extends Partial<Pick<Http3Options, "quic" | "address" | "port">> {
  /** False: the connection is not accepted. */
  readonly admit?: (...peer: Parameters<Http3Options["admit"]>) => boolean;
  readonly material: TlsMaterial;
  readonly settings?: Partial<ServerSettings>;
}

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

export async function startEndpoint(
  handle: (exchange: Exchange) => void,
  options: TestEndpointOptions,
): Promise<TestEndpoint> {
  const wheel = new TimerWheel();
  const buffers = new BufferPool({ bufferSize: 65_536, bufferCount: 4096, reserve: 2 });
  const connections = new Set<ServerConnection>();
  const refused: LoggedRequest[] = [];
  const errors: unknown[] = [];
  const settings = { ...SETTINGS, ...options.settings };
  const host: ServerHost = {
    settings: () => settings,
    wheel,
    buffers,
    draining: () => test.draining,
    scheme: "https",
    handle,
    refused: (request) => void refused.push(request),
    closed: (connection) => void connections.delete(connection),
  };
  const endpoint = await startHttp3({
    address: options.address ?? "127.0.0.1",
    port: options.port ?? 0,
    material: options.material,
    quic: options.quic ?? { maxIdleTimeoutMs: 30_000, maxStreamsBidi: 100, maxStreamsUni: 100 },
    maxHeaderBytes: settings.maxHeaderBytes,
    maxHeaderCount: settings.maxHeaderCount,
    admit: (...peer) =>
      options.admit?.(...peer) === false
        ? undefined
        : { host, entered: (connection) => void connections.add(connection) },
    onError: (error) => errors.push(error),
  });
  const test: TestEndpoint = {
    endpoint,
    port: endpoint.port,
    refused,
    errors,
    connections,
    buffers,
    draining: false,
    async close() {
      await endpoint.close();
      wheel.close();
    },
  };
  return test;
}
