import { dlopen, FFIType, type Pointer } from "bun:ffi";
import { fromCLibrary } from "../process/c-library.ts";
import { nativeMemory } from "../memory/native-memory.ts";

/** `SIOCOUTQ` of Linux: bytes in a socket's send queue, sent or not, that the peer's system has not acknowledged. */
const OUTPUT_QUEUE = 0x5411;

type Ioctl = (socket: number, request: number, reply: Pointer) => number;

const memory = nativeMemory(4);
const reply = new Int32Array(memory.buffer);
const ioctl = fromCLibrary((name): Ioctl => {
  const { symbols } = dlopen(name, {
    ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 },
  });
  return symbols.ioctl;
});

/** Bytes that the peer of a TCP socket has not acknowledged; 0 if unknown, -1 if the socket is closed. */
export function unacknowledged(socket: number): number {
  if (socket < 0) return -1;
  if (ioctl === undefined || process.platform !== "linux") return 0;
  return ioctl(socket, OUTPUT_QUEUE, memory.address) === 0 ? (reply[0] ?? 0) : 0;
}
