import { unescapedBytes } from "../../lib/percent.ts";
import { removeDotSegments } from "../../lib/url-path.ts";

/**
 * What some server reads in another way: an escape, a parameter, a capital, a dot at the end of a segment (file systems
 * that drop it), a script with more path behind it (PATH_INFO, RFC 3875 §4.1.5).
 */
const AMBIGUOUS = /[%;A-Z]|\.(?:\/|$|(?:php|cgi|fcgi|pl|py|aspx?)\/)/;
const SCRIPT = /^.*\.(?:php|cgi|fcgi|pl|py|aspx?)(?=\/)/;
/** Servers behind one another may each decode once: escapes of escapes are undone this often. */
const MAX_DECODINGS = 3;
const NOT_BARE = /;|[. ](?:\/|$)/;
const IRREGULAR = /\/(?:\/|\.)/;
const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;
/** Characters that programs drop from paths: controls, and characters without width. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2060\ufeff]/g;

/** True if `readings` of a normalised path may hold more than the path itself. */
export function isAmbiguous(path: string): boolean {
  return AMBIGUOUS.test(path);
}

/**
 * Every path that some server may take a normalised path for: decoded once more and again, in small letters, without
 * parameters, without the script that would serve it. Requests are never served by a reading.
 */
export function readings(path: string): Set<string> {
  const found = spellings(path);
  for (const reading of found) found.add(reading.replace(SCRIPT, ""));
  return found;
}

/** As `readings`, for a route's prefix: a script in it belongs to it. */
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

/** A segment without its parameters, and without the dots and blanks at its end that file systems drop. */
function bareName(segment: string): string {
  const parameters = segment.indexOf(";");
  const name = parameters === -1 ? segment : segment.slice(0, parameters);
  if (name === "." || name === "..") return name;
  let end = name.length;
  while (end > 0 && (name.charCodeAt(end - 1) === 0x2e || name.charCodeAt(end - 1) === 0x20)) end--;
  return end === name.length ? name : name.slice(0, end);
}

/** Compatibility forms (NFKC) of slashes, dots and letters are read as those. */
function decodeOnce(text: string): string {
  if (!text.includes("%")) return text;
  const decoded = text.replace(ESCAPES, (run) => Buffer.from(unescapedBytes(run), "latin1").toString());
  const query = decoded.search(/[?#]/);
  const path = query === -1 ? decoded : decoded.slice(0, query);
  return path.normalize("NFKC").replace(INVISIBLE, "");
}
