import { type Fields, withoutFields } from "../../lib/http/fields.ts";
import { flatText } from "../../lib/memory/flat-text.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";
import { type Exchange, type RequestHead, type ResponseSink } from "../exchange/exchange.ts";
import { type ClientRequest } from "../http2/client-stream.ts";
import { serverKey } from "../upstream/member.ts";
import { type Endpoint } from "../wire/tcp.ts";
import { type ForwardTarget } from "./target.ts";
import { ClientConnection } from "../http1/client-connection.ts";
import { type UpstreamConnection } from "../upstream/server-pool.ts";
import { type UpstreamRequest } from "./request-pump.ts";
import { handshakeKey } from "./websocket.ts";

/**
 * True if the body may be gathered, up to `maxBytes`. A gRPC call and an upgrade may be interactive. With `Expect:
 * 100-continue` and a longer body, the upstream decides if the body is sent at all.
 */
export function mayGather({ bodyLength, isGrpc, upgrade, expectContinue }: RequestHead, maxBytes: number): boolean {
  return bodyLength !== 0 && !isGrpc && upgrade === "" && !(expectContinue && bodyLength > maxBytes);
}

/**
 * Adds the head of the HTTP/1.1 request to the server at `endpoint`, without framing and without the empty line. Its parts
 * are not joined, because that costs more than parsing a small head (bench http1). @internal
 */
export function addHttp1Head(pieces: TextPieces, exchange: Exchange, target: ForwardTarget, endpoint: Endpoint): void {
  const { head, trace } = exchange;
  pieces.add(head.method);
  pieces.add(" ");
  pieces.add(target.rewrite === undefined ? head.path : target.rewrite(head.path));
  if (head.addQuery === undefined) pieces.add(head.query);
  else head.addQuery(pieces);
  pieces.add(clientLines(exchange, target, endpoint));
  const { lines } = head;
  if (lines !== undefined) lines.addTo(pieces, target.extraNames);
  else pieces.add(target.extraNames.length === 0 ? head.fields : withoutFields(head.fields, target.extraNames));
  pieces.add(target.extraFields);
  trace?.addFields(pieces);
  if (exchange.addIdField === undefined) pieces.add(`X-Request-Id: ${exchange.id}\r\n`);
  else exchange.addIdField(pieces);
  pieces.add(expectField(head));
}

/** The same request for HTTP/2. @internal */
export function http2Request(
  exchange: Exchange,
  target: ForwardTarget,
  endpoint: Endpoint,
  scheme: ClientRequest["scheme"],
): ClientRequest {
  const { head } = exchange;
  const path = target.rewrite === undefined ? head.path : target.rewrite(head.path);
  const kept =
    (target.extraNames.length === 0 ? head.fields : withoutFields(head.fields, target.extraNames)) + target.extraFields;
  return {
    method: head.method,
    scheme,
    authority: target.host ?? authorityOf(exchange, endpoint),
    path: path + head.query,
    // A gRPC client must send `te: trailers`, and so must each hop (grpc/grpc, doc/PROTOCOL-HTTP2.md).
    fields: `${clientFields(exchange, target)}${kept}${head.isGrpc ? "te: trailers\r\n" : ""}`,
    ownFields: ownFields(exchange),
    bodyLength: head.bodyLength,
  };
}

/** HTTP/1.0 needs no Host, but most servers refuse an empty one. */
function authorityOf({ head }: Exchange, endpoint: Endpoint): string {
  if (head.authority !== "") return head.authority;
  return "unix" in endpoint ? "localhost" : serverKey(endpoint);
}

function ownFields({ head, id, trace }: Exchange): Fields {
  return `${trace?.fields ?? ""}X-Request-Id: ${id}\r\n${expectField(head)}`;
}

function expectField({ expectContinue, bodyLength }: RequestHead): Fields {
  return expectContinue && bodyLength !== 0 ? "Expect: 100-continue\r\n" : "";
}

function clientFields({ head, protocol, clientAddress, peerAddress }: Exchange, target: ForwardTarget): Fields {
  const { tellsClient, serviceName } = target;
  const forwardedFor = head.forwardedFor === "" ? peerAddress : `${head.forwardedFor}, ${peerAddress}`;
  const via = head.via === "" ? "" : `${head.via}, `;
  // RFC 9110 §7.6.3: the version of the client's request.
  const version = protocol === "HTTP/1.1" ? "1.1" : protocol.slice("HTTP/".length);
  const forwardedHost = head.authority === "" ? "" : `X-Forwarded-Host: ${head.authority}\r\n`;
  return (
    `${tellsClient ? `X-Forwarded-For: ${forwardedFor}\r\n` : ""}X-Forwarded-Proto: ${head.scheme}\r\n` +
    `${forwardedHost}${tellsClient ? `X-Real-IP: ${clientAddress}\r\n` : ""}Via: ${via}${version} ${serviceName}\r\n`
  );
}

/**
 * The end of the request line, the Host and the fields that describe the client. They are the same for most requests of a
 * connection to one upstream and most of a small head, so the connection keeps them: composing them for each request costs
 * 2 % of it (bench proxy, mixed64).
 */
function clientLines(exchange: Exchange, target: ForwardTarget, endpoint: Endpoint): Fields {
  const { head, protocol, clientAddress, peerAddress, clientLines: kept } = exchange;
  const { serviceName, tellsClient } = target;
  const { authority } = head;
  const host = target.host ?? authorityOf(exchange, endpoint);
  const isUsual = head.forwardedFor === "" && head.via === "" && authority !== "" && clientAddress === peerAddress;
  const mayKeep = isUsual && (protocol === "HTTP/1.1" || protocol === "HTTP/2.0");
  if (
    mayKeep &&
    kept?.authority === authority &&
    kept.host === host &&
    kept.serviceName === serviceName &&
    kept.tellsClient === tellsClient
  )
    return kept.lines;
  const lines = flatText(` HTTP/1.1\r\nHost: ${host}\r\n${clientFields(exchange, target)}`);
  if (mayKeep) exchange.clientLines = { authority, host, serviceName, tellsClient, lines };
  return lines;
}

interface Destination {
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
