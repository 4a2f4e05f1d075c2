import { ptr } from "bun:ffi";
import { cFunctions } from "../process/c-library.ts";
import { nativeMemory } from "../memory/native-memory.ts";

/** From linux/socket.h and linux/netlink.h. */
const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2_000_000;
const MSG_DONTWAIT = 0x40;
const NLM_F_REQUEST = 1;
const MAX_RESPONSE_BYTES = 8192;

/** Bytes of struct nlmsghdr, which every message begins with. */
export const NETLINK_HEADER_BYTES = 16;

/** A reply of the kernel, valid until the next request. */
export interface NetlinkReply {
  readonly type: number;
  /** Length in bytes, with the header. */
  readonly length: number;
  readonly bytes: DataView<ArrayBuffer>;
}

/** Sends a request of this type and returns the reply, if any; `bytes`: the message, with room for its header. */
export type Netlink = (type: number, bytes: DataView<ArrayBuffer>) => NetlinkReply | undefined;

const libc = cFunctions({
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  send: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
  recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
});

/** Opens a socket to the kernel; a request takes microseconds. Undefined if the system refuses it. */
export function openNetlink(protocol: number): Netlink | undefined {
  const calls = libc();
  const socket = calls?.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, protocol) ?? -1;
  if (calls === undefined || socket < 0) return undefined;
  const memory = nativeMemory(MAX_RESPONSE_BYTES);
  const reply = new DataView(memory.buffer);
  let sequence = 0;
  return (type, bytes) => {
    sequence = (sequence + 1) >>> 0;
    writeHeader(bytes, type, sequence);
    if (Number(calls.send(socket, ptr(new Uint8Array(bytes.buffer)), bytes.byteLength, 0)) !== bytes.byteLength)
      return undefined;
    // The kernel has replied when `send` returns. Unread replies to earlier requests are skipped.
    for (;;) {
      const length = Number(calls.recv(socket, memory.address, reply.byteLength, MSG_DONTWAIT));
      if (length < NETLINK_HEADER_BYTES) return undefined;
      if (reply.getUint32(8, true) === sequence) return { type: reply.getUint16(4, true), length, bytes: reply };
    }
  };
}

/** The machine is little-endian. */
function writeHeader(view: DataView, type: number, sequence: number): void {
  view.setUint32(0, view.byteLength, true);
  view.setUint16(4, type, true);
  view.setUint16(6, NLM_F_REQUEST, true);
  view.setUint32(8, sequence, true);
}
