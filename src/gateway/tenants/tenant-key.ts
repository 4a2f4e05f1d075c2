import { trimOws } from "../../lib/http/fields.ts";

/** Bytes of a tenant's key. */
const MAX_KEY_BYTES = 128;

const PORT = /:\d*$/;

/**
 * The tenant of a request, by the value of its route's header; undefined if the header names none or a name that is not
 * valid. A host loses its port, keeps the brackets of an IPv6 address, and gets lower-case letters. The key grants no
 * rights.
 */
export function tenantKey(value: string, isHost: boolean): string | undefined {
  // Only the white space that surrounds field values: filters see any other white space as part of the name.
  const text = trimOws(value);
  const key = isHost ? text.replace(PORT, "").toLowerCase() : text;
  // Field values have one character for each byte.
  return key === "" || key.length > MAX_KEY_BYTES ? undefined : key;
}
