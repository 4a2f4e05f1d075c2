/** The key of a response: its URI, and its variant: the request fields that the responses of the URI vary on, normalised. */
import { type Fields, fieldValue } from "../../../lib/http/fields.ts";
import { NewestMap } from "../../../lib/memory/newest-map.ts";
import { type RequestHead } from "../../exchange/exchange.ts";

/** The URI that a response is stored under. It includes the scheme: a redirect to https must not be served over https. */
export function uriOf({
  scheme,
  authority,
  path,
  query,
}: Pick<RequestHead, "scheme" | "authority" | "path" | "query">): string {
  return `${scheme}://${authority.toLowerCase()}${path}${query}`;
}

/** Fields with free text instead of lists: white space after a comma may be significant. */
const NOT_LISTS: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "referer",
  "user-agent",
]);

/** Values of Accept-Encoding whose normalised forms are kept, and the characters of such a value. Clients send few. @bound */
const MAX_FORMS = 64;
const MAX_FORM_CHARS = 128;
const forms = new NewestMap<string, string>(MAX_FORMS);

/** Accept-Encoding in the form of the key. */
export function normalisedEncodings(value: string): string {
  const known = forms.get(value);
  if (known !== undefined) return known;
  const form = normalisedPreferences(value);
  if (value.length <= MAX_FORM_CHARS) forms.set(value, form);
  return form;
}

/** Adds the fields `names`, in lower case, to the key after `encodings`. */
export function variantOf(fields: Fields, encodings: string, names: readonly string[]): string {
  let variant = encodings;
  for (const name of names) variant += `\n${variantValue(name, fieldValue(fields, name))}`;
  return variant;
}

function variantValue(name: string, value: string | undefined): string {
  if (value === undefined) return "\0";
  if (name.startsWith("accept")) return normalisedPreferences(value);
  return NOT_LISTS.has(name) || value.includes('"') ? value : value.replaceAll(/(?<![\t ])[\t ]*,[\t ]*/g, ",");
}

/**
 * Normalises a field for content negotiation: lower case, no white space, no weights of 1. Members are sorted, because
 * only their weights matter, not their order (RFC 9110 §12.5, RFC 9111 §4.1). A field with quoted strings keeps its
 * order, because a string may contain commas.
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
