import { type Fields, fieldValue } from "../../../lib/fields.ts";
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
/** A member, and the comma behind it; its value without parameters, which mean nothing here. */
const MEMBER = new RegExp(String.raw`(${KEY})(?:=(${INNER_LIST}|${BARE}))?${PARAMETERS}(?:$|[\t ]*,[\t ]*(?!$))`, "y");

/**
 * The directives of a response: of the first field of `targets` that is there and valid, else of Cache-Control (RFC 9213 §2.2).
 * Names are lower case.
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
 * Reads a targeted field, a dictionary of structured fields (RFC 9213 §2.1). Undefined: it is empty, cannot be read, or has a
 * value whose type its directive does not take, and is to be ignored. Of a directive that is repeated the last one counts.
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

/** False where the value is of a type that the directive does not take. */
function take(found: CacheControlDraft, name: string, value: string | undefined): boolean {
  const flag = FLAGS.get(name);
  // `?0` takes it back; field names, as in `private="x"`, count as if there were none, which forbids more.
  if (flag !== undefined) found[flag] = value !== "?0";
  const seconds = SECONDS.get(name);
  if (seconds === undefined) return true;
  if (value === undefined || !/^-?\d+$/.test(value)) return false;
  found[seconds] = Math.min(Math.max(Number(value), 0), MAX_SECONDS);
  return true;
}
