import { cFunctions } from "../process/c-library.ts";
import { nativeMemory } from "../memory/native-memory.ts";

/** `SIOCOUTQ` of Linux: bytes in a socket's send queue, sent or not, that the peer's system has not acknowledged. */
const OUTPUT_QUEUE = 0x5411;

const memory = nativeMemory(4);
const reply = new Int32Array(memory.buffer);
const libc = cFunctions({ ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" } });

/** Bytes that the peer of a TCP socket has not acknowledged; 0 if unknown, -1 if the socket is closed. */
export function unacknowledged(socket: number): number {
  if (socket < 0) return -1;
  return libc()?.ioctl(socket, OUTPUT_QUEUE, memory.address) === 0 ? (reply[0] ?? 0) : 0;
}
