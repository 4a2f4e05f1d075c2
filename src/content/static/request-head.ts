import { isIP } from "node:net";
import { type ClientIdentity } from "./client-identity.ts";

const ACCEPT =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

/**
 * The head of a GET as Chromium sends it for a URL that a user typed, with Chromium's order of fields. Without a
 * cookie, `cookie` is "". `conditions` are lines that follow.
 */
export function requestHead(
  url: URL,
  { userAgent, hints }: ClientIdentity,
  cookie: string,
  conditions: readonly string[] = [],
): string {
  // Sec-Fetch fields and client hints are sent only over TLS or to this machine.
  const trusted = url.protocol === "https:" || isLoopback(url.hostname);
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Connection: keep-alive",
    ...(trusted ? hints : []),
    "Upgrade-Insecure-Requests: 1",
    `User-Agent: ${userAgent}`,
    `Accept: ${ACCEPT}`,
    ...(trusted
      ? ["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-User: ?1", "Sec-Fetch-Dest: document"]
      : []),
    "Accept-Encoding: gzip, deflate, br, zstd",
    "Accept-Language: en-US,en;q=0.9",
    ...(cookie === "" ? [] : [`Cookie: ${cookie}`]),
    ...conditions,
    "",
    "",
  ];
  return lines.join("\r\n");
}

function isLoopback(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "[::1]" ||
    (isIP(host) === 4 && host.startsWith("127."))
  );
}
