import { type Config } from "../config/config.ts";

/** Milliseconds between two attempts to bind a port that the gateway before still has. */
const AGAIN_MS = 100;

/**
 * What a gateway serves while the one before it drains. TCP ports are shared. A UDP port cannot be: the kernel would give packets of
 * the old gateway's HTTP/3 connections to the new one. Nor can the admin interface: a change would reach one of two gateways.
 *
 *   tcp ─ the old one closes its admin interface ─▶ admin ─ its last HTTP/3 request ends ─▶ all
 */
export type Share = "tcp" | "admin" | "all";

/** The part of a configuration that a gateway with this share serves. */
export function shareOf(config: Config, share: Share): Config {
  const tcpAlone = {
    ...config,
    quic: { ...config.quic, enabled: false },
    server: {
      ...config.server,
      listeners: config.server.listeners.map((listener) => ({ ...listener, quic_enabled: false })),
    },
  };
  if (share === "all") return config;
  return share === "admin" ? tcpAlone : { ...tcpAlone, admin: { ...config.admin, enabled: false } };
}

/** Throws if two gateways cannot serve by the configuration at a time, or if a port is not fixed: there is nothing to take over. */
export function checkTakeOver({ server, quic, x402 }: Config): void {
  if (x402.enabled && x402.embedded.enabled && !x402.test_mode) {
    throw new Error(
      "Cannot take over: one process at a time may use the key of x402.embedded; run turnpike facilitator, and name its URL",
    );
  }
  const ports = server.listeners.length === 0 ? [server.port] : server.listeners.map(({ port }) => port);
  if (ports.includes(0) || (quic.enabled && quic.port === 0)) {
    throw new Error("Cannot take over: a listener has port 0; give each a port of its own");
  }
}

/** Tries until `attempt` resolves, or `isClosing` says that it is not needed any more. `failed` hears the first error. */
export async function retry(
  attempt: () => Promise<void>,
  { isClosing, failed }: { isClosing: () => boolean; failed: (error: unknown) => void },
): Promise<void> {
  for (let count = 0; !isClosing(); count++) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (count === 0) failed(error);
      await Bun.sleep(AGAIN_MS);
    }
  }
}
