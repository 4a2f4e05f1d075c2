import { dlopen, FFIType, type Pointer } from "bun:ffi";
import { nativeMemory } from "../memory/native-memory.ts";
import { fromCLibrary } from "../process/c-library.ts";

/** `POLLRDHUP` of Linux: the peer has sent its FIN, even if bytes before it are not read yet. */
const PEER_ENDED = 0x2000;

type Poll = (entries: Pointer, count: number, timeoutMs: number) => number;

/** `struct pollfd`: the socket, then the events in question and the reported ones as 16 bits each. */
const memory = nativeMemory(8);
const view = new DataView(memory.buffer);
const poll =
  process.platform === "linux"
    ? fromCLibrary((name): Poll => {
        const { symbols } = dlopen(name, {
          poll: { args: [FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
        });
        return symbols.poll;
      })
    : undefined;

/** True if the peer of a socket has sent its FIN, which a paused socket does not report. False if unknown. */
export function hasPeerEnded(socket: number): boolean {
  if (poll === undefined || socket < 0) return false;
  view.setInt32(0, socket, true);
  view.setInt16(4, PEER_ENDED, true);
  return poll(memory.address, 1, 0) > 0;
}
