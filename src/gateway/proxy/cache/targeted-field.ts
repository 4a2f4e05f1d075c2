import { type Fields, fieldValue } from "../../../lib/http/fields.ts";
import {
  type CacheControl,
  type CacheControlDraft,
  FLAGS,
  MAX_SECONDS,
  NO_CACHE_CONTROL,
  parseCacheControl,
  SECONDS,
} from "./cache-control.ts";

// Structured fields (RFC 8941 §4.2, RFC 9651 §4.2): a key, the types of a bare item, parameters, an inner list.
const KEY = String.raw`[a-z*][a-z0-9_\-.*]*`;
const NUMBER = String.raw`-?(?:\d{1,12}\.\d{1,3}|\d{1,15})`;
const STRING = String.raw`"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"`;
const TOKEN = String.raw`[A-Za-z*][!#$%&'*+\-.^_\x60|~:/0-9A-Za-z]*`;
const OTHERS = String.raw`\?[01]|:[A-Za-z0-9+/=]*:|@-?\d{1,15}|%"[\x20\x21\x23-\x7e]*"`;
const BARE = `(?:${NUMBER}|${STRING}|${TOKEN}|${OTHERS})`;
const PARAMETERS = `(?:; *${KEY}(?:=${BARE})?)*`;
const ITEM = BARE + PARAMETERS;
const INNER_LIST = String.raw`\( *(?:${ITEM}(?: +${ITEM})* *)?\)`;
/** A member and the comma after it. Parameters of its value have no meaning here. */
const MEMBER = new RegExp(String.raw`(${KEY})(?:=(${INNER_LIST}|${BARE}))?${PARAMETERS}(?:$|[\t ]*,[\t ]*(?!$))`, "y");

/**
 * The directives of a response: from the first field of `targets` that is present and valid, else from Cache-Control (RFC
 * 9213 §2.2). Names are in lower case.
 */
export function directivesOf(fields: Fields, targets: readonly string[]): CacheControl {
  for (const name of targets) {
    const value = fieldValue(fields, name);
    const control = value === undefined ? undefined : parseTargetedField(value);
    if (control !== undefined) return control;
  }
  return parseCacheControl(fieldValue(fields, "cache-control") ?? "");
}

/**
 * Parses a targeted field, a dictionary of structured fields (RFC 9213 §2.1). Undefined: ignore the field, because it is
 * empty, invalid, or has a value of the wrong type. Of a repeated directive the last one is used.
 * @internal
 */
export function parseTargetedField(value: string): CacheControl | undefined {
  if (value === "") return undefined;
  const found: CacheControlDraft = { ...NO_CACHE_CONTROL, isTargeted: true };
  for (let at = 0; at < value.length; at = MEMBER.lastIndex) {
    MEMBER.lastIndex = at;
    const match = MEMBER.exec(value);
    if (match === null || !take(found, match[1] ?? "", match[2])) return undefined;
  }
  return found;
}

/** False if the directive does not allow a value of this type. */
function take(found: CacheControlDraft, name: string, value: string | undefined): boolean {
  const flag = FLAGS.get(name);
  // `?0` turns the directive off. Field names, as in `private="x"`, are ignored, so that the directive applies to the whole
  // response.
  if (flag !== undefined) {
    found[flag] = value !== "?0";
    return true;
  }
  const seconds = SECONDS.get(name);
  if (seconds === undefined) return true;
  if (value === undefined || !/^-?\d+$/.test(value)) return false;
  found[seconds] = Math.min(Math.max(Number(value), 0), MAX_SECONDS);
  return true;
}
