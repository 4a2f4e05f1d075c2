import { type Config } from "../config/config.ts";
import { DEAF, listen } from "../wire/tcp.ts";

/** A listener as the configuration wants it. */
export interface ListenerPlan {
  readonly address: string;
  /** 0: one that the kernel chooses. */
  readonly port: number;
  readonly useTls: boolean;
  readonly h2cOnly: boolean;
  readonly proxyProtocol: boolean;
  readonly deferAccept: boolean;
  /** Answers challenges of TLS-ALPN-01, or has rules by host, so that clients' first messages are looked into. */
  readonly readsHello: boolean;
}

/** A listener as clients find it. */
export interface BoundListener {
  readonly address: string;
  readonly port: number;
  readonly scheme: "http" | "https";
}

export function listenersOf({ server, tls, http2 }: Config): ListenerPlan[] {
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

export function endpointOf({ address, port, useTls }: ListenerPlan): BoundListener {
  return { address, port, scheme: useTls ? "https" : "http" };
}

/** The configuration with the ports that are really bound in the place of those that the kernel chooses. */
export function withPorts(config: Config, bound: readonly BoundListener[]): Config {
  const { server } = config;
  const free = [...bound];
  const portOf = ({ address, port }: { address: string; port: number }): number => {
    const at = free.findIndex((one) => one.address === address && (port === 0 || one.port === port));
    return at === -1 ? port : (free.splice(at, 1)[0]?.port ?? port);
  };
  if (server.listeners.length === 0) return { ...config, server: { ...server, port: portOf(server) } };
  // Those with a number of their own first: what is left is the kernel's choice.
  const fixed = server.listeners.map((listener) => (listener.port === 0 ? 0 : portOf(listener)));
  const listeners = server.listeners.map((listener, i) => ({ ...listener, port: fixed[i] || portOf(listener) }));
  return { ...config, server: { ...server, listeners } };
}

/**
 * Where the listeners of a configuration will be: the kernel chooses a number for those that have none. Throws where
 * somebody listens there already, even one who shares its ports. `own` are ours, and are as they are.
 */
export function probeListeners(config: Config, own: readonly BoundListener[] = []): BoundListener[] {
  return listenersOf(config).map((plan) => {
    const endpoint = endpointOf(plan);
    const { address, port } = endpoint;
    // With another address too: our own sockets let each other share a port.
    if (own.some((one) => one.port === port)) return endpoint;
    const probe = explained(plan, () => listen({ address, port, reusePort: false, accept: () => DEAF, onFault() {} }));
    probe.stop();
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

/** What an operator is told of a listener that cannot be bound. */
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
    return new Error(`Cannot listen on ${endpoint}: this user may not; choose one from 1024 on with --port`, {
      cause: error,
    });
  }
  return error;
}

/** The URL of a listener as this machine reaches it. */
export function urlOf({ address, port, scheme }: BoundListener): string {
  const anywhere = address === "0.0.0.0" || address === "::";
  const host = anywhere ? "127.0.0.1" : address;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
