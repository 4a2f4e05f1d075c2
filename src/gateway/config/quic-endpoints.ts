import { isDeepStrictEqual } from "node:util";
import { type Config } from "./config.ts";

/** An HTTP/3 endpoint as the configuration describes it. */
export interface QuicEndpoint {
  readonly address: string;
  /** 0: the port of its TCP listener, which the kernel chooses. */
  readonly port: number;
  /** The path of the key that names the port. */
  readonly path: string;
  /** All listeners with TLS announce it. */
  readonly isForTls: boolean;
  /** The indexes of the TCP listeners that it belongs to. */
  readonly listeners: number[];
}

/** The HTTP/3 endpoints of a configuration. Equal address, port and certificates are one endpoint. */
export function quicEndpointsOf({ server, quic }: Pick<Config, "server" | "quic">): QuicEndpoint[] {
  const { address, listeners } = server;
  const endpoints: QuicEndpoint[] = [];
  if (quic.enabled) endpoints.push({ address, port: quic.port, path: "quic.port", isForTls: true, listeners: [] });
  for (const [i, listener] of listeners.entries()) {
    if (!listener.quic_enabled) continue;
    const port = listener.quic_port === 0 ? listener.port : listener.quic_port;
    const same = endpoints.find(
      (one) =>
        one.port === port &&
        one.address === listener.address &&
        isDeepStrictEqual(listeners[one.listeners[0] ?? -1]?.tls, listener.tls),
    );
    const path = `server.listeners[${i}].quic_port`;
    if (port !== 0 && same !== undefined) same.listeners.push(i);
    else endpoints.push({ address: listener.address, port, path, isForTls: false, listeners: [i] });
  }
  return endpoints;
}
