import ipaddr from "ipaddr.js";

/** What an address is limited by: IPv4 as it is, IPv6 by the network of `prefix` bits, since a client has at least a /64 to choose from. */
export function addressKey(address: string, prefix: number): string {
  // A dotted address in IPv4 has one spelling here: the socket's own, or that which a trusted proxy wrote.
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(address)}/${prefix}`).toString()}/${prefix}`;
}

function withoutZone(address: string): string {
  const at = address.indexOf("%");
  return at < 0 ? address : address.slice(0, at);
}
