import { parseStatusLine } from "./status-line.ts";

/** The browser's request to its proxy: a tunnel, or one plain HTTP request. */
export interface ProxyRequest {
  readonly tunnel: boolean;
  readonly host: string;
  readonly port: number;
  /** The request head to send to the server; empty for a tunnel. */
  readonly head: string;
}

const AUTHORITY = /^(\[[0-9a-fA-F:.]+\]|[^:[\]@/?#\s]+):(\d{1,5})$/;
/** Fields that concern the connection between the browser and the proxy. */
const CONNECTION_FIELDS = /^(?:proxy-[^:]*|connection|keep-alive|upgrade|te)\s*:/i;
/**
 * Line ends as browsers read them. A server could otherwise hide a field from the proxy behind a line end that only
 * browsers accept.
 */
const LINE_END = /[\r\n]+/;

/** Parses the head of a request to a proxy (RFC 9112 §3.2.2 and §3.2.3). Undefined if it is not valid. */
export function parseProxyRequest(text: string): ProxyRequest | undefined {
  const lines = text.trimEnd().split(LINE_END);
  const [method, target, version, ...more] = (lines[0] ?? "").split(" ");
  if (method === undefined || target === undefined || version !== "HTTP/1.1" || more.length > 0) return undefined;
  if (method === "CONNECT") return parseTunnel(target);
  if (!target.startsWith("http://") || !URL.canParse(target)) return undefined;
  const url = new URL(target);
  // The path is sent as the browser wrote it, because a URL object could rewrite characters of the query.
  const path = /^http:\/\/[^/?#]*([^#]*)/.exec(target)?.[1] ?? "";
  const fields = lines.slice(1).filter((line) => !CONNECTION_FIELDS.test(line));
  const origin = path.startsWith("/") ? path : `/${path}`;
  const head = [`${method} ${origin} HTTP/1.1`, ...fields, "Connection: close", "", ""].join("\r\n");
  return { tunnel: false, host: url.hostname, port: url.port === "" ? 80 : Number(url.port), head };
}

function parseTunnel(target: string): ProxyRequest | undefined {
  const match = AUTHORITY.exec(target);
  const host = match?.[1];
  const port = Number(match?.[2]);
  if (host === undefined || !(port > 0 && port < 65_536)) return undefined;
  return { tunnel: true, host, port, head: "" };
}

/**
 * Returns a response head with `Connection: close` in place of the server's value, and whether it is an interim
 * response.
 */
export function rewriteResponseHead(text: string): { interim: boolean; head: string } {
  const lines = text.trimEnd().split(LINE_END);
  const statusLine = parseStatusLine(lines[0] ?? "");
  if (statusLine === undefined) throw new Error("Cannot pass a response on: it is not an HTTP/1 response");
  const fields = lines.slice(1).filter((line) => !CONNECTION_FIELDS.test(line));
  return {
    interim: statusLine.status < 200,
    head: [lines[0], ...fields, "Connection: close", "", ""].join("\r\n"),
  };
}
