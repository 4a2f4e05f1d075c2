import { nativeMemory } from "../memory/native-memory.ts";
import { cFunctions } from "../process/c-library.ts";

/** `POLLRDHUP` of Linux: the peer has sent its FIN, even if bytes before it are not read yet. */
const PEER_ENDED = 0x2000;

/** `struct pollfd`: the socket, then the events in question and the reported ones as 16 bits each. */
const memory = nativeMemory(8);
const view = new DataView(memory.buffer);
const libc = cFunctions({ poll: { args: ["ptr", "u64", "i32"], returns: "i32" } });

/** True if the peer of a socket has sent its FIN, which a paused socket does not report. False if unknown. */
export function hasPeerEnded(socket: number): boolean {
  if (socket < 0) return false;
  view.setInt32(0, socket, true);
  view.setInt16(4, PEER_ENDED, true);
  return (libc()?.poll(memory.address, 1, 0) ?? 0) > 0;
}
