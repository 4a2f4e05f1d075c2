import { type Fields, withoutFields } from "../../lib/fields.ts";
import { flatText } from "../../lib/flat-text.ts";
import { type Exchange, type RequestHead, type TextSink, type ToldClient } from "../exchange.ts";
import { type ClientRequest } from "../http2/client-stream.ts";
import { serverKey } from "../upstream/member.ts";
import { type Endpoint } from "../wire/tcp.ts";
import { type ForwardTarget } from "./target.ts";

/** A request that does nothing more when it is made twice, and has no body as a rule. */
export function isRetryable(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/**
 * The body can wait for its end, up to so many bytes. Not where it may be one half of a conversation; and the upstream decides
 * whether a body is sent at all that is announced to be longer.
 */
export function mayGather({ bodyLength, isGrpc, upgrade, expectContinue }: RequestHead, maxBytes: number): boolean {
  return bodyLength !== 0 && !isGrpc && upgrade === "" && !(expectContinue && bodyLength > maxBytes);
}

/** The head of the HTTP/1.1 request to the server at `endpoint`, without framing and without the empty line. */
export function http1Head(exchange: Exchange, target: ForwardTarget, endpoint: Endpoint): string {
  const { head } = exchange;
  const path = target.rewrite === undefined ? head.path : target.rewrite(head.path);
  const line = `${head.method} ${path}${head.query} HTTP/1.1\r\n`;
  const host = target.host === undefined ? `Host: ${authorityOf(exchange, endpoint)}\r\n` : "";
  return `${line}${host}${repeatedFields(exchange, target, target.extraFields)}${ownFields(exchange)}`;
}

/**
 * Writes that head. Most requests are a connection's next ones to the same place: their pieces go out as they are, since joining
 * them first costs more than parsing a small head (bench http1).
 */
export function writeHttp1Head(out: TextSink, exchange: Exchange, target: ForwardTarget, endpoint: Endpoint): void {
  const told = exchange.session === undefined ? toldAgain(exchange, target) : undefined;
  if (told === undefined || exchange.writeIdField === undefined) {
    out.text(http1Head(exchange, target, endpoint));
    return;
  }
  const { head, trace } = exchange;
  out.text(head.method);
  out.text(" ");
  out.text(target.rewrite === undefined ? head.path : target.rewrite(head.path));
  out.text(head.query);
  out.text(target.host === undefined ? told.host : " HTTP/1.1\r\n");
  out.text(target.extraNames.length === 0 ? head.fields : withoutFields(head.fields, target.extraNames));
  out.text(told.fields);
  out.text(target.extraFields);
  if (trace !== undefined) out.text(trace.fields);
  exchange.writeIdField(out);
  out.text(expectField(head));
}

/** The same request as HTTP/2 sends it. */
export function http2Request(
  exchange: Exchange,
  target: ForwardTarget,
  endpoint: Endpoint,
  scheme: ClientRequest["scheme"],
): ClientRequest {
  const { head } = exchange;
  const path = target.rewrite === undefined ? head.path : target.rewrite(head.path);
  const more = target.extraFieldsWithoutHost;
  return {
    method: head.method,
    scheme,
    authority: target.host ?? authorityOf(exchange, endpoint),
    path: path + head.query,
    // A client of gRPC must say this, and each hop for itself (grpc/grpc, doc/PROTOCOL-HTTP2.md).
    fields: repeatedFields(exchange, target, head.isGrpc ? `${more}te: trailers\r\n` : more),
    ownFields: ownFields(exchange),
    bodyLength: head.bodyLength,
  };
}

/** HTTP/1.0 needs no Host, and an empty one is refused by most servers. */
function authorityOf({ head }: Exchange, endpoint: Endpoint): string {
  if (head.authority !== "") return head.authority;
  return "unix" in endpoint ? "localhost" : serverKey(endpoint);
}

/** What the fields of a request to an upstream are made of, but for those that it shares with no other request. */
interface Forwarded {
  readonly target: ForwardTarget;
  /** Lines that the route adds. */
  readonly more: Fields;
  readonly fields: Fields;
  readonly forwardedFor: string;
  readonly via: string;
  readonly authority: string;
  readonly scheme: string;
  readonly protocol: string;
  readonly clientAddress: string;
  readonly peerAddress: string;
}

/** Those of the last request of a multiplexed connection, and the lines made of them. */
let last: Forwarded | undefined;
let lastLines: Fields = "";

/**
 * The client's own fields, those that tell of the client, and `more`. Requests of one HTTP/2 or HTTP/3 client follow each other with the
 * same fields, often as the same text: then the lines are the last ones, and HPACK finds them encoded (bench proxy, grpc-unary).
 */
function repeatedFields(exchange: Exchange, target: ForwardTarget, more: Fields): Fields {
  const { head, protocol, clientAddress, peerAddress, session } = exchange;
  const { fields, forwardedFor, via, authority, scheme } = head;
  const forwarded = {
    target,
    more,
    fields,
    forwardedFor,
    via,
    authority,
    scheme,
    protocol,
    clientAddress,
    peerAddress,
  };
  if (session !== undefined && last !== undefined && isSame(last, forwarded)) return lastLines;
  const kept = target.extraNames.length === 0 ? fields : withoutFields(fields, target.extraNames);
  const lines = `${kept}${clientFields(exchange, target)}${more}`;
  if (session === undefined) return lines;
  lastLines = flatText(lines);
  last = forwarded;
  return lastLines;
}

function isSame(a: Forwarded, b: Forwarded): boolean {
  return (
    a.fields === b.fields &&
    a.clientAddress === b.clientAddress &&
    a.authority === b.authority &&
    a.target === b.target &&
    a.more === b.more &&
    a.forwardedFor === b.forwardedFor &&
    a.via === b.via &&
    a.scheme === b.scheme &&
    a.protocol === b.protocol &&
    a.peerAddress === b.peerAddress
  );
}

/** The fields that a request shares with no other one. */
function ownFields({ head, id, trace }: Exchange): Fields {
  return `${trace?.fields ?? ""}X-Request-Id: ${id}\r\n${expectField(head)}`;
}

function expectField({ expectContinue, bodyLength }: RequestHead): Fields {
  return expectContinue && bodyLength !== 0 ? "Expect: 100-continue\r\n" : "";
}

/** What tells of the client. */
function clientFields({ head, protocol, clientAddress, peerAddress }: Exchange, target: ForwardTarget): Fields {
  const { tellsClient, serviceName } = target;
  const forwardedFor = head.forwardedFor === "" ? peerAddress : `${head.forwardedFor}, ${peerAddress}`;
  const via = head.via === "" ? "" : `${head.via}, `;
  // RFC 9110 §7.6.3: the version that the client spoke.
  const version = protocol === "HTTP/1.1" ? "1.1" : protocol.slice("HTTP/".length);
  const forwardedHost = head.authority === "" ? "" : `X-Forwarded-Host: ${head.authority}\r\n`;
  return (
    `${tellsClient ? `X-Forwarded-For: ${forwardedFor}\r\n` : ""}X-Forwarded-Proto: ${head.scheme}\r\n` +
    `${forwardedHost}${tellsClient ? `X-Real-IP: ${clientAddress}\r\n` : ""}Via: ${via}${version} ${serviceName}\r\n`
  );
}

/**
 * What the connection's last request had composed, where this one's is the same: most of a head of many short texts, and putting
 * them together costs more than parsing it (bench proxy --pinned, small64). Undefined where requests differ in it.
 */
function toldAgain(exchange: Exchange, target: ForwardTarget): ToldClient | undefined {
  const { head, protocol, clientAddress, peerAddress, told } = exchange;
  const { serviceName, tellsClient } = target;
  const { authority } = head;
  const isUsual = head.forwardedFor === "" && head.via === "" && authority !== "" && clientAddress === peerAddress;
  if (!isUsual || protocol !== "HTTP/1.1") return undefined;
  if (told?.authority === authority && told.serviceName === serviceName && told.tellsClient === tellsClient)
    return told;
  const host = flatText(` HTTP/1.1\r\nHost: ${authority}\r\n`);
  const fresh = {
    authority,
    serviceName,
    tellsClient,
    host,
    fields: flatText(clientFields(exchange, target)),
  };
  exchange.told = fresh;
  return fresh;
}
