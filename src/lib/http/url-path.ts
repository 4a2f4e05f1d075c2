/** Only paths with an escape, a backslash, a dot segment, or an empty segment need normalisation. */
const IRREGULAR = /%|\\|\/(?:[/;]|\.\.?(?:[/;]|$))/;
/**
 * As in `/free/..;/paid` and `/;a=b/paid`. Some servers, such as Tomcat, remove parameters first, and then go up or
 * skip a segment. Other servers see a name. A proxy in between may write `%3B` as `;`.
 */
const PARAMETERS_WITHOUT_NAME = /\/\.{0,2}(?:;|%3B)/;
/** Overlong UTF-8 (RFC 3629 §3): careless decoders read `%C0%AF` as a slash and `%C0%AE` as a dot. */
const OVERLONG = /%(?:C[01]%[89AB]|E0%[89]|F0%8)/;
const UNRESERVED = /[A-Za-z0-9\-._~]/;
/** Separators, and bytes that end a string or a header line in programs that decode the path into one. */
const REFUSED: ReadonlySet<string> = new Set(["2F", "5C", "00", "0A", "0D"]);

/** The reason that a client receives if its path is refused. */
export const BAD_PATH =
  "the path holds a backslash, %2F, %5C, %00, %0A, %0D, a broken escape, overlong UTF-8, or a parameter without a name before it";

/**
 * Normalises a path. Routes match this spelling and upstreams receive it, so that another spelling cannot bypass
 * payment or authentication. Dot segments and empty segments are removed (RFC 3986 §5.2.4), unreserved characters are
 * decoded, other escapes are written in capitals. Undefined if the path must be refused: see `BAD_PATH`.
 */
export function normalisePath(path: string): string | undefined {
  if (!IRREGULAR.test(path)) return path;
  const decoded = decodeUnreserved(path);
  if (decoded === undefined || PARAMETERS_WITHOUT_NAME.test(decoded) || OVERLONG.test(decoded)) return undefined;
  return removeDotSegments(decoded);
}

function decodeUnreserved(path: string): string | undefined {
  let decoded = "";
  for (let at = 0; at < path.length; at++) {
    const char = path.charAt(at);
    if (char === "\\") return undefined;
    if (char !== "%") {
      decoded += char;
      continue;
    }
    const hex = path.slice(at + 1, at + 3).toUpperCase();
    if (!/^[0-9A-F]{2}$/.test(hex) || REFUSED.has(hex)) return undefined;
    const plain = String.fromCharCode(Number.parseInt(hex, 16));
    decoded += UNRESERVED.test(plain) ? plain : `%${hex}`;
    at += 2;
  }
  return decoded;
}

/** Removes dot segments and empty segments (RFC 3986 §5.2.4). */
export function removeDotSegments(path: string): string {
  const segments: string[] = [];
  const parts = path.split("/");
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    if (part === "..") segments.pop();
    if ((part === ".." || part === "." || part === "") && !last) continue;
    segments.push(part === "." || part === ".." ? "" : part);
  }
  return `/${segments.join("/")}`;
}

/**
 * True if a prefix of this length covers whole segments. A parameter (`/paid;x=1`) belongs to its segment. Otherwise a
 * request could match a free route, and a server that strips parameters would serve the priced path.
 */
export function endsAtBoundary(path: string, length: number): boolean {
  if (length === path.length) return true;
  const next = path.charCodeAt(length);
  return path.charCodeAt(length - 1) === 0x2f || next === 0x2f || next === 0x3b;
}
