import { type Fields, fieldValues, trimOws, withoutFields } from "../../lib/http/fields.ts";

/**
 * Returns the value of the first cookie with this name, and the fields without all cookies of this name. HTTP/2 sends
 * cookies in several fields (RFC 9113 §8.2.3). Of cookies with equal names the one with the longest path comes first (RFC
 * 6265 §5.4).
 */
export function takeCookie(fields: Fields, name: string): { value: string | undefined; fields: Fields } {
  const pairs = fieldValues(fields, "cookie").flatMap((value) => value.split(";").map(trimOws));
  const prefix = `${name}=`;
  const own = pairs.find((pair) => pair.startsWith(prefix));
  if (own === undefined) return { value: undefined, fields };
  const others = pairs.filter((pair) => pair !== "" && !pair.startsWith(prefix));
  const rest = others.length === 0 ? "" : `Cookie: ${others.join("; ")}\r\n`;
  return { value: own.slice(prefix.length), fields: withoutFields(fields, ["cookie"]) + rest };
}
