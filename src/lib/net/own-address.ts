import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { NETLINK_HEADER_BYTES, type Netlink, openNetlink } from "./netlink.ts";
import { isPublicAddress } from "./public-address.ts";

/** From linux/socket.h, linux/netlink.h and linux/rtnetlink.h. */
const AF_INET = 2;
const AF_INET6 = 10;
const NETLINK_ROUTE = 0;
const RTM_NEWROUTE = 24;
const RTM_GETROUTE = 26;
const RTA_DST = 1;
/** Route types by which the kernel delivers packets to this machine: RTN_LOCAL, RTN_BROADCAST, RTN_ANYCAST. */
const OWN_ROUTES = new Set([2, 3, 4]);

/** Byte offsets: struct nlmsghdr, struct rtmsg, then one attribute with the address. */
const DESTINATION_LENGTH_AT = NETLINK_HEADER_BYTES + 1;
const ROUTE_TYPE_AT = NETLINK_HEADER_BYTES + 7;
const ATTRIBUTE_AT = NETLINK_HEADER_BYTES + 12;
const ADDRESS_AT = ATTRIBUTE_AT + 4;

let netlink: Netlink | false | undefined;

/**
 * True if the kernel would deliver a connection to this address to this machine at this moment: the address is that of
 * an interface. The kernel's routes also cover addresses that no interface lists. The route of a new IPv6 address
 * appears a moment after the interface lists it, so both sources are used.
 * @internal
 */
export function isOwnAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const bytes = ipaddr.process(address).toByteArray();
  netlink ??= openNetlink(NETLINK_ROUTE) ?? false;
  return (netlink !== false && isRoutedHere(netlink, bytes)) || isOnInterface(bytes);
}

/** True if an address belongs to the public Internet and not to this machine. */
export function isRemotePublicAddress(address: string): boolean {
  return isPublicAddress(address) && !isOwnAddress(address);
}

/** Also false if the kernel does not reply. */
function isRoutedHere(ask: Netlink, address: readonly number[]): boolean {
  const request = new DataView(new ArrayBuffer(ADDRESS_AT + address.length));
  request.setUint8(NETLINK_HEADER_BYTES, address.length === 4 ? AF_INET : AF_INET6);
  request.setUint8(DESTINATION_LENGTH_AT, address.length * 8);
  request.setUint16(ATTRIBUTE_AT, 4 + address.length, true);
  request.setUint16(ATTRIBUTE_AT + 2, RTA_DST, true);
  for (const [at, byte] of address.entries()) request.setUint8(ADDRESS_AT + at, byte);
  const response = ask(RTM_GETROUTE, request);
  return response?.type === RTM_NEWROUTE && OWN_ROUTES.has(response.bytes.getUint8(ROUTE_TYPE_AT));
}

function isOnInterface(address: readonly number[]): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.some((entry) => String(ipaddr.process(entry.address).toByteArray()) === String(address));
}
