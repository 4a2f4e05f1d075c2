import { withoutFields } from "../../lib/fields.ts";
import { type Exchange } from "../exchange.ts";
import { type ForwardTarget } from "./target.ts";

/** The head of the upstream request, without framing and without the empty line. */
export function upstreamHead(exchange: Exchange, target: ForwardTarget): string {
  const { head, protocol, clientAddress, peerAddress, id } = exchange;
  const path = target.rewrite === undefined ? head.path : target.rewrite(head.path);
  const forwardedFor = head.forwardedFor === "" ? peerAddress : `${head.forwardedFor}, ${peerAddress}`;
  const via = head.via === "" ? "" : `${head.via}, `;
  // RFC 9110 §7.6.3: the version that the client spoke.
  const version = protocol === "HTTP/1.1" ? "1.1" : protocol.slice("HTTP/".length);
  const hasHost = target.extraNames.includes("host");
  const fields = target.extraNames.length === 0 ? head.fields : withoutFields(head.fields, target.extraNames);
  const expect = head.expectContinue && head.bodyLength !== 0 ? "Expect: 100-continue\r\n" : "";
  return (
    `${head.method} ${path}${head.query} HTTP/1.1\r\n${hasHost ? "" : `Host: ${head.authority}\r\n`}${fields}` +
    `X-Forwarded-For: ${forwardedFor}\r\nX-Forwarded-Proto: ${head.scheme}\r\nX-Forwarded-Host: ${head.authority}\r\n` +
    `X-Real-IP: ${clientAddress}\r\nVia: ${via}${version} ${target.serviceName}\r\nX-Request-Id: ${id}\r\n${expect}${target.extraFields}`
  );
}
