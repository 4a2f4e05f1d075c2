import { unescapedBytes } from "../../lib/http/percent.ts";
import { removeDotSegments } from "../../lib/http/url-path.ts";

/**
 * Parts of a path that servers read in different ways: an escape, a parameter, a capital letter, or a dot at the end of a
 * segment, which some file systems drop. Also a script name followed by more segments (PATH_INFO, RFC 3875 §4.1.5).
 */
const AMBIGUOUS = /[%;A-Z]|\.(?:\/|$|(?:php|cgi|fcgi|pl|py|aspx?)\/)/;
const SCRIPT = /^.*\.(?:php|cgi|fcgi|pl|py|aspx?)(?=\/)/;
/** Rounds of percent-decoding. Several servers in a chain may each decode once; further rounds are not considered. */
const MAX_DECODINGS = 3;
const NOT_BARE = /;|[. ](?:\/|$)/;
const IRREGULAR = /\/(?:\/|\.)/;
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;
/** Characters that programs remove from paths: control characters, and characters without width. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2060\ufeff]/g;

/** True if a normalised path may have a reading other than itself. */
export function isAmbiguous(path: string): boolean {
  return AMBIGUOUS.test(path);
}

/**
 * All paths that a server may read a normalised path as: decoded again, in lower case, without parameters, or cut after a
 * script name. The gateway only compares readings with routes; it never forwards one.
 */
export function readings(path: string): Set<string> {
  const found = spellings(path);
  for (const reading of found) found.add(reading.replace(SCRIPT, ""));
  return found;
}

/** Like `readings`, for a route's prefix: a script name is part of it. */
export function spellings(prefix: string): Set<string> {
  const found = new Set<string>();
  let text = prefix;
  for (let decodings = 0; decodings <= MAX_DECODINGS; decodings++) {
    const folded = fold(text);
    found.add(folded);
    if (IRREGULAR.test(folded)) found.add(removeDotSegments(folded));
    const next = decodeOnce(text);
    if (next === text) break;
    text = next;
  }
  return found;
}

function fold(path: string): string {
  const text = path.replaceAll("\\", "/").toLowerCase();
  return NOT_BARE.test(text) ? text.split("/").map(bareName).join("/") : text;
}

/** A segment without its parameters, and without the trailing dots and spaces that some file systems drop. */
function bareName(segment: string): string {
  const parameters = segment.indexOf(";");
  const name = parameters === -1 ? segment : segment.slice(0, parameters);
  if (name === "." || name === "..") return name;
  let end = name.length;
  while (end > 0 && (name.charCodeAt(end - 1) === 0x2e || name.charCodeAt(end - 1) === 0x20)) end--;
  return end === name.length ? name : name.slice(0, end);
}

/** Decodes escapes once. Compatibility forms (NFKC) of slashes, dots and letters become the plain characters. */
function decodeOnce(text: string): string {
  if (!text.includes("%")) return text;
  const decoded = text.replace(ESCAPES, (run) => Buffer.from(unescapedBytes(run), "latin1").toString());
  const query = decoded.search(/[?#]/);
  const path = query === -1 ? decoded : decoded.slice(0, query);
  return path.normalize("NFKC").replace(INVISIBLE, "");
}
