import { withoutFields } from "../../lib/fields.ts";
import { type Exchange } from "../exchange.ts";
import { type Endpoint } from "../wire/tcp.ts";
import { type ForwardTarget } from "./target.ts";

/** The head of the upstream request to the server at `endpoint`, without framing and without the empty line. */
export function upstreamHead(exchange: Exchange, target: ForwardTarget, endpoint: Endpoint | undefined): string {
  const { head, protocol, clientAddress, peerAddress, id } = exchange;
  const path = target.rewrite === undefined ? head.path : target.rewrite(head.path);
  const forwardedFor = head.forwardedFor === "" ? peerAddress : `${head.forwardedFor}, ${peerAddress}`;
  const via = head.via === "" ? "" : `${head.via}, `;
  // RFC 9110 §7.6.3: the version that the client spoke.
  const version = protocol === "HTTP/1.1" ? "1.1" : protocol.slice("HTTP/".length);
  const hasHost = target.extraNames.includes("host");
  // HTTP/1.0 needs none, and an empty one is refused by most servers.
  const host = head.authority === "" ? hostOf(endpoint) : head.authority;
  const forwardedHost = head.authority === "" ? "" : `X-Forwarded-Host: ${head.authority}\r\n`;
  const fields = target.extraNames.length === 0 ? head.fields : withoutFields(head.fields, target.extraNames);
  const expect = head.expectContinue && head.bodyLength !== 0 ? "Expect: 100-continue\r\n" : "";
  return (
    `${head.method} ${path}${head.query} HTTP/1.1\r\n${hasHost ? "" : `Host: ${host}\r\n`}${fields}` +
    `X-Forwarded-For: ${forwardedFor}\r\nX-Forwarded-Proto: ${head.scheme}\r\n${forwardedHost}` +
    `X-Real-IP: ${clientAddress}\r\nVia: ${via}${version} ${target.serviceName}\r\nX-Request-Id: ${id}\r\n${expect}${target.extraFields}`
  );
}

/** A server's own address as a Host. */
function hostOf(endpoint: Endpoint | undefined): string {
  if (endpoint === undefined || "unix" in endpoint) return "localhost";
  const { address, port } = endpoint;
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}
