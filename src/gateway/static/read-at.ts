import { readSync } from "node:fs";

/** Up to here a buffer comes from Node's pool, which is cheaper than one of its own. */
const POOLED_BYTES = 4096;

/** The bytes of a file from `from` to `to`, in a buffer that is nobody else's; undefined where they are not all to be had. */
export function readAt(fd: number, from: number, to: number): Buffer | undefined {
  const length = to - from;
  const buffer = length <= POOLED_BYTES ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length);
  let filled = 0;
  try {
    while (filled < length) {
      const read = readSync(fd, buffer, filled, length - filled, from + filled);
      if (read === 0) return undefined;
      filled += read;
    }
  } catch {
    // A disk or a network file system that fails: the same to a client as a file that has become shorter.
    return undefined;
  }
  return buffer;
}
