import { type Fields } from "../../../lib/http/fields.ts";

const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
const COLON = 0x3a;

/** True if `fields` has, at `start`, a line of that name, in any capitalisation, with hyphens or underscores. */
function isNamed(fields: Fields, start: number, lowerName: string): boolean {
  if (fields.charCodeAt(start + lowerName.length) !== COLON) return false;
  for (let i = 0; i < lowerName.length; i++) {
    const code = fields.charCodeAt(start + i);
    const wanted = lowerName.charCodeAt(i);
    const lower = code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
    if (lower !== wanted && !(lower === UNDERSCORE && wanted === HYPHEN)) return false;
  }
  return true;
}

/**
 * The fields without those that identify the client to upstreams: only the gateway may set them. CGI and its successors
 * map `X-User` and `X_User` to one name, so both are removed.
 */
export function withoutIdentity(fields: Fields, lowerNames: readonly string[]): Fields {
  let kept = "";
  let from = 0;
  for (let start = 0; start < fields.length; ) {
    const end = fields.indexOf("\n", start) + 1 || fields.length;
    if (lowerNames.some((name) => isNamed(fields, start, name))) {
      kept += fields.slice(from, start);
      from = end;
    }
    start = end;
  }
  return from === 0 ? fields : kept + fields.slice(from);
}

/** Only the lines of the named fields, in order. Names are lower case. */
export function onlyFields(fields: Fields, lowerNames: ReadonlySet<string>): Fields {
  let found = "";
  for (let start = 0; start < fields.length; ) {
    const end = fields.indexOf("\n", start) + 1 || fields.length;
    const name = fields.slice(start, fields.indexOf(":", start)).toLowerCase();
    if (lowerNames.has(name)) found += fields.slice(start, end);
    start = end;
  }
  return found;
}
