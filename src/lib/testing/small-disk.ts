import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf } from "../caught.ts";
import { isAlive } from "../process/is-alive.ts";

const PIECE = Buffer.alloc(65_536);
/** A mounted disk in /proc/mounts, with the id of the process that mounted it. */
const MOUNTED = / (\/\S+\/turnpike-disk-(\d+)-\w+) tmpfs /g;

/** A folder in a small file system of its own, for tests that fill it. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** False if this user may not mount one: only root may, and not in every container. */
  readonly isMounted: boolean;
  /** Fills the disk by writing to the end of the file `name`, and returns its path. */
  fill(name?: string): string;
}

/** `size` has a unit, as `64k`. At the end the disk is unmounted even if its files are open. It also unmounts disks of killed processes. */
export function smallDisk(size: string): SmallDisk {
  for (const [, path = "", pid] of readFileSync("/proc/mounts", "latin1").matchAll(MOUNTED)) {
    if (!isAlive(Number(pid))) remove(path);
  }
  const path = mkdtempSync(join(tmpdir(), `turnpike-disk-${process.pid}-`));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]);
  return {
    path,
    isMounted: status === 0,
    fill: (name = "filler") => fill(join(path, name)),
    [Symbol.dispose]: () => remove(path),
  };
}

function remove(path: string): void {
  spawnSync("umount", ["-l", path]);
  rmSync(path, { recursive: true, force: true });
}

function fill(path: string): string {
  const file = openSync(path, "a");
  try {
    for (;;) writeSync(file, PIECE);
  } catch (error) {
    if (codeOf(error) !== "ENOSPC") throw error;
    return path;
  } finally {
    closeSync(file);
  }
}
