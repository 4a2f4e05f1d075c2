/** What makes a path need more than a look: an escape, a backslash, a dot segment, an empty segment. */
const IRREGULAR = /%|\\|\/(?:\/|\.\.?(?:[/;]|$))/;
/** `/free/..;/paid`: servers that cut parameters off first, as Tomcat does, go up where others see a name. */
const DOTS_WITH_PARAMETERS = /\/\.\.?;/;
const UNRESERVED = /[A-Za-z0-9\-._~]/;
/** Separators, and what ends a string or a header line in whoever decodes the path to put it into one. */
const REFUSED: ReadonlySet<string> = new Set(["2F", "5C", "00", "0A", "0D"]);

/**
 * The one spelling of a path that routes are matched by and upstreams receive, so that neither payment nor
 * authentication can be passed by spelling: dot segments and empty segments removed (RFC 3986 §5.2.4), unreserved
 * characters decoded, other escapes in capitals. Undefined where the path must be refused: `%2F`, `%5C`, `%00`,
 * `%0A`, `%0D`, a backslash, a broken escape, a dot segment with parameters.
 */
export function normalisePath(path: string): string | undefined {
  if (!IRREGULAR.test(path)) return path;
  const decoded = decodeUnreserved(path);
  if (decoded === undefined || DOTS_WITH_PARAMETERS.test(decoded)) return undefined;
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

function removeDotSegments(path: string): string {
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
