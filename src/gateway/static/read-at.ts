import { readSync } from "node:fs";

/** Up to this size, a buffer from Node's pool is cheaper than a new one. */
const POOLED_BYTES = 4096;

/** The bytes of a file from `from` to `to`, in a buffer of its own; undefined if they cannot all be read. */
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
    // For a client, a failing disk or network file system is the same as a file that has become shorter.
    return undefined;
  }
  return buffer;
}
