import { type Config } from "../../config/config.ts";

/** Milliseconds between two attempts to bind a port that the old gateway still has. */
const AGAIN_MS = 100;
/** One of this number of failed attempts is logged. */
const TOLD_ATTEMPTS = 100;

/**
 * The part of its configuration that a gateway serves while the old one drains. Both share the TCP ports. They cannot
 * share a UDP port: the kernel would give packets of the old gateway's HTTP/3 connections to the new one. They cannot
 * share the admin interface either: a change would reach only one of them.
 *
 *   the new one:  tcp ─ the old one closes its admin interface ─▶ admin ─ its last HTTP/3 request ends ─▶ all
 *   the old one:  all ─ the new one serves ─▶ none ─ it has ended again ─▶ tcp ─▶ admin ─▶ all
 *
 */
export type Share = "none" | "tcp" | "admin" | "all";

/** The gateway that another one replaces, as it described itself. */
export interface Replaced {
  /** The port of its admin interface; undefined if it is off. */
  readonly adminPort: number | undefined;
}

/** The part served at a start: the admin interface is in it unless the old gateway has its port. */
export function firstShare({ admin }: Config, replaced: Replaced | undefined): Share {
  if (replaced === undefined) return "all";
  return admin.enabled && admin.port === replaced.adminPort ? "tcp" : "admin";
}

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
  if (share === "admin") return tcpAlone;
  const withoutAdmin = { ...tcpAlone, admin: { ...config.admin, enabled: false } };
  return share === "tcp" ? withoutAdmin : { ...withoutAdmin, isReleased: true };
}

/** Throws if two gateways cannot serve by the configuration at once, or if a port is not fixed. */
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

/** Tries until `attempt` resolves or `isClosing`. `failed` gets the first error, and one every ten seconds. */
export async function retry(
  attempt: () => Promise<void>,
  { isClosing, failed }: { isClosing: () => boolean; failed: (error: unknown) => void },
): Promise<void> {
  for (let count = 0; !isClosing(); count++) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (count % TOLD_ATTEMPTS === 0 && !isClosing()) failed(error);
      await Bun.sleep(AGAIN_MS);
    }
  }
}
