import { type Fields, fieldValue } from "./fields.ts";
import { parseHttpDate } from "./http-date.ts";

/** The fields of a request that affect responses with static files; undefined if absent. */
export interface RequestConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifUnmodifiedSince?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly range?: string | undefined;
  readonly acceptEncoding?: string | undefined;
}

const NONE: RequestConditions = {};

/** True if a line may be one of the fields. Only then are seven lookups made, each through all lines. */
const MAY_MATTER = /(?:^|\n)(?:if-|range:|accept-encoding:)/i;

/** Reads the conditional fields (RFC 9110 §13.1), the range and the accepted codings of a request. */
export function readConditions(fields: Fields): RequestConditions {
  if (fields === "" || !MAY_MATTER.test(fields)) return NONE;
  return {
    ifMatch: fieldValue(fields, "if-match"),
    ifNoneMatch: fieldValue(fields, "if-none-match"),
    ifModifiedSince: fieldValue(fields, "if-modified-since"),
    ifUnmodifiedSince: fieldValue(fields, "if-unmodified-since"),
    ifRange: fieldValue(fields, "if-range"),
    range: fieldValue(fields, "range"),
    acceptEncoding: fieldValue(fields, "accept-encoding"),
  };
}

/** The properties of a representation that preconditions are compared with. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
  /** Unix milliseconds, whole seconds. */
  readonly modifiedAt: number;
}

/** RFC 9110 §8.8.3. */
const ENTITY_TAG = /(W\/)?("[!\x23-\x7e\x80-\xff]*")/y;

/**
 * True if a list of entity tags contains `etag`, which is a strong tag or the part after `W/`. A weak member of the
 * list matches only in the weak comparison (§8.8.3.2).
 */
export function namesTag(list: string, etag: string, comparison: "weak" | "strong"): boolean {
  let at = 0;
  while (at < list.length) {
    ENTITY_TAG.lastIndex = at;
    const match = ENTITY_TAG.exec(list);
    if (match === null) {
      // White space and commas separate members. A member that is not an entity tag is ignored.
      at++;
      continue;
    }
    if (match[2] === etag && (comparison === "weak" || match[1] === undefined)) return true;
    at = ENTITY_TAG.lastIndex;
  }
  return false;
}

/** The outcome of the preconditions of a GET or HEAD, in the order of RFC 9110 §13.2.2. `now` is Unix milliseconds. */
export function evaluate(
  conditions: RequestConditions,
  { etag, modifiedAt }: Validators,
  now: number = Date.now(),
): 200 | 304 | 412 {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== undefined) {
    if (ifMatch !== "*" && !namesTag(ifMatch, etag, "strong")) return 412;
  } else if (ifUnmodifiedSince !== undefined) {
    // An invalid date is ignored (§13.1.4), also in If-Modified-Since (§13.1.3).
    const since = parseHttpDate(ifUnmodifiedSince);
    if (since !== undefined && modifiedAt > since) return 412;
  }
  if (ifNoneMatch !== undefined) return ifNoneMatch === "*" || namesTag(ifNoneMatch, etag, "weak") ? 304 : 200;
  if (ifModifiedSince !== undefined) {
    const since = parseHttpDate(ifModifiedSince);
    // A date in the future does not show which version the client has. RFC 2616 §14.25 called it invalid.
    const isKnown = since !== undefined && (since <= now || since === modifiedAt);
    if (isKnown && modifiedAt <= since) return 304;
  }
  return 200;
}

/** True if Range applies (RFC 9110 §13.1.5): the same strong entity tag, or the exact Last-Modified. */
export function rangeApplies({ ifRange }: RequestConditions, { etag, modifiedAt }: Validators): boolean {
  return ifRange === undefined || ifRange === etag || parseHttpDate(ifRange) === modifiedAt;
}
