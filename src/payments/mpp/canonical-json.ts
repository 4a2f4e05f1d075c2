import { parsedJson } from "../../lib/parsed-json.ts";

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Values of which `encodeJson` writes the canonical form. Numbers are whole. */
export type CanonicalJson =
  | string
  | number
  | boolean
  | null
  | readonly CanonicalJson[]
  | { readonly [name: string]: CanonicalJson };

/** A value as canonical JSON (RFC 8785) in base64url without padding: the same value always gives the same text. */
export function encodeJson(value: CanonicalJson): string {
  return Buffer.from(canonical(value)).toString("base64url");
}

/** The value of a JSON text in base64url without padding. Undefined if it is neither. */
export function decodeJson(text: string): unknown {
  if (!BASE64URL.test(text)) return undefined;
  try {
    return parsedJson(decoder.decode(Buffer.from(text, "base64url")));
  } catch {
    return undefined;
  }
}

function isList(value: CanonicalJson): value is readonly CanonicalJson[] {
  return Array.isArray(value);
}

/** Member names in the order of their UTF-16 code units, without white space. `JSON.stringify` writes scalars alike. */
function canonical(value: CanonicalJson): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
