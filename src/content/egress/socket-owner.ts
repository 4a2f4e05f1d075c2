import { NETLINK_HEADER_BYTES, openNetlink } from "../../lib/net/netlink.ts";

/** From linux/socket.h, linux/netlink.h and linux/sock_diag.h. */
const AF_INET = 2;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const IPPROTO_TCP = 6;
const NO_COOKIE = 0xffff_ffff;

/** struct nlmsghdr, then struct inet_diag_req_v2. */
const REQUEST_BYTES = NETLINK_HEADER_BYTES + 56;
const SOCKET_ID_AT = NETLINK_HEADER_BYTES + 8;
/** The offset of the user id in struct inet_diag_msg. */
const USER_AT = NETLINK_HEADER_BYTES + 4 + 48 + 12;

/**
 * Returns the id of the user that owns the end `port` of a connection from 127.0.0.1 to itself; undefined if there is
 * no such end.
 */
export type SocketOwner = (port: number, otherPort: number) => number | undefined;

/**
 * Asks the kernel for one connection, which takes microseconds. The kernel's table as a file takes 1 ms for each
 * thousand connections, including those that ended up to a minute ago. Undefined if the system does not allow that.
 */
export function openSocketOwner(): SocketOwner | undefined {
  const ask = openNetlink(NETLINK_SOCK_DIAG);
  if (ask === undefined) return undefined;
  const request = new DataView(new ArrayBuffer(REQUEST_BYTES));
  return (port, otherPort) => {
    writeRequest(request, port, otherPort);
    const response = ask(SOCK_DIAG_BY_FAMILY, request);
    if (response === undefined || response.type !== SOCK_DIAG_BY_FAMILY || response.length < USER_AT + 4)
      return undefined;
    return response.bytes.getUint32(USER_AT, true);
  };
}

/** Ports and addresses are in network byte order. */
function writeRequest(view: DataView, port: number, otherPort: number): void {
  view.setUint8(NETLINK_HEADER_BYTES, AF_INET);
  view.setUint8(NETLINK_HEADER_BYTES + 1, IPPROTO_TCP);
  view.setUint16(SOCKET_ID_AT, port);
  view.setUint16(SOCKET_ID_AT + 2, otherPort);
  view.setUint32(SOCKET_ID_AT + 4, 0x7f00_0001);
  view.setUint32(SOCKET_ID_AT + 20, 0x7f00_0001);
  view.setUint32(SOCKET_ID_AT + 40, NO_COOKIE, true);
  view.setUint32(SOCKET_ID_AT + 44, NO_COOKIE, true);
}
