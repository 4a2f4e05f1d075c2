import { type Fields } from "../../../lib/http/fields.ts";
import { type RequestConditions } from "../../../lib/http/request-conditions.ts";
import { type CacheControl, NO_CACHE_CONTROL, parseCacheControl } from "./cache-control.ts";
import { normalisedEncodings } from "./cache-key.ts";

/** The fields of a request that a cache uses, parsed in one pass. */
export class CacheRequest {
  readonly control: CacheControl;
  /** Normalised for the cache key: in lower case, without white space, members in order. */
  readonly acceptEncoding: string;
  readonly hasAuthorization: boolean;
  readonly conditions: RequestConditions;

  /** `isPersonal`: the request had a credential that is not in its fields any more. */
  constructor(fields: Fields, isPersonal = false) {
    let control = "";
    let pragma = "";
    let acceptEncoding = "";
    let hasAuthorization = isPersonal;
    let ifMatch: string | undefined;
    let ifNoneMatch: string | undefined;
    let ifModifiedSince: string | undefined;
    let ifUnmodifiedSince: string | undefined;
    let ifRange: string | undefined;
    let range: string | undefined;
    for (let start = 0; start < fields.length; ) {
      const next = fields.indexOf("\n", start) + 1;
      // Each of the fields begins with one of these letters, so most lines are skipped by their first letter.
      const first = fields.charCodeAt(start) | 0x20;
      if (first === 0x61 || first === 0x63 || first === 0x69 || first === 0x70 || first === 0x72) {
        const colon = fields.indexOf(":", start);
        const name = fieldNameAt(fields, start, colon - start);
        if (name !== "") {
          const value = fields.slice(colon + 1, next - 2).trim();
          if (name === "accept-encoding") acceptEncoding = joined(acceptEncoding, value);
          else if (name === "cache-control") control = joined(control, value);
          else if (name === "authorization") hasAuthorization = true;
          else if (name === "if-none-match") ifNoneMatch = joined(ifNoneMatch ?? "", value);
          else if (name === "if-modified-since") ifModifiedSince = value;
          else if (name === "if-match") ifMatch = joined(ifMatch ?? "", value);
          else if (name === "if-unmodified-since") ifUnmodifiedSince = value;
          else if (name === "if-range") ifRange = value;
          else if (name === "range") range = joined(range ?? "", value);
          else pragma = joined(pragma, value);
        }
      }
      start = next;
    }
    this.control = controlOf(control, pragma);
    this.acceptEncoding = normalisedEncodings(acceptEncoding);
    this.hasAuthorization = hasAuthorization;
    this.conditions = { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange, range, acceptEncoding };
  }
}

const NAMES: readonly string[] = [
  "accept-encoding",
  "cache-control",
  "authorization",
  "if-none-match",
  "if-modified-since",
  "if-match",
  "if-unmodified-since",
  "if-range",
  "range",
  "pragma",
];
const LENGTHS: ReadonlySet<number> = new Set(NAMES.map((name) => name.length));

/** The name at this position, if it is one of the cache's fields; else empty. */
function fieldNameAt(fields: Fields, start: number, length: number): string {
  const name = LENGTHS.has(length) ? fields.slice(start, start + length).toLowerCase() : "";
  return NAMES.includes(name) ? name : "";
}

function joined(before: string, value: string): string {
  return before === "" ? value : `${before}, ${value}`;
}

/** RFC 9111 §5.4: `Pragma: no-cache` of clients without Cache-Control. */
function controlOf(control: string, pragma: string): CacheControl {
  if (control !== "") return parseCacheControl(control);
  return /(?:^|,)[\t ]*no-cache[\t ]*(?:,|$)/i.test(pragma) ? { ...NO_CACHE_CONTROL, noCache: true } : NO_CACHE_CONTROL;
}
