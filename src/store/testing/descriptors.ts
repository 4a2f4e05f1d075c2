import { readdirSync, readlinkSync } from "node:fs";

/** For tests alone: how many descriptors of this process are of the files whose path begins so. Linux. */
export function descriptorsOf(path: string): number {
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(path);
    } catch {
      // The folder itself was open while it was read.
      return false;
    }
  }).length;
}
