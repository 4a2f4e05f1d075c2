import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * The file descriptors of a process (`self`: this one) that are sockets bound to these UDP ports. Throws if /proc
 * cannot be read.
 */
export function udpDescriptors(pid: number | "self", ports: ReadonlySet<number>): number[] {
  const inodes = socketsOf(ports);
  return readdirSync(`/proc/${pid}/fd`)
    .filter((fd) => inodes.has(inodeOf(pid, fd)))
    .map(Number);
}

/** The inodes of the sockets bound to UDP ports. */
function socketsOf(ports: ReadonlySet<number>): Set<string> {
  const inodes = new Set<string>();
  for (const table of ["udp", "udp6"]) {
    for (const line of readFileSync(`/proc/self/net/${table}`, "latin1").split("\n").slice(1)) {
      const columns = line.trim().split(/\s+/);
      const local = columns[1] ?? "";
      const inode = columns[9];
      const port = Number.parseInt(local.slice(local.indexOf(":") + 1), 16);
      if (inode !== undefined && ports.has(port)) inodes.add(inode);
    }
  }
  return inodes;
}

function inodeOf(pid: number | "self", fd: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? "";
  } catch {
    // The descriptor was closed meanwhile: the folder itself was read through one of them.
    return "";
  }
}
