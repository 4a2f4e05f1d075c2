import { MAX_PORT } from "../lib/port.ts";

/** RFC 9112 §3.2, RFC 3986 §3.2.2: a registered name or address, and a port. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2}){1,255})(?::(\d{0,5}))?$/;

/** The last valid authority. Most requests of a worker have the same one. */
let lastAuthority = "";

/** Whether the text is a valid Host field value or `:authority`. */
export function isAuthority(authority: string): boolean {
  if (authority === lastAuthority && authority !== "") return true;
  const match = AUTHORITY.exec(authority);
  if (match === null || Number(match[1] ?? 0) > MAX_PORT) return false;
  lastAuthority = authority;
  return true;
}
