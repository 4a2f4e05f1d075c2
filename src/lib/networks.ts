import ipaddr from "ipaddr.js";

/** A network as `ipaddr.parseCIDR` gives it. */
type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Returns a function that is true for the addresses of these networks, each an address or in CIDR notation. It throws for
 * text that is not an address.
 */
export function networkCheck(cidrs: readonly string[]): (address: string) => boolean {
  const networks = cidrs.map(parseNetwork);
  return (address) => {
    const parsed = ipaddr.parse(address);
    return networks.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits));
  };
}

function parseNetwork(cidr: string): Network {
  return ipaddr.parseCIDR(cidr.includes("/") ? cidr : `${cidr}/${cidr.includes(":") ? 128 : 32}`);
}
