import { dlopen } from "bun:ffi";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { fromCLibrary } from "../../../lib/process/c-library.ts";

/** From linux/mount.h. */
const MS_RDONLY = 1;
const MS_NOSUID = 2;
const MS_NODEV = 4;
const MS_NOEXEC = 8;
const MS_REMOUNT = 32;
const MS_BIND = 4096;
const MS_REC = 16384;
const MS_PRIVATE = 1 << 18;
const MNT_DETACH = 2;
/** From linux/prctl.h. */
const PR_SET_NO_NEW_PRIVS = 38;
/** From linux/sockios.h and linux/if.h: flags of a network interface, and the values "up" and "running". */
const SIOCSIFFLAGS = 0x8914;
const IFF_UP_RUNNING = 0x41;
const IFREQ_BYTES = 40;
const IFREQ_FLAGS_AT = 16;
const AF_INET = 2;
const SOCK_DGRAM = 2;

/** Folders with programs and libraries, on systems where some of them are links to others. */
const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Files that programs and libraries read. */
const SYSTEM_FILES = ["/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives"];
const DEVICES = ["null", "zero", "full", "random", "urandom"];

const OLD = "/.old";

function openLibrary() {
  return fromCLibrary(
    (name) =>
      dlopen(name, {
        mount: { args: ["cstring", "cstring", "cstring", "u64", "cstring"], returns: "i32" },
        umount2: { args: ["cstring", "i32"], returns: "i32" },
        pivot_root: { args: ["cstring", "cstring"], returns: "i32" },
        prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
        socket: { args: ["i32", "i32", "i32"], returns: "i32" },
        ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
      }).symbols,
  );
}

/** The files of a cell. Paths are absolute, and the same inside and outside, if not said otherwise. */
export interface CellFiles {
  /** An empty folder, over which the cell's own root is mounted. */
  readonly root: string;
  /** Folders and files that the cell may read. */
  readonly readable: readonly string[];
  /** The Unix socket of the egress proxy, which is `INNER_SOCKET` inside. */
  readonly socket: string;
  /** Bytes of all files that are written inside. They are in memory. */
  readonly maxBytes: number;
}

/** The path of the egress proxy's socket, and of the folder for profiles and downloads, inside a cell. */
export const INNER_SOCKET = "/egress.sock";
export const INNER_HOME = "/home";

/**
 * Replaces all files that this process and its children see by those of a cell, and starts the loopback interface. The process
 * must be the first one in new user, mount, process and network namespaces. Throws with the step that fails.
 */
export function enterCell(files: CellFiles): void {
  const library = openLibrary();
  if (library === undefined) throw new Error("there is no C library");
  const { root } = files;
  const mount = (what: string, to: string, type: string, { flags = 0, data = "" } = {}): void => {
    const failed = library.mount(text(what), text(to), text(type), flags, text(data)) !== 0;
    if (failed) throw new Error(`cannot mount ${type === "" ? what : type} at ${to.slice(root.length) || "/"}`);
  };
  const bind = (path: string, to = path, isReadOnly = true): void => {
    if (!existsSync(path)) return;
    const inner = root + to;
    if (statSync(path).isDirectory()) mkdirSync(inner, { recursive: true });
    else {
      mkdirSync(dirname(inner), { recursive: true });
      writeFileSync(inner, "");
    }
    mount(path, inner, "", { flags: MS_BIND | MS_REC });
    if (isReadOnly) mount(path, inner, "", { flags: MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV });
  };
  mount("none", "/", "", { flags: MS_REC | MS_PRIVATE });
  const inMemory = { flags: MS_NOSUID | MS_NODEV, data: `size=${files.maxBytes},mode=755` };
  mount("tmpfs", root, "tmpfs", inMemory);
  for (const path of SYSTEM_FOLDERS) {
    if (!existsSync(path)) continue;
    if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), root + path);
    else bind(path);
  }
  mkdirSync(`${root}/dev/shm`, { recursive: true });
  mount("tmpfs", `${root}/dev/shm`, "tmpfs", { ...inMemory, data: `size=${files.maxBytes},mode=1777` });
  // A state folder can be in /dev/shm, so its mount comes first: it would hide the files.
  for (const path of [...SYSTEM_FILES, ...files.readable]) bind(path);
  for (const name of DEVICES) bind(`/dev/${name}`, `/dev/${name}`, false);
  bind(files.socket, INNER_SOCKET, false);
  for (const path of ["/proc", "/tmp", INNER_HOME, OLD]) mkdirSync(root + path, { recursive: true, mode: 0o777 });
  mount("proc", `${root}/proc`, "proc", { flags: MS_NOSUID | MS_NODEV | MS_NOEXEC });
  if (library.pivot_root(text(root), text(root + OLD)) !== 0) throw new Error("cannot change the root");
  process.chdir("/");
  if (library.umount2(text(OLD), MNT_DETACH) !== 0) throw new Error("cannot leave the old root");
  rmdirSync(OLD);
  if (library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) throw new Error("cannot give up privileges");
  const request = new Uint8Array(IFREQ_BYTES);
  request.set(Buffer.from("lo"));
  new DataView(request.buffer).setUint16(IFREQ_FLAGS_AT, IFF_UP_RUNNING, true);
  const socket = library.socket(AF_INET, SOCK_DGRAM, 0);
  if (library.ioctl(socket, SIOCSIFFLAGS, request) !== 0) throw new Error("cannot start the loopback interface");
}

/** A text for C. */
function text(value: string): Uint8Array {
  return Buffer.from(`${value}\0`);
}
