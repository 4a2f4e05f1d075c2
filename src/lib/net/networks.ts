import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A network as `ipaddr.parseCIDR` gives it. */
type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

const NETWORK = /^([^/%]+)(?:\/(\d{1,3}))?$/;
/** Bits of the prefix that an IPv4 address has in the form of IPv6 (RFC 4291 §2.5.5.2). */
const MAPPED_BITS = 96;

/**
 * True for an IPv4 address of four decimal parts, or an IPv6 address. Other spellings, as `10.1` or `010.0.0.1`, are
 * different addresses for different programs.
 */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || isIP(text) === 6;
}

/** True for an address, or a network in CIDR notation. False with a zone: the interface would not be compared. */
export function isNetwork(text: string): boolean {
  const [, address = "", bits] = NETWORK.exec(text) ?? [];
  return isAddress(address) && Number(bits ?? 0) <= (address.includes(":") ? 128 : 32);
}

/** True for addresses of these networks, as `isNetwork` accepts them. Throws for text that is not an address. */
export function networkCheck(cidrs: readonly string[]): (address: string) => boolean {
  const networks = cidrs.map(parseNetwork);
  return (address) => {
    // IPv4 addresses in the form of IPv6 are compared as IPv4.
    const parsed = ipaddr.process(address);
    return networks.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits));
  };
}

function parseNetwork(cidr: string): Network {
  const [base, bits] = ipaddr.parseCIDR(cidr.includes("/") ? cidr : `${cidr}/${cidr.includes(":") ? 128 : 32}`);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return isMapped ? [base.toIPv4Address(), bits - MAPPED_BITS] : [base, bits];
}
