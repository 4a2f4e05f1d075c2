import { type ConnectionPermit, type ServerHost } from "../../exchange/server-host.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type OnError } from "../../wire/tcp.ts";
import { type ClientSubject, type KeyPair } from "../../wire/tls.ts";
import { type ConnectionLimiter } from "../connections/connection-limiter.ts";

/** The parts that all listeners of a gateway share. */
export interface ListenerShared extends Omit<ServerHost, "scheme" | "closed" | "peerAddress"> {
  readonly limiter: ConnectionLimiter;
  readonly counts: Counts;
  /** Serves only the gateway's own paths: the connection is over the limits. */
  readonly handleReserved: (exchange: Exchange) => void;
  /** Serves only the gateway's own paths: the connection is not for the request's host. */
  readonly handleMisdirected: (exchange: Exchange) => void;
  readonly onError: OnError;
  /** The certificate and key for a TLS-ALPN-01 challenge of a host name; undefined without a challenge. */
  readonly challengePair: (hostname: string) => KeyPair | undefined;
}

/** The host of a connection over the limits: it takes one request, and only for one of the gateway's own paths. */
export function reservedHost(host: ServerHost, shared: ListenerShared, permit: ConnectionPermit): ServerHost {
  return {
    ...host,
    draining: () => true,
    handle(exchange) {
      permit.holder?.drain();
      shared.handleReserved(exchange);
    },
  };
}

/** The host of connections from clients whose certificate has this subject. */
export function withClient(host: ServerHost, clientSubject: ClientSubject | undefined): ServerHost {
  if (clientSubject === undefined) return host;
  const fields = clientFields(clientSubject);
  return {
    ...host,
    handle(exchange: Exchange) {
      exchange.head.fields += fields;
      host.handle(exchange);
    },
  };
}

/** The fields that describe the client's certificate to an upstream. Clients cannot send these fields themselves. */
function clientFields(client: ClientSubject): string {
  if (client === "none") return "X-Client-Cert-Verified: NONE\r\n";
  return `X-Client-Cert-Verified: SUCCESS\r\nX-Client-Cert-Subject: ${client.subject}\r\n`;
}
