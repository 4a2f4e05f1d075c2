/** Reports the state of a service to systemd (sd_notify), for units of Type=notify. */
import { ptr } from "bun:ffi";
import { cFunctions } from "../../lib/process/c-library.ts";

const loadLibc = cFunctions({
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "i32"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
});
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
/** Bytes in the path of the kernel's sockaddr_un. With a longer path no message is sent. */
const MAX_PATH_BYTES = 107;

/** Sends a state such as `READY=1` to $NOTIFY_SOCKET, if it is set. Never throws. */
export function notifySystemd(state: string, socket = process.env["NOTIFY_SOCKET"] ?? ""): void {
  const path = Buffer.from(socket);
  if (!/^[/@]/.test(socket) || path.length > MAX_PATH_BYTES) return;
  // The address of an abstract socket begins with a zero byte, which the variable shows as @.
  if (path[0] === 0x40) path[0] = 0;
  const libc = loadLibc();
  if (libc === undefined) return;
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  const address = Buffer.concat([family, path]);
  const message = Buffer.from(state);
  const fd = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  libc.sendto(fd, ptr(message), BigInt(message.length), MSG_NOSIGNAL, ptr(address), address.length);
  libc.close(fd);
}
