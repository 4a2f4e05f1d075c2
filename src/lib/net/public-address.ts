import ipaddr from "ipaddr.js";

/**
 * Address blocks without pages of the public Internet: the IANA special-purpose registries for IPv4 and IPv6,
 * multicast, and the IPv6 ranges that contain an IPv4 address (mapped, NAT64, 6to4, Teredo). Through a translator the
 * latter would reach a private host.
 */
const SPECIAL_BLOCKS: readonly string[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** In IPv6, only the global unicast block can be public. These are its special parts. */
const GLOBAL_UNICAST = "2000::/3";
const SPECIAL_BLOCKS_6: readonly string[] = [
  // 2001::/23 holds Teredo, ORCHID, benchmarking and the other protocol assignments.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
];

const special4 = SPECIAL_BLOCKS.map((text) => ipaddr.IPv4.parseCIDR(text));
const special6 = SPECIAL_BLOCKS_6.map((text) => ipaddr.IPv6.parseCIDR(text));
const globalUnicast = ipaddr.IPv6.parseCIDR(GLOBAL_UNICAST);

/** True if an address, as a resolver prints it, is on the public Internet. False if it cannot be parsed. */
export function isPublicAddress(text: string): boolean {
  if (text.includes(":")) return ipaddr.IPv6.isValid(text) && isPublic6(ipaddr.IPv6.parse(text));
  if (!ipaddr.IPv4.isValidFourPartDecimal(text)) return false;
  const address = ipaddr.IPv4.parse(text);
  return !special4.some(([base, bits]) => address.match(base, bits));
}

function isPublic6(address: ipaddr.IPv6): boolean {
  // A zone ("fe80::1%eth0") names an interface of this machine.
  if (address.zoneId !== undefined) return false;
  if (!address.match(...globalUnicast)) return false;
  return !special6.some(([base, bits]) => address.match(base, bits));
}
