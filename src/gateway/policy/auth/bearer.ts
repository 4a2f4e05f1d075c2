import { type HeadFields, headValues } from "../../exchange/head-fields.ts";

/** RFC 6750 §2.1. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of `Authorization: Bearer`. Undefined without a field of this scheme, "" without exactly one token. */
export function bearerToken(head: HeadFields): string | undefined {
  if (!hasBearer(head)) return undefined;
  const values = headValues(head, "authorization");
  // With two fields, the gateway could read one token and the upstream the other.
  return values.length > 1 ? "" : (BEARER.exec(values[0] ?? "")?.[1] ?? "");
}

/** True if there is an Authorization field of the scheme Bearer, well-formed or not. */
export function hasBearer(head: HeadFields): boolean {
  return headValues(head, "authorization").some((value) => /^bearer(?:[ \t,]|$)/i.test(value));
}
