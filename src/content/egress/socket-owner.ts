import { dlopen, type Pointer, ptr } from "bun:ffi";

/** From linux/socket.h, linux/netlink.h and linux/sock_diag.h. */
const AF_INET = 2;
const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2_000_000;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST = 1;
const IPPROTO_TCP = 6;
const MSG_DONTWAIT = 0x40;
const ALL_STATES = 0xffff_ffff;
const NO_COOKIE = 0xffff_ffff;

/** struct nlmsghdr, then struct inet_diag_req_v2. */
const HEADER_BYTES = 16;
const REQUEST_BYTES = HEADER_BYTES + 56;
const SOCKET_ID_AT = HEADER_BYTES + 8;
/** Where struct inet_diag_msg has the user id. */
const USER_AT = HEADER_BYTES + 4 + 48 + 12;

/** The user id that owns the end `port` of a connection of 127.0.0.1 with itself; undefined where there is no such end. */
export type SocketOwner = (port: number, otherPort: number) => number | undefined;

/**
 * Asks the kernel for one connection, which takes it microseconds. Its table as a file takes 1 ms a thousand
 * connections, those counted that ended a minute ago. Undefined where the system lets nobody ask.
 */
export function openSocketOwner(): SocketOwner | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const { symbols } = dlopen("libc.so.6", {
      socket: { args: ["i32", "i32", "i32"], returns: "i32" },
      send: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
      recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    });
    const socket = symbols.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
    if (socket < 0) return undefined;
    const request = new DataView(new ArrayBuffer(REQUEST_BYTES));
    const answer = new DataView(new ArrayBuffer(8192));
    const [requestAt, answerAt] = [at(request), at(answer)];
    let sequence = 0;
    return (port, otherPort) => {
      sequence = (sequence + 1) >>> 0;
      writeRequest(request, sequence, port, otherPort);
      if (Number(symbols.send(socket, requestAt, REQUEST_BYTES, 0)) !== REQUEST_BYTES) return undefined;
      // The kernel has answered when `send` returns; what is not this answer is one that nobody took.
      for (;;) {
        const length = Number(symbols.recv(socket, answerAt, answer.byteLength, MSG_DONTWAIT));
        if (length < HEADER_BYTES) return undefined;
        if (answer.getUint32(8, true) !== sequence) continue;
        const found = answer.getUint16(4, true) === SOCK_DIAG_BY_FAMILY && length >= USER_AT + 4;
        return found ? answer.getUint32(USER_AT, true) : undefined;
      }
    };
  } catch {
    // Another C library.
    return undefined;
  }
}

function at(view: DataView<ArrayBuffer>): Pointer {
  return ptr(new Uint8Array(view.buffer));
}

/** The machine is little-endian; ports and addresses are in network order. */
function writeRequest(view: DataView, sequence: number, port: number, otherPort: number): void {
  view.setUint32(0, REQUEST_BYTES, true);
  view.setUint16(4, SOCK_DIAG_BY_FAMILY, true);
  view.setUint16(6, NLM_F_REQUEST, true);
  view.setUint32(8, sequence, true);
  view.setUint8(HEADER_BYTES, AF_INET);
  view.setUint8(HEADER_BYTES + 1, IPPROTO_TCP);
  view.setUint32(HEADER_BYTES + 4, ALL_STATES, true);
  view.setUint16(SOCKET_ID_AT, port);
  view.setUint16(SOCKET_ID_AT + 2, otherPort);
  view.setUint32(SOCKET_ID_AT + 4, 0x7f00_0001);
  view.setUint32(SOCKET_ID_AT + 20, 0x7f00_0001);
  view.setUint32(SOCKET_ID_AT + 40, NO_COOKIE, true);
  view.setUint32(SOCKET_ID_AT + 44, NO_COOKIE, true);
}
