import { type Fields, fieldValues } from "../../../lib/fields.ts";
import { parseHttpDate } from "../../../lib/http-date.ts";
import { type CacheControl } from "./cache-control.ts";

/** RFC 9110 §15.1: what may be kept without being told so. Of 206 see `part.ts`. */
const HEURISTICALLY_CACHEABLE: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]);
/** Final statuses whose rules for caches are kept here; `must-understand` asks (RFC 9111 §5.2.2.3). */
const UNDERSTOOD: ReadonlySet<number> = new Set([
  200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 414, 421, 429, 451, 500, 501, 502, 503,
  504,
]);

/** How a route's cache takes what responses say. */
export interface CachePolicy {
  /** Seconds that a response is fresh which does not say so itself; 0: a share of its age. */
  readonly ttl: number;
  /** Fields that count before Cache-Control, in small letters, the first of them most (RFC 9213 §2.2). */
  readonly targets: readonly string[];
}

export interface ResponseFacts {
  readonly status: number;
  readonly fields: Fields;
  readonly control: CacheControl;
  /** Unix milliseconds; what counts as its Date where that cannot be read. */
  readonly receivedAt: number;
}

/** Seconds for which the response is fresh by its own words (RFC 9111 §4.2.1); undefined where it says nothing. */
export function explicitLifetime({ fields, control, receivedAt }: ResponseFacts): number | undefined {
  if (control.sMaxage !== undefined) return control.sMaxage;
  if (control.maxAge !== undefined) return control.maxAge;
  if (control.isTargeted) return undefined;
  const [expires] = fieldValues(fields, "expires");
  if (expires === undefined) return undefined;
  const at = parseHttpDate(expires);
  // Above all `0`: a date that is none has passed (RFC 9111 §5.3).
  return at === undefined ? 0 : Math.max((at - (dateOf(fields) ?? receivedAt)) / 1000, 0);
}

export function dateOf(fields: Fields): number | undefined {
  const [date] = fieldValues(fields, "date");
  return date === undefined ? undefined : parseHttpDate(date);
}

/** Of the time since the last change, how much a response is taken to stay fresh (RFC 9111 §4.2.2). */
const HEURISTIC_SHARE = 0.1;

/**
 * Seconds for which it is fresh. Where it says nothing and such a response may be kept all the same: `ttl`, or, where that is
 * 0, a tenth of the time since its last change.
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

/** Seconds of age that the response came with (RFC 9111 §4.2.3). `askedAt` and `receivedAt` are Unix milliseconds. */
export function initialAge(fields: Fields, askedAt: number, receivedAt: number): number {
  const date = dateOf(fields) ?? receivedAt;
  const apparent = Math.max(receivedAt - date, 0) / 1000;
  const corrected = ageOf(fields) + (receivedAt - askedAt) / 1000;
  return Math.max(Math.floor(apparent), corrected);
}

/** The Age field: of a list the first member counts, and one that is no number counts for nothing (RFC 9111 §5.1). */
function ageOf(fields: Fields): number {
  const [value] = fieldValues(fields, "age");
  if (value === undefined) return 0;
  const [first = ""] = value.split(",");
  return /^[\t ]*\d+[\t ]*$/.test(first) ? Number(first) : 0;
}

/** Whether a shared cache may keep the response to a GET (RFC 9111 §3, and what routes[].cache says). */
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
  // Such a response is for one client, unless it says that it is for all.
  if (!isShared && fieldValues(fields, "set-cookie").length > 0) return false;
  if (!isVaryCovered(fields, keyNames)) return false;
  return explicitLifetime(facts) !== undefined || isKeptUnasked(facts);
}

/** Whether a response can answer anybody once it is stored: while it is fresh, stale, or after the server was asked about it. */
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
