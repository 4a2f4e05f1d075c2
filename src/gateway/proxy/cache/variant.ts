/** What tells apart the responses of one URI: the request fields that they vary on, without what means nothing in them. */
import { type Fields, fieldValue } from "../../../lib/fields.ts";

/** Free text, not lists: a blank behind a comma may mean something. */
const NOT_LISTS: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "referer",
  "user-agent",
]);

/** The last value of Accept-Encoding, and what it was normalised to: most requests in a row say the same. */
let lastRaw = "";
let lastNormalised = "";

/** Accept-Encoding as part of the key. */
export function normalisedEncodings(value: string): string {
  if (value !== lastRaw) {
    lastNormalised = normalisedPreferences(value);
    lastRaw = value;
  }
  return lastNormalised;
}

/** The fields `names`, in small letters, as part of the key behind `encodings`. */
export function variantOf(fields: Fields, encodings: string, names: readonly string[]): string {
  let variant = encodings;
  for (const name of names) variant += `\n${variantValue(name, fieldValue(fields, name))}`;
  return variant;
}

function variantValue(name: string, value: string | undefined): string {
  if (value === undefined) return "\0";
  if (name.startsWith("accept")) return normalisedPreferences(value);
  return NOT_LISTS.has(name) || value.includes('"') ? value : value.replaceAll(/[\t ]*,[\t ]*/g, ",");
}

/**
 * A field that negotiates without capitals, white space, weights of 1 and the order of its members: they are ordered by their
 * weights alone (RFC 9110 §12.5, RFC 9111 §4.1). A quoted string may hold commas, so its members stay as they are.
 */
function normalisedPreferences(value: string): string {
  const text = value.toLowerCase().replaceAll(/[\t ]/g, "");
  if (!text.includes(",") && !text.includes(";")) return text;
  if (text.includes('"')) return text;
  return text
    .split(",")
    .filter((member) => member !== "")
    .map((member) => member.replace(/;q=1(?:\.0{0,3})?$/, ""))
    .toSorted()
    .join(",");
}
