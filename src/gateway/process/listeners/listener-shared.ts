import { type Exchange } from "../../exchange/exchange.ts";
import { type ServerHost } from "../../exchange/server-host.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type OnError } from "../../wire/tcp.ts";
import { type KeyPair } from "../../wire/tls.ts";
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
