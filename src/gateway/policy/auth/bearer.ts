import { fieldValues, type Fields } from "../../../lib/http/fields.ts";

/** RFC 6750 §2.1. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of `Authorization: Bearer`. Undefined if there is no such field, "" if the field does not hold exactly one
 * token.
 */
export function bearerToken(fields: Fields): string | undefined {
  const values = fieldValues(fields, "authorization");
  if (values.length === 0) return undefined;
  // With two fields, the gateway could read one token and the upstream the other.
  return values.length > 1 ? "" : (BEARER.exec(values[0] ?? "")?.[1] ?? "");
}

/** True if there is an Authorization field of the scheme Bearer, well-formed or not. */
export function hasBearer(fields: Fields): boolean {
  return fieldValues(fields, "authorization").some((value) => /^bearer(?:[ \t,]|$)/i.test(value));
}
