import { type Config } from "../../config/config.ts";
import { DEAF, listen, type Listener } from "../../wire/tcp.ts";
import { hostAndPort } from "../../../lib/http/url-host.ts";

export interface ListenerPlan {
  readonly address: string;
  /** 0: the kernel chooses one. */
  readonly port: number;
  readonly useTls: boolean;
  readonly h2cOnly: boolean;
  readonly proxyProtocol: boolean;
  readonly deferAccept: boolean;
  /** The gateway reads the client's hello first, because it responds to TLS-ALPN-01 challenges or has rules by host. */
  readonly readsHello: boolean;
}

export interface BoundListener {
  readonly address: string;
  readonly port: number;
  readonly scheme: "http" | "https";
}

/** The listeners of a configuration: those of `server.listeners`, or the one of `server.address` and `server.port`. */
export function listenersOf({ server, tls, http2, isReleased }: Config): ListenerPlan[] {
  if (isReleased === true) return [];
  const hasChallenges = tls.acme?.challenges.includes("tls-alpn-01") === true;
  if (server.listeners.length === 0) {
    const { address, port, defer_accept: deferAccept } = server;
    const useTls = tls.cert_path !== "" || tls.acme !== undefined;
    const readsHello = hasChallenges || (useTls && tls.hosts.length > 0);
    return [
      { address, port, useTls, h2cOnly: http2.h2c_only && !useTls, proxyProtocol: false, readsHello, deferAccept },
    ];
  }
  return server.listeners.map((listener) => ({
    address: listener.address,
    port: listener.port,
    useTls: listener.use_tls,
    h2cOnly: listener.h2c_only,
    proxyProtocol: listener.proxy_protocol,
    deferAccept: server.defer_accept,
    readsHello: listener.use_tls && (hasChallenges || (listener.tls?.hosts ?? tls.hosts).length > 0),
  }));
}

/** The address, port and scheme of a listener, as reports show it. */
export function endpointOf({ address, port, useTls }: ListenerPlan): BoundListener {
  return { address, port, scheme: useTls ? "https" : "http" };
}

/** The configuration with each port 0 replaced by the port that the kernel chose. */
export function withPorts(config: Config, bound: readonly BoundListener[]): Config {
  const { server } = config;
  const free = [...bound];
  const portOf = ({ address, port }: { address: string; port: number }): number => {
    const at = free.findIndex((one) => one.address === address && (port === 0 || one.port === port));
    return at === -1 ? port : (free.splice(at, 1)[0]?.port ?? port);
  };
  if (server.listeners.length === 0) return { ...config, server: { ...server, port: portOf(server) } };
  // Listeners with a fixed port come first: the other ports are the ones that the kernel chose.
  const fixed = server.listeners.map((listener) => (listener.port === 0 ? 0 : portOf(listener)));
  const listeners = server.listeners.map((listener, i) => ({ ...listener, port: fixed[i] || portOf(listener) }));
  return { ...config, server: { ...server, listeners } };
}

/**
 * The endpoints of a configuration's listeners, with a port from the kernel for each port 0. Throws if another program
 * listens on one of them, even if it shares its ports. `own` are our listeners, which stay as they are. `hold` gets the
 * sockets of the ports from the kernel, which only processes that share them can bind until it stops them.
 */
export function probeListeners(
  config: Config,
  own: readonly BoundListener[] = [],
  hold?: (socket: Listener) => void,
): BoundListener[] {
  return listenersOf(config).map((plan) => {
    const endpoint = endpointOf(plan);
    const { address, port } = endpoint;
    // With another address too, because our own sockets share ports with each other.
    if (own.some((one) => one.port === port)) return endpoint;
    // No client connects to a held socket: the port is not known yet.
    const reusePort = port === 0 && hold !== undefined;
    const probe = explained(plan, () => listen({ address, port, reusePort, accept: () => DEAF, onError() {} }));
    if (reusePort) hold(probe);
    else probe.stop();
    return { ...endpoint, port: probe.port };
  });
}

function explained<T>(endpoint: { address: string; port: number }, bind: () => T): T {
  try {
    return bind();
  } catch (error) {
    throw bindError(endpoint, error);
  }
}

/** The error for operators if a listener cannot be bound. */
export function bindError({ address, port }: { address: string; port: number }, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const endpoint = `${address}:${port}`;
  if (code === "EADDRINUSE") {
    return new Error(
      `Cannot listen on ${endpoint}: the port is in use; stop what uses it, or choose another with --port`,
      { cause: error },
    );
  }
  if (code === "EACCES") {
    return new Error(
      `Cannot listen on ${endpoint}: this user may not use the port; choose one from 1024 on with --port`,
      {
        cause: error,
      },
    );
  }
  return error;
}

/** The URL of a listener for clients on this machine. */
export function urlOf({ address, port, scheme }: BoundListener): string {
  const anywhere = address === "0.0.0.0" || address === "::";
  const host = anywhere ? "127.0.0.1" : address;
  return `${scheme}://${hostAndPort(host, port)}`;
}
