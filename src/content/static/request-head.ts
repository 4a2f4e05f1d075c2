import { isIP } from "node:net";
import { type ClientIdentity } from "./client-identity.ts";
import { type OwnHop } from "../page/own-hop.ts";

const ACCEPT =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

/** The parts of a request that differ from one to the next. Without a cookie, `cookie` is "". */
export interface RequestParts {
  readonly cookie: string;
  /** Further lines, such as conditions. */
  readonly lines: readonly string[];
  /** The caller's part of the request; undefined if it is empty, or if this origin must not get it. */
  readonly own: Pick<OwnHop, "method" | "headers" | "length" | "languages"> | undefined;
}

/**
 * The head of a request as Chromium sends it for a URL that a user typed, with Chromium's order of fields. The caller's
 * fields take the place of those with the same name.
 */
export function requestHead(
  url: URL,
  { userAgent, hints }: ClientIdentity,
  { cookie, lines, own }: RequestParts,
): string {
  // Sec-Fetch fields and client hints are sent only over TLS or to this machine.
  const trusted = url.protocol === "https:" || isLoopback(url.hostname);
  const { method = "GET", headers = [], length, languages = "en-US,en" } = own ?? {};
  const fields = [
    ...(trusted ? hints : []),
    "Upgrade-Insecure-Requests: 1",
    `User-Agent: ${userAgent}`,
    `Accept: ${ACCEPT}`,
    ...(trusted
      ? ["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-User: ?1", "Sec-Fetch-Dest: document"]
      : []),
    "Accept-Encoding: gzip, deflate, br, zstd",
    `Accept-Language: ${weighted(languages)}`,
  ];
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const kept = names.size === 0 ? fields : fields.filter((line) => !names.has(fieldName(line)));
  return [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Connection: keep-alive",
    ...(length === undefined ? [] : [`Content-Length: ${length}`]),
    ...kept,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(cookie === "" ? [] : [`Cookie: ${cookie}`]),
    ...lines,
    "",
    "",
  ].join("\r\n");
}

function fieldName(line: string): string {
  return line.slice(0, line.indexOf(":")).toLowerCase();
}

/** `de-AT,de` as browsers send it: each further language has a lower weight. */
function weighted(languages: string): string {
  return languages
    .split(",")
    .map((language, at) => (at === 0 ? language : `${language};q=${(1 - at / 10).toFixed(1)}`))
    .join(",");
}

function isLoopback(host: string): boolean {
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "[::1]" ||
    (isIP(host) === 4 && host.startsWith("127."))
  );
}
