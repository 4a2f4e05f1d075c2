import ipaddr from "ipaddr.js";

/** An address's rate limit key: itself, or its network of `prefix` bits of IPv6, as clients have a /64. */
export function addressKey(address: string, prefix: number): string {
  // An IPv4 address has one spelling here: the socket's, or the one that a trusted proxy wrote.
  if (!address.includes(":")) return address;
  const parts = partsOf(address);
  if (parts === undefined) return address;
  const [, , , , , mark = 0, upper = 0, lower = 0] = parts;
  const isIpv4 = mark === 0xffff && parts.every((part, i) => i >= 5 || part === 0);
  if (isIpv4) return `${upper >> 8}.${upper & 255}.${lower >> 8}.${lower & 255}`;
  // Written by hand: the library's function for network addresses takes 5 µs, which is too much for each request of a
  // flood.
  let key = "";
  for (let bits = prefix, i = 0; bits > 0; bits -= 16, i++) {
    key += `${(parts[i] ?? 0) >> Math.max(16 - bits, 0)}:`;
  }
  return key;
}

/** The eight parts of an IPv6 address; undefined if the text is not one. */
function partsOf(address: string): readonly number[] | undefined {
  try {
    return ipaddr.IPv6.parse(address).parts;
  } catch {
    return undefined;
  }
}
