import { FFIType, type Pointer } from "bun:ffi";
import { cFunctions } from "../process/c-library.ts";

/** `MSG_DONTWAIT`, `MSG_NOSIGNAL` and `MSG_MORE` of Linux. */
const FLAGS = 0x40 | 0x4000 | 0x8000;

const libc = cFunctions({ send: { args: ["i32", "ptr", "u64", "i32"], returns: FFIType.i64_fast } });

/**
 * Sends bytes to a TCP socket whose `shutdown` follows. Linux holds back the last of them, so that the FIN leaves in the
 * same segment. This takes a tenth less CPU for a connection with one request (bench proxy --only connects).
 * Returns the bytes that the socket took; 0 if it is full or broken, or if the system does not support this.
 */
export function sendBeforeEnd(socket: number, bytes: Pointer, length: number): number {
  if (socket < 0) return 0;
  return Math.max(Number(libc()?.send(socket, bytes, length, FLAGS) ?? 0), 0);
}
