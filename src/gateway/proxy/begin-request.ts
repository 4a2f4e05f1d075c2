import { type Exchange, type ResponseSink } from "../exchange/exchange.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { type UpstreamConnection } from "../upstream/server-pool.ts";
import { type Endpoint } from "../wire/tcp.ts";
import { addHttp1Head, http2Request } from "./request-head.ts";
import { type UpstreamRequest } from "./request-pump.ts";
import { type ForwardTarget } from "./target.ts";
import { handshakeKey } from "./websocket.ts";

export interface Destination {
  readonly target: ForwardTarget;
  readonly endpoint: Endpoint;
  readonly scheme: "http" | "https";
}

/**
 * Sends the head on `connection`. Undefined if the connection accepts no more requests. A WebSocket handshake takes over an
 * HTTP/1 connection.
 */
export function beginRequest(
  connection: UpstreamConnection,
  exchange: Exchange,
  { target, endpoint, scheme }: Destination,
  sink: ResponseSink,
): UpstreamRequest | undefined {
  if (!(connection instanceof ClientConnection)) {
    return connection.request(http2Request(exchange, target, endpoint, scheme), sink);
  }
  const { method, bodyLength, upgrade } = exchange.head;
  // This comes before the head is added, because it may add the key to the fields.
  const key = upgrade === "" ? "" : handshakeKey(exchange.head);
  addHttp1Head(connection.begin(method, bodyLength, sink), exchange, target, endpoint);
  connection.endHead(method, bodyLength, key);
  return connection;
}
