/** Seconds; a longer time makes no difference (RFC 9111 §1.2.2). */
export const MAX_SECONDS = 2_147_483_648;

/** The directives of Cache-Control (RFC 9111 §5.2). Times in seconds, undefined if a directive is absent. */
export interface CacheControl {
  readonly maxAge: number | undefined;
  readonly sMaxage: number | undefined;
  /** In requests: `max-stale` without a value accepts any staleness. */
  readonly maxStale: number | undefined;
  readonly minFresh: number | undefined;
  readonly staleWhileRevalidate: number | undefined;
  readonly staleIfError: number | undefined;
  readonly noCache: boolean;
  readonly noStore: boolean;
  readonly isPrivate: boolean;
  readonly isPublic: boolean;
  readonly mustRevalidate: boolean;
  readonly proxyRevalidate: boolean;
  readonly mustUnderstand: boolean;
  readonly onlyIfCached: boolean;
  /** A directive has an invalid value, so the restriction that it was meant to set is unknown. */
  readonly malformed: boolean;
  /** Parsed from a targeted field: `Expires` is then ignored (RFC 9213 §2.2). */
  readonly isTargeted: boolean;
}

/** The result for a message without Cache-Control. */
export const NO_CACHE_CONTROL: CacheControl = {
  maxAge: undefined,
  sMaxage: undefined,
  maxStale: undefined,
  minFresh: undefined,
  staleWhileRevalidate: undefined,
  staleIfError: undefined,
  noCache: false,
  noStore: false,
  isPrivate: false,
  isPublic: false,
  mustRevalidate: false,
  proxyRevalidate: false,
  mustUnderstand: false,
  onlyIfCached: false,
  malformed: false,
  isTargeted: false,
};

/** The members of `CacheControl` that are numbers of seconds. */
export type Seconds = "maxAge" | "sMaxage" | "maxStale" | "minFresh" | "staleWhileRevalidate" | "staleIfError";
/** The members of `CacheControl` that stand for directives without a value. */
export type Flag = Exclude<keyof CacheControl, Seconds | "malformed" | "isTargeted">;

/** The result while it is parsed. */
export type CacheControlDraft = { -readonly [Key in keyof CacheControl]: CacheControl[Key] };

/** Directives whose value is a number of seconds. */
export const SECONDS: ReadonlyMap<string, Seconds> = new Map([
  ["max-age", "maxAge"],
  ["s-maxage", "sMaxage"],
  ["max-stale", "maxStale"],
  ["min-fresh", "minFresh"],
  ["stale-while-revalidate", "staleWhileRevalidate"],
  ["stale-if-error", "staleIfError"],
]);
/** Directives without a value. Field names (`private="x"`) are ignored, so that the directive applies to the whole response. */
export const FLAGS: ReadonlyMap<string, Flag> = new Map([
  ["no-cache", "noCache"],
  ["no-store", "noStore"],
  ["private", "isPrivate"],
  ["public", "isPublic"],
  ["must-revalidate", "mustRevalidate"],
  ["proxy-revalidate", "proxyRevalidate"],
  ["must-understand", "mustUnderstand"],
  ["only-if-cached", "onlyIfCached"],
]);

/** A directive, its value as a token or a quoted string (RFC 9111 §5.2), and the comma after it. */
const DIRECTIVE = /[\t ]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\t ,";]*)))?[\t ]*(?:,|$)/y;
/** An empty list member is ignored (RFC 9110 §5.6.1.2). */
const EMPTY = /[\t ]*(?:,|$)/y;

/**
 * Parses a Cache-Control value; several field lines are joined by commas. Of a repeated time the shortest is used, also of
 * the times that allow stale responses.
 */
export function parseCacheControl(value: string): CacheControl {
  const found: CacheControlDraft = { ...NO_CACHE_CONTROL };
  for (let at = 0; at < value.length; ) {
    EMPTY.lastIndex = at;
    if (EMPTY.test(value)) {
      at = EMPTY.lastIndex;
      continue;
    }
    DIRECTIVE.lastIndex = at;
    const match = DIRECTIVE.exec(value);
    if (match === null) {
      found.malformed = true;
      break;
    }
    at = DIRECTIVE.lastIndex;
    const name = (match[1] ?? "").toLowerCase();
    const argument = match[2] ?? match[3];
    const flag = FLAGS.get(name);
    const seconds = SECONDS.get(name);
    if (flag !== undefined) found[flag] = true;
    else if (seconds !== undefined) {
      const time = secondsOf(seconds, argument);
      if (time === undefined) found.malformed = true;
      else found[seconds] = Math.min(found[seconds] ?? Number.POSITIVE_INFINITY, time);
    }
  }
  return found;
}

/** Undefined: not a number of seconds. */
function secondsOf(directive: Seconds, argument: string | undefined): number | undefined {
  if (directive === "maxStale" && argument === undefined) return MAX_SECONDS;
  if (argument === undefined || !/^\d+$/.test(argument)) return undefined;
  return Math.min(Number(argument), MAX_SECONDS);
}
