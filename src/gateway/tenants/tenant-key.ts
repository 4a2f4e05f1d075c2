/** A tenant's key may have this many bytes. */
export const MAX_KEY_BYTES = 128;

const PORT = /:\d*$/;

/**
 * The tenant that a request names by the value of its route's header; undefined where it names none, or none that can be one. Of
 * the host, the port is stripped, brackets of an IPv6 address stay, and letters are lower case. The key grants nothing.
 */
export function tenantKey(value: string, isHost: boolean): string | undefined {
  const key = isHost ? value.trim().replace(PORT, "").toLowerCase() : value.trim();
  // Fields come as one character a byte.
  return key === "" || key.length > MAX_KEY_BYTES ? undefined : key;
}
