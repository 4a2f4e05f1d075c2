import { readdirSync, readlinkSync } from "node:fs";

/** For tests only: how many descriptors of this process belong to files whose path begins with `path`. Linux only. */
export function descriptorsOf(path: string): number {
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(path);
    } catch {
      // The descriptor of the folder itself is closed by now.
      return false;
    }
  }).length;
}
