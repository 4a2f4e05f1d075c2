import { dlopen, FFIType, ptr } from "bun:ffi";
import { fromCLibrary } from "../../lib/process/c-library.ts";

const IPPROTO_TCP = 6;
const TCP_NOTSENT_LOWAT = 25;

/**
 * Bytes that the kernel keeps unsent for one TCP connection, on Linux; the rest waits in the memory for slow peers.
 * Without this limit the kernel's buffer for a peer that reads slowly grows to the last number of
 * `net.ipv4.tcp_wmem`, 4 MiB by default. The process pauses the source of the rest. @internal
 */
export const MAX_UNSENT_BYTES = 1024 * 1024;

const value = Int32Array.of(MAX_UNSENT_BYTES);
const setOption = fromCLibrary(
  (name) =>
    dlopen(name, {
      setsockopt: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
    }).symbols.setsockopt,
);

/** Limits what the kernel keeps for a socket of Bun. The connections of a listener inherit the limit. */
export function limitUnsent(socket: object): void {
  const fd: unknown = Reflect.get(socket, "fd");
  if (typeof fd !== "number" || fd < 0 || process.platform !== "linux") return;
  setOption?.(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, ptr(value), value.byteLength);
}
