import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The client ports of a process's TCP connections. */
export function clientPortsOf(pid: number): Set<number> {
  const own = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const inode = /socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      if (inode !== undefined) own.add(inode);
    } catch {
      // It was closed in the meantime.
    }
  }
  const ports = new Set<number>();
  for (const line of readFileSync("/proc/net/tcp", "latin1").split("\n").slice(1)) {
    const [, , remote = "", , , , , , , inode = ""] = line.trim().split(/\s+/);
    if (own.has(inode)) ports.add(Number.parseInt(remote.split(":")[1] ?? "0", 16));
  }
  // The entry of listeners.
  ports.delete(0);
  return ports;
}
