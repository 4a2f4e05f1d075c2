import { type Exchange, type ResponseSink } from "../exchange.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { type UpstreamConnection } from "../upstream/server-pool.ts";
import { type Endpoint } from "../wire/tcp.ts";
import { http1Head, http2Request, writeHttp1Head } from "./request-head.ts";
import { type Carrier } from "./request-pump.ts";
import { type ForwardTarget } from "./target.ts";
import { handshakeKey } from "./websocket.ts";

/** Where a request goes. */
export interface Destination {
  readonly target: ForwardTarget;
  readonly endpoint: Endpoint;
  readonly scheme: "http" | "https";
}

/** Sends the head on `connection`; undefined where that takes no more requests. A handshake takes a connection of HTTP/1. */
export function beginRequest(
  connection: UpstreamConnection,
  exchange: Exchange,
  { target, endpoint, scheme }: Destination,
  sink: ResponseSink,
): Carrier | undefined {
  if (!(connection instanceof ClientConnection)) {
    return connection.request(http2Request(exchange, target, endpoint, scheme), sink);
  }
  const { method, bodyLength, upgrade } = exchange.head;
  if (upgrade === "") {
    writeHttp1Head(connection.begin(method, bodyLength, sink), exchange, target, endpoint);
    connection.endHead(method, bodyLength);
    return connection;
  }
  // First, since the head has the key among its fields.
  const key = handshakeKey(exchange.head);
  connection.upgrade(http1Head(exchange, target, endpoint), key, sink);
  return connection;
}
