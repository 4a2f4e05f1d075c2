import { type Fields } from "../../lib/fields.ts";

/** Seconds that a client may remember where HTTP/3 is (RFC 7838 §3.1). */
const MAX_AGE_S = 86_400;

/** The field that tells clients of the other protocols that HTTP/3 is on the same host at UDP `port`. */
export function altSvc(port: number): Fields {
  return `Alt-Svc: h3=":${port}"; ma=${MAX_AGE_S}\r\n`;
}
