import { trimOws } from "../../lib/fields.ts";

/** A tenant's key may have this many bytes. */
const MAX_KEY_BYTES = 128;

const PORT = /:\d*$/;

/**
 * The tenant that a request names by the value of its route's header; undefined where it names none, or none that can be one. Of
 * the host, the port is stripped, brackets of an IPv6 address stay, and letters are lower case. The key grants nothing.
 */
export function tenantKey(value: string, isHost: boolean): string | undefined {
  // Only the white space that fields have around them: filters see any other, and name another tenant by it.
  const text = trimOws(value);
  const key = isHost ? text.replace(PORT, "").toLowerCase() : text;
  // Fields come as one character a byte.
  return key === "" || key.length > MAX_KEY_BYTES ? undefined : key;
}
