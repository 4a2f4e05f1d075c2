import { fieldValues, type Fields } from "../../../lib/fields.ts";

/** RFC 6750 §2.1. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of `Authorization: Bearer`; undefined where there is no such field, "" where it cannot be read as one token. */
export function bearerToken(fields: Fields): string | undefined {
  const values = fieldValues(fields, "authorization");
  if (values.length === 0) return undefined;
  // Two of them would be read as one here and as the other behind.
  return values.length > 1 ? "" : (BEARER.exec(values[0] ?? "")?.[1] ?? "");
}

/** Whether any Authorization field is of the scheme Bearer, well-formed or not. */
export function hasBearer(fields: Fields): boolean {
  return fieldValues(fields, "authorization").some((value) => /^bearer(?:[ \t,]|$)/i.test(value));
}
