import { type Fields } from "../../lib/http/fields.ts";

/** Seconds that a client may remember the HTTP/3 endpoint (RFC 7838 §3.1). */
const MAX_AGE_S = 86_400;

/** The field that announces HTTP/3 on the same host at UDP `port` to clients of the other protocols. */
export function altSvc(port: number): Fields {
  return `Alt-Svc: h3=":${port}"; ma=${MAX_AGE_S}\r\n`;
}
