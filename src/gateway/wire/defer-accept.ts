import { dlopen, FFIType, ptr } from "bun:ffi";
import { fromCLibrary } from "../../lib/process/c-library.ts";

const IPPROTO_TCP = 6;
const TCP_DEFER_ACCEPT = 9;
/**
 * Seconds after which the kernel hands over a connection without data. Linux rounds up to a retransmission, so 1 is the
 * smallest value.
 */
const MAX_DEFER_S = 1;

/**
 * Makes the kernel hand over a connection together with its first bytes, so that one turn of the event loop handles
 * both. This takes 13 % less CPU for a connection with one request (bench proxy --only connects). It does
 * nothing if the system does not support it. `listener` is one of Bun.listen.
 */
export function deferAccept(listener: object): void {
  const fd: unknown = Reflect.get(listener, "fd");
  if (typeof fd !== "number" || process.platform !== "linux") return;
  const value = Int32Array.of(MAX_DEFER_S);
  fromCLibrary((name) => {
    const libc = dlopen(name, {
      setsockopt: {
        args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32],
        returns: FFIType.i32,
      },
    });
    libc.symbols.setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, ptr(value), value.byteLength);
    libc.close();
  });
}
