/** RFC 9112 §3.2, RFC 3986 §3.2.2: a registered name or address, and a port of at most 65535. */
const AUTHORITY =
  /^(?:\[[0-9A-Fa-f:.]{2,45}\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2}){1,255})(?::(?:\d{0,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/;

/** Whether the text is a valid Host field value or `:authority`. */
export function isAuthority(authority: string): boolean {
  return AUTHORITY.test(authority);
}
