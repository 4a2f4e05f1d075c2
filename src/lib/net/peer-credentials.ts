import { ptr } from "bun:ffi";
import { cFunctions } from "../process/c-library.ts";

const libc = cFunctions({ getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" } });
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

/** The process at the other end of a connected Unix socket. */
export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
}

/** The process that connected to this socket of Bun, or listens there; undefined if the kernel does not say. */
export function peerCredentials(socket: object): PeerCredentials | undefined {
  const fd: unknown = Reflect.get(socket, "fd");
  if (typeof fd !== "number") return undefined;
  const [ucred, length] = [new Int32Array(3), Int32Array.of(12)];
  const result = libc()?.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ptr(ucred), ptr(length));
  const [pid, uid] = ucred;
  return result === 0 && pid !== undefined && uid !== undefined ? { pid, uid } : undefined;
}
