import { dlopen, FFIType, ptr } from "bun:ffi";
import { fromCLibrary } from "../process/c-library.ts";

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
  if (typeof fd !== "number" || process.platform !== "linux") return undefined;
  return fromCLibrary((name) => {
    const library = dlopen(name, {
      getsockopt: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
    });
    const [ucred, length] = [new Int32Array(3), Int32Array.of(12)];
    const result = library.symbols.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ptr(ucred), ptr(length));
    library.close();
    const [pid, uid] = ucred;
    return result === 0 && pid !== undefined && uid !== undefined ? { pid, uid } : undefined;
  });
}
