import { type Fields, fieldValues } from "../../../lib/http/fields.ts";
import { parseHttpDate } from "../../../lib/http/http-date.ts";
import { type CacheControl } from "./cache-control.ts";

/** RFC 9110 §15.1: statuses that are cacheable by default. For 206 see `part.ts`. */
const HEURISTICALLY_CACHEABLE: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]);
/** Final statuses whose caching rules this cache implements; `must-understand` refers to them (RFC 9111 §5.2.2.3). */
const UNDERSTOOD: ReadonlySet<number> = new Set([
  200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 414, 421, 429, 451, 500, 501, 502, 503,
  504,
]);

/** The settings of a route's cache for the directives of responses. */
export interface CachePolicy {
  /** Seconds that a response without an explicit lifetime is fresh. 0: a part of the time since its last change. */
  readonly ttl: number;
  /** Lower-case names of fields that take precedence over Cache-Control, in this order (RFC 9213 §2.2). */
  readonly targets: readonly string[];
}

/** The parts of a response that decide whether it is stored, and for how long it is fresh. */
export interface ResponseFacts {
  readonly status: number;
  readonly fields: Fields;
  readonly control: CacheControl;
  /** Unix milliseconds of the receipt. Replaces a Date field that is absent or invalid. */
  readonly date: number;
}

/** Seconds that the response is fresh by its own fields (RFC 9111 §4.2.1). Undefined if they do not say. */
function explicitLifetime({ fields, control, date }: ResponseFacts): number | undefined {
  if (control.sMaxage !== undefined) return control.sMaxage;
  if (control.maxAge !== undefined) return control.maxAge;
  if (control.isTargeted) return undefined;
  const [expires] = fieldValues(fields, "expires");
  if (expires === undefined) return undefined;
  const at = parseHttpDate(expires);
  // An invalid date, above all `0`, has passed (RFC 9111 §5.3).
  return at === undefined ? 0 : Math.max((at - (dateOf(fields) ?? date)) / 1000, 0);
}

function dateOf(fields: Fields): number | undefined {
  const [date] = fieldValues(fields, "date");
  return date === undefined ? undefined : parseHttpDate(date);
}

/** The part of the time since the last change for which a response counts as fresh (RFC 9111 §4.2.2). */
const HEURISTIC_SHARE = 0.1;

/**
 * Seconds that the response is fresh. Without an explicit lifetime, if the response may be cached, it is `ttl`, or a tenth
 * of the time since the last change if `ttl` is 0.
 */
export function lifetimeOf(facts: ResponseFacts, ttl: number): number {
  const explicit = explicitLifetime(facts);
  if (explicit !== undefined) return explicit;
  if (!isKeptUnasked(facts)) return 0;
  return ttl > 0 ? ttl : heuristicLifetime(facts.fields);
}

function heuristicLifetime(fields: Fields): number {
  const [modified = ""] = fieldValues(fields, "last-modified");
  const at = parseHttpDate(modified);
  const date = dateOf(fields);
  return at === undefined || date === undefined ? 0 : (Math.max(date - at, 0) / 1000) * HEURISTIC_SHARE;
}

function isKeptUnasked({ status, control }: Pick<ResponseFacts, "status" | "control">): boolean {
  return HEURISTICALLY_CACHEABLE.has(status) || control.isPublic;
}

/**
 * Seconds of age that the response arrived with (RFC 9111 §4.2.3), `delayMs` milliseconds after the request. `date` is
 * the Unix milliseconds of the receipt.
 */
export function initialAge(fields: Fields, delayMs: number, date: number): number {
  const apparent = Math.max(date - (dateOf(fields) ?? date), 0) / 1000;
  const corrected = ageOf(fields) + delayMs / 1000;
  return Math.max(Math.floor(apparent), corrected);
}

/** The Age field: the first member of a list. A value that is not a number is ignored (RFC 9111 §5.1). */
function ageOf(fields: Fields): number {
  const [value] = fieldValues(fields, "age");
  if (value === undefined) return 0;
  const [first = ""] = value.split(",");
  return /^[\t ]*\d+[\t ]*$/.test(first) ? Number(first) : 0;
}

/** True if a shared cache may store the response to a GET (RFC 9111 §3, and the settings of routes[].cache). */
export function isStorable(
  facts: ResponseFacts,
  request: { readonly hasAuthorization: boolean; readonly control: CacheControl },
  keyNames: readonly string[],
): boolean {
  const { status, fields, control } = facts;
  if (status < 200 || status === 206 || status === 304 || control.malformed) return false;
  const isUnderstood = UNDERSTOOD.has(status);
  if (control.mustUnderstand ? !isUnderstood : control.noStore) return false;
  if (request.control.noStore || control.isPrivate || control.noCache) return false;
  const isShared = control.isPublic || control.sMaxage !== undefined;
  if (request.hasAuthorization && !isShared && !control.mustRevalidate) return false;
  // A response with Set-Cookie is for one client, unless it says that it is for all.
  if (!isShared && fieldValues(fields, "set-cookie").length > 0) return false;
  // It is for the work of one payment: the next payer would be charged for it too.
  if (fieldValues(fields, "settlement-deferral").length > 0) return false;
  if (!isVaryCovered(fields, keyNames)) return false;
  return explicitLifetime(facts) !== undefined || isKeptUnasked(facts);
}

/** True if a stored copy could be served: while it is fresh, when it is stale, or after revalidation. */
export function isOfUse(facts: ResponseFacts, ttl: number): boolean {
  const { staleWhileRevalidate, staleIfError } = facts.control;
  const mayBeStale = staleWhileRevalidate !== undefined || staleIfError !== undefined;
  return mayBeStale || lifetimeOf(facts, ttl) > 0 || /^(?:etag|last-modified):/im.test(facts.fields);
}

function isVaryCovered(fields: Fields, keyNames: readonly string[]): boolean {
  return fieldValues(fields, "vary").every((value) =>
    value.split(",").every((member) => {
      const name = member.trim().toLowerCase();
      return name === "" || keyNames.includes(name);
    }),
  );
}
