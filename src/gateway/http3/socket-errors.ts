import { dlopen, FFIType, type Pointer, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Linux: `level`, `option` of IP_RECVERR and IPV6_RECVERR. */
const RECEIVE_ERRORS = [
  { level: 0, name: 11 },
  { level: 41, name: 25 },
];

const LIBC = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/**
 * Has the kernel keep to itself what ICMP says of a UDP port's peers. Bun asks to be told, and Linux tells it by failing the
 * next send to anybody: three clients that vanish stop all others for as long as they are sent to (test/http3/vanished.test.ts).
 * QUIC needs none of it: who does not answer times out. The engine does not give its socket away, so it is looked for in /proc.
 * Throws where it is not found or cannot be changed.
 */
export function ignoreIcmp(port: number): void {
  const inodes = socketsOf(port);
  const found = readdirSync("/proc/self/fd").filter((fd) => inodes.has(inodeOf(fd)));
  if (found.length === 0) throw new Error(`Cannot serve HTTP/3: the socket of UDP port ${port} is not to be found`);
  const setsockopt = loadSetsockopt();
  const off = new Int32Array([0]);
  for (const fd of found) {
    const results = RECEIVE_ERRORS.map((option) => setsockopt(Number(fd), option, ptr(off), 4));
    // The option of the other family is none of this socket's.
    if (results.every((result) => result !== 0)) {
      throw new Error(`Cannot serve HTTP/3: the socket of UDP port ${port} cannot be told to ignore ICMP`);
    }
  }
}

/** The inodes of the sockets bound to a UDP port. */
function socketsOf(port: number): Set<string> {
  const inodes = new Set<string>();
  for (const table of ["udp", "udp6"]) {
    for (const line of readFileSync(`/proc/self/net/${table}`, "latin1").split("\n").slice(1)) {
      const columns = line.trim().split(/\s+/);
      const local = columns[1] ?? "";
      const inode = columns[9];
      if (inode !== undefined && Number.parseInt(local.slice(local.indexOf(":") + 1), 16) === port) inodes.add(inode);
    }
  }
  return inodes;
}

function inodeOf(fd: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? "";
  } catch {
    // It was closed meanwhile: the folder was read through one of them.
    return "";
  }
}

type SetOption = (fd: number, option: { level: number; name: number }, value: Pointer, length: number) => number;

function loadSetsockopt(): SetOption {
  const { i32, ptr: pointer, u32 } = FFIType;
  for (const name of LIBC) {
    try {
      const { symbols } = dlopen(name, { setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 } });
      return (fd, { level, name: option }, value, length) => symbols.setsockopt(fd, level, option, value, length);
    } catch {
      // Another C library, perhaps.
    }
  }
  throw new Error("Cannot serve HTTP/3: there is no C library to set a socket's options with");
}
