/**
 * RFC 9112 §3.2, RFC 3986 §3.2.2: a registered name or address, and a port of at most 65535. Without percent escapes and empty
 * labels: a server that decodes or drops them would read another host than the one whose route was selected.
 */
const AUTHORITY =
  /^(?!\.|[^:]*\.\.)(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9\-._~!$&'()*+,;=]{1,255})(?::(?:\d{0,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/;

const COLON = 0x3a;
const DOT = 0x2e;
const MAX_PLAIN_NAME = 255;
const MAX_PORT_DIGITS = 5;
const MAX_PORT = 65_535;

/** Whether the text is a valid Host field value or `:authority`. */
export function isAuthority(authority: string): boolean {
  return isPlain(authority) || AUTHORITY.test(authority);
}

/**
 * True for a name or IPv4 address of letters, digits, dots and hyphens and a port. Most authorities are so, and the expression takes five times as long (bench http1).
 */
function isPlain(authority: string): boolean {
  const { length } = authority;
  let at = 0;
  let before = DOT;
  for (; at < length; at++) {
    const code = authority.charCodeAt(at);
    if (!isNameCharacter(code) || (code === DOT && before === DOT)) break;
    before = code;
  }
  if (at === 0 || at > MAX_PLAIN_NAME) return false;
  if (at === length) return true;
  if (authority.charCodeAt(at++) !== COLON || length - at > MAX_PORT_DIGITS) return false;
  let port = 0;
  for (; at < length; at++) {
    const code = authority.charCodeAt(at);
    if (!isDigit(code)) return false;
    port = port * 10 + code - 0x30;
  }
  return port <= MAX_PORT;
}

function isNameCharacter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || isDigit(code) || code === DOT || code === 0x2d;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
